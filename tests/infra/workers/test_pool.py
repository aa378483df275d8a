"""Workers: jobs go there and come back, whatever becomes of a worker."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from domain.refusals import NameInvalid
from infra.postgres.failures import StoreBusy
from infra.workers import pool as pools
from infra.workers.job import ServerNeeded, WorkerFault, WorkerLost
from infra.workers.pool import Pool
from tests.infra.workers import jobs

Result = TypeVar("Result")


def with_workers(story: Callable[[Pool], Awaitable[Result]], count: int = 1) -> Result:
    async def told() -> Result:
        pool = Pool(count, jobs.opened, "ann")
        await pool.start()
        try:
            return await story(pool)
        finally:
            await pool.close()

    return asyncio.run(told())


def test_a_worker_opens_what_it_needs_once_and_does_jobs_in_a_process_of_its_own() -> None:
    async def story(pool: Pool) -> None:
        first = await pool.do("ann", "game", jobs.told, 1, "two", b"three")
        second = await pool.do("ann", "game", jobs.told)
        context, process, *rest = first.value()

        assert (context, rest) == ("what ann opened", [1, "two", b"three"])
        assert first.units == 7
        assert process == second.value()[1] != os.getpid()

    with_workers(story)


def test_a_subject_always_goes_to_the_same_worker_and_subjects_spread_over_all() -> None:
    async def story(pool: Pool) -> None:
        asked = [f"game{number}" for number in range(20)] * 2
        processes = [(await pool.do("ann", subject, jobs.told)).value()[1] for subject in asked]

        assert processes[:20] == processes[20:]
        assert len(set(processes)) == 2

    with_workers(story, count=2)


def test_refusals_and_failures_come_back_as_they_were_raised_and_faults_without_their_words() -> None:
    async def story(pool: Pool) -> None:
        refused = await pool.do("ann", "game", jobs.refused)
        assert refused.failure == NameInvalid(name="\x00")
        assert refused.units == 3
        failed = (await pool.do("ann", "game", jobs.store_failed)).failure
        assert isinstance(failed, StoreBusy)
        assert failed.values == {"waiting": 5}
        assert isinstance((await pool.do("ann", "game", jobs.server_needed)).failure, ServerNeeded)
        fault = (await pool.do("ann", "game", jobs.faulty)).failure
        assert isinstance(fault, WorkerFault)
        assert not fault.args
        assert (await pool.do("ann", "game", jobs.told)).value()

    with_workers(story)


def test_after_a_worker_has_died_the_next_job_gets_a_new_one() -> None:
    async def story(pool: Pool) -> None:
        before = (await pool.do("ann", "game", jobs.told)).value()[1]
        with pytest.raises(WorkerLost, match="ended"):
            await pool.do("ann", "game", jobs.killed)
        assert (await pool.do("ann", "game", jobs.told)).value()[1] != before

    with_workers(story)


def test_a_job_that_takes_too_long_ends_with_its_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "_JOB_SECONDS_MAX", 0.2)

    async def story(pool: Pool) -> None:
        await pool.do("ann", "game", jobs.told)
        with pytest.raises(WorkerLost, match="too long"):
            await pool.do("ann", "game", jobs.slow, 60.0)
        assert (await pool.do("ann", "game", jobs.told)).value()

    with_workers(story)


def test_a_caller_who_goes_away_leaves_nothing_behind_that_another_could_take_for_an_answer() -> None:
    async def story(pool: Pool) -> None:
        gone = [asyncio.create_task(pool.do("eve", "game", jobs.slow, 0.1)) for _ in range(3)]
        await asyncio.sleep(0.05)
        for task in gone:
            task.cancel()
        assert (await pool.do("ann", "game", jobs.told, "mine")).value()[2] == "mine"
        assert pool.waiting("eve") == 0

    with_workers(story)


def test_a_closed_pool_refuses_jobs() -> None:
    async def story() -> None:
        pool = Pool(1, jobs.opened, "ann")
        await pool.close()
        with pytest.raises(WorkerLost, match="going down"):
            await pool.do("ann", "game", jobs.told)

    asyncio.run(story())


def test_a_pool_that_is_closed_while_it_starts_leaves_no_process_behind() -> None:
    async def story() -> float:
        clock = asyncio.get_running_loop().time
        began = clock()
        pool = Pool(2, jobs.opened, "ann")
        await pool.start()
        await asyncio.sleep(0.02)
        await pool.close()
        assert not workers_left()
        return clock() - began

    assert asyncio.run(story()) < 5


def workers_left() -> list[str]:
    """The workers of this process that still run."""
    own = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    children = own.read_text().split() if own.exists() else []
    commands = [Path(f"/proc/{child}/cmdline") for child in children]
    return [str(path) for path in commands if path.exists() and b"infra.workers.worker" in path.read_bytes()]


def test_a_worker_sees_no_variable_with_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIARSDICE_KEYS", "secret")
    monkeypatch.setenv("LIARSDICE_LOG_KEYS", "secret")

    async def story(pool: Pool) -> None:
        seen = (await pool.do("ann", "game", jobs.environment)).value()
        assert "PATH" in seen
        assert not [name for name in seen if name.startswith("LIARSDICE_")]

    with_workers(story)


def test_a_worker_that_ends_because_it_has_grown_fails_nobody() -> None:
    async def story(pool: Pool) -> None:
        grown = (await pool.do("ann", "game", jobs.grown, 400)).value()
        again = (await pool.do("bob", "game", jobs.told)).value()[1]
        assert again != grown

    with_workers(story)
