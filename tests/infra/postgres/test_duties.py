"""Which server keeps which lanes: one at a time, whatever happens to it, and all of them their share."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import asyncpg
import pytest

from infra.postgres import duties as terms
from infra.postgres.duties import Duties, DutyLost
from infra.postgres.lanes import lane_name
from infra.postgres.queries import query
from tests.infra.postgres.databases import new_database

LANES = 3
ALL = frozenset(range(LANES))


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "TERM_SECONDS", 0.8)
    monkeypatch.setattr(terms, "RENEW_SECONDS", 0.05)
    monkeypatch.setattr(terms, "_MARGIN_SECONDS", 0.1)


async def until(condition: Callable[[], bool], seconds_max: float = 20.0) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(seconds_max):
        while not condition():  # noqa: ASYNC110 - nothing tells when a database changes
            await asyncio.sleep(0.01)


def on_store(work: Callable[[str], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(work(new_database(LANES)))


async def die(server: Duties) -> None:
    """End a server as a crash does: it renews nothing, gives nothing up and says nothing."""
    await server._fall_silent()  # noqa: SLF001 - nothing else makes it end without a word


def test_a_server_alone_keeps_all_lanes_from_its_start_on() -> None:
    async def work(url: str) -> None:
        server = await Duties.open(url, LANES)
        assert server.lanes == ALL
        assert server.alone
        await asyncio.sleep(1.0)  # Longer than a term that nobody renews.
        assert server.lanes == ALL
        await server.close()

    on_store(work)


def test_servers_share_the_lanes_and_none_is_kept_by_two() -> None:
    async def work(url: str) -> None:
        servers = [await Duties.open(url, LANES) for _ in range(3)]
        kept: list[list[frozenset[int]]] = []

        def are_shared() -> bool:
            kept.append([server.lanes for server in servers])
            return all(len(server.lanes) == 1 for server in servers)

        await until(are_shared)
        assert not any(server.alone for server in servers)
        for lanes in kept:
            assert sum(map(len, lanes)) == len(frozenset[int]().union(*lanes))
        await servers[0].close()
        await servers[1].close()
        await until(lambda: servers[2].lanes == ALL and servers[2].alone)
        await servers[2].close()

    on_store(work)


def test_the_lanes_of_a_server_that_ends_are_taken_over_before_its_terms_are_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(terms, "TERM_SECONDS", 60.0)

    async def work(url: str) -> None:
        first = await Duties.open(url, LANES)
        second = await Duties.open(url, LANES)
        await first.close()
        assert first.lanes == frozenset()
        await until(lambda: second.lanes == ALL)
        await second.close()

    on_store(work)


def test_the_lanes_of_a_server_that_dies_are_taken_over_when_it_has_noticed_itself() -> None:
    async def work(url: str) -> None:
        first = await Duties.open(url, 1)
        second = await Duties.open(url, 1)
        assert (first.lanes, second.lanes) == (frozenset([0]), frozenset())
        await die(first)
        while not second.lanes:
            believed = first.lanes
            await asyncio.sleep(0.005)
        assert believed == first.lanes == frozenset()
        await first.close()
        await second.close()

    on_store(work)


def test_whoever_was_stopped_and_wakes_up_writes_nothing_any_more() -> None:
    async def work(url: str) -> None:
        first = await Duties.open(url, 1)
        connection = await asyncpg.connect(url)
        async with connection.transaction():
            await first.check(connection, 0)
        await die(first)
        second = await Duties.open(url, 1)
        await until(lambda: bool(second.lanes))
        with pytest.raises(DutyLost, match="lane 0"):
            async with connection.transaction():
                await first.check(connection, 0)
        await connection.close()
        await first.close()
        await second.close()

    on_store(work)


def test_nobody_takes_a_lane_over_while_its_keeper_writes() -> None:
    async def work(url: str) -> None:
        first = await Duties.open(url, 1)
        connection = await asyncpg.connect(url)
        writing = connection.transaction()
        await writing.start()
        await first.check(connection, 0)
        await die(first)
        second = await Duties.open(url, 1)
        await asyncio.sleep(1.2)  # The term of the first is over.
        assert second.lanes == frozenset()
        await writing.commit()
        await until(lambda: bool(second.lanes))
        await connection.close()
        await first.close()
        await second.close()

    on_store(work)


def test_a_server_goes_on_when_its_connection_breaks() -> None:
    async def work(url: str) -> None:
        server = await Duties.open(url, LANES)
        connection = await asyncpg.connect(url)
        await connection.fetch(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        await asyncio.sleep(1.0)  # Longer than a term that nobody renews.
        assert server.lanes == ALL
        await connection.close()
        await server.close()

    on_store(work)


def test_a_term_never_goes_back() -> None:
    async def work(url: str) -> None:
        server = await Duties.open(url, LANES)
        connection = await asyncpg.connect(url)
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute("UPDATE lane_0.duty SET term = term - 1")
        assert await connection.fetchval(query("check_duty", lane_name(0)), 1)
        await connection.close()
        await server.close()

    on_store(work)
