"""The projector test: kills projectors at random moments during games. Their models must equal those of a rebuild."""

import asyncio
import multiprocessing
import time
from collections.abc import Callable
from random import Random
from typing import Any

from msgspec import Struct, field

from infra.postgres.connections import open_pool
from services.projector.models import PROJECTIONS
from services.projector.projector import Projector
from services.projector.rebuild import Rebuild
from tests.projector.models import Models, play_into

# Its processes are forks of one that has loaded everything, so that a kill takes milliseconds and not a second.
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["tests.chaos.projecting"])
_LIFE_SECONDS_MIN, _LIFE_SECONDS_MAX = 0.12, 2.0
_LONGER, _SHORTER = 1.2, 0.8
_GAMES_AT_ONCE = 4
_READY_SECONDS_MAX = 30.0


class ProjectingReport(Struct):
    """What a run of the projector test did and found."""

    kills: int = 0
    games: int = 0
    batches: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)


def project_for_ever(url: str, lanes: int, seed: int, ready: Any, batches: Any) -> None:
    """Take in what there is, again and again, until somebody kills this process."""
    asyncio.run(_for_ever(url, lanes, Random(seed), ready, batches))


async def _for_ever(url: str, lanes: int, chance: Random, ready: Any, batches: Any) -> None:
    pool = await open_pool(url, "liarsdice_projector")
    await pool.execute("SELECT 1")
    ready.set()
    while True:
        projector = Projector(pool, PROJECTIONS, lanes, batch_max=chance.choice((2, 20, 200)))
        for lane in range(lanes):
            if (await projector.advance(lane)).events:
                with batches.get_lock():
                    batches.value += 1


async def kill_projectors(
    models: Models, kills: int, *, seed: int, tell: Callable[[str], None] = lambda _: None
) -> ProjectingReport:
    """Play games, kill their projectors, and compare the models in the end."""
    report, chance, began = ProjectingReport(), Random(seed), time.monotonic()
    batches, life = _PROCESSES.Value("Q", 0), _LIFE_SECONDS_MIN
    playing = asyncio.create_task(_play(models, report, seed))
    try:
        while report.kills < kills:
            before = batches.value
            await asyncio.gather(*(_killed(models, chance, batches, report, life) for _ in range(2)))
            # However slow the machine is, some get a batch done and others don't.
            life = min(
                max(life * (_SHORTER if batches.value > before else _LONGER), _LIFE_SECONDS_MIN), _LIFE_SECONDS_MAX
            )
            if report.kills % 500 < 2:
                tell(f"{report.kills:,} of {kills:,} kills, {report.games:,} games")
    finally:
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
    report.batches = batches.value
    await models.caught_up()
    report.faults = [fault async for fault in _differences(models)]
    report.seconds = time.monotonic() - began
    return report


async def _play(models: Models, report: ProjectingReport, seed: int) -> None:
    while True:
        seed += 1
        await play_into(models, _GAMES_AT_ONCE, seed)
        report.games += _GAMES_AT_ONCE


async def _killed(models: Models, chance: Random, batches: Any, report: ProjectingReport, life: float) -> None:
    ready = _PROCESSES.Event()
    arguments = (models.url, models.store.lanes, chance.randrange(10**9), ready, batches)
    process = _PROCESSES.Process(target=project_for_ever, args=arguments, daemon=True)
    process.start()
    await asyncio.to_thread(ready.wait, _READY_SECONDS_MAX)
    await asyncio.sleep(chance.random() * life)
    process.kill()
    await asyncio.to_thread(process.join)
    report.kills += 1


async def _differences(models: Models) -> Any:
    for projection in PROJECTIONS:
        lived = await models.rows(await models.live(projection.MODEL.name))
        rebuilt = await models.rows(await Rebuild(models.url, projection, models.store.lanes).run(lambda _: None))
        for table, rows in lived.items():
            if rows != rebuilt[table]:
                yield f"{table} of {projection.MODEL.name}: {len(rows)} rows, rebuilt {len(rebuilt[table])}, not the same"
            elif not rows and table not in projection.QUEUES:
                yield f"{table} of {projection.MODEL.name} is empty"
