"""Notifications are only hints: any login may send what it wants, and nobody loses an event or waits for one that never comes."""

import asyncio
from time import perf_counter

import asyncpg

from infra.postgres.hints import CHANNEL
from tests.infra.postgres.databases import new_database
from tests.infra.postgres.test_feed import fed, take, versions_of, write

SENT = (
    *("", "0", "0 -1", "-1 5", "99 5", "lane_0 x", "0 ٣", "²  ²", "9" * 7_000, "0 " + "9" * 7_000),
    *(f"0 {ahead}" for ahead in (10**6, 2**63 - 1, 10**19 - 1)),
)


def test_notifications_are_hints_whatever_anybody_sends() -> None:
    url = new_database(1)

    async def story() -> None:
        async with fed(url, poll_seconds=60) as (store, feed):
            stranger, game = await asyncpg.connect(url), feed.stream("game")
            try:
                await write(store, "game", [1])
                await take(game, 1)
                started = perf_counter()
                for version, payload in enumerate(SENT, 2):
                    await stranger.execute("SELECT pg_notify($1, $2)", CHANNEL, payload)
                    await write(store, "game", [version])
                    assert versions_of(await take(game, 1)) == [version]
                assert perf_counter() - started < 20
            finally:
                await stranger.close()

    asyncio.run(story())
