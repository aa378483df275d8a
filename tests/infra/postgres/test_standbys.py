"""While a named standby is away: nothing is acknowledged that only the primary has, and no giving up shows it to others."""

import asyncio
from functools import partial

import pytest
from eventsourcing.persistence import StoredEvent

from infra.postgres.appended import Appended
from infra.postgres.appending import LaneWriter
from infra.postgres.connections import connect_appender
from infra.postgres.store import EventStore
from tests.infra.postgres.standbys import Standby, with_standby

A_WHILE_SECONDS = 0.4


def event(stream: str, version: int) -> StoredEvent:
    return StoredEvent(stream, version, "topic", b"state")


async def writer_for(url: str, *, try_seconds_max: float = 30.0) -> LaneWriter:
    """A writer that has appended something before, so that it has a connection."""
    writer = LaneWriter("lane_0", partial(connect_appender, url), tries_max=50, try_seconds_max=try_seconds_max)
    writer.start()
    await writer.append([event("before", 1)], "before")
    return writer


async def is_unanswered(answer: "asyncio.Task[Appended]") -> bool:
    """Whether nobody gets an answer, for a while."""
    done, _ = await asyncio.wait([answer], timeout=A_WHILE_SECONDS)
    return not done


@pytest.mark.parametrize("at_once", [True, False])
def test_an_append_that_waits_for_a_standby_longer_than_a_try_may_take_stays_unseen(at_once: bool) -> None:  # noqa: FBT001
    async def work(url: str, standby: Standby) -> None:
        store, writer = await EventStore.open(url), await writer_for(url, try_seconds_max=0.3)
        await standby.away()
        append = asyncio.create_task(writer.append([event("a", 1)], "r1", at_once=at_once))
        await standby.waiting()
        await asyncio.sleep(2 * A_WHILE_SECONDS)

        assert not append.done()
        assert await store.read_stream("a") == [], "giving up has shown it"
        await standby.back()
        assert (await append).position_last == 2
        await writer.close()
        await store.close()

    with_standby(work)


def test_a_caller_that_goes_away_shows_nobody_what_the_standby_does_not_have() -> None:
    async def work(url: str, standby: Standby) -> None:
        store, writer = await EventStore.open(url), await writer_for(url)
        await standby.away()
        append = asyncio.create_task(writer.append([event("a", 1)], "r1"))
        await standby.waiting()
        append.cancel()
        await asyncio.wait([append])
        await asyncio.sleep(A_WHILE_SECONDS)

        assert await store.read_stream("a") == [], "going away has shown it"
        await standby.back()
        assert await writer.append([event("a", 1)], "r1") == Appended("repeated", 2, 2)
        await writer.close()
        await store.close()

    with_standby(work)


@pytest.mark.parametrize("at_once", [True, False])
def test_when_somebody_ends_the_wait_the_append_is_answered_only_once_the_standby_is_back(at_once: bool) -> None:  # noqa: FBT001
    """Postgres then says that the commit is done, and only a warning tells that no standby has it."""

    async def work(url: str, standby: Standby) -> None:
        writer = await writer_for(url)
        await standby.away()
        append = asyncio.create_task(writer.append([event("a", 1)], "r1", at_once=at_once))
        await standby.waiting()
        await standby.cancel_waits()

        assert await is_unanswered(append)
        await standby.back()
        assert (await append).position_last == 2
        await writer.close()

    with_standby(work)


def test_a_retry_of_what_only_the_primary_has_is_answered_only_once_the_standby_is_back() -> None:
    """As after a restart of the primary: what waited for the standby is visible, and no standby has it."""

    async def work(url: str, standby: Standby) -> None:
        store, writer = await EventStore.open(url), await writer_for(url)
        await standby.away()
        append = asyncio.create_task(writer.append([event("a", 1)], "r1"))
        await standby.waiting()
        await standby.cancel_waits()
        while not await store.read_stream("a"):  # noqa: ASYNC110 - it is asked
            await asyncio.sleep(0.02)

        retries = [
            asyncio.create_task(store.append([event("a", 1)], "r1")),
            asyncio.create_task(store.find_request("a", "r1")),
        ]
        for retry in retries:
            assert await is_unanswered(retry)  # type: ignore[arg-type]  # it has an answer or None
        assert await store.find_request("a", "unknown") is None, "what is not there has not to wait"
        await standby.back()
        for retry in (append, *retries):
            answer = await retry
            assert answer is not None
            assert answer.position_last == 2
        await writer.close()
        await store.close()

    with_standby(work)
