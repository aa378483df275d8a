"""A standby that is away: commits of this process's test server wait for it, until the test lets it come back."""

import asyncio
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

import asyncpg

from tests.infra.postgres.databases import new_database, server_url

_WAITS = "SELECT wait_event = 'SyncRep' FROM pg_stat_activity WHERE pid = $1"


class Standby:
    """A standby by a name that nobody bears."""

    def __init__(self, admin: "asyncpg.Connection", database: str) -> None:
        self._admin, self._database = admin, database

    async def away(self) -> None:
        """From now on, commits wait for it."""
        await self._name("a_standby_that_is_away")
        await self._in_force()

    async def _in_force(self) -> None:
        """Returns once a commit waits. The name counts when the checkpointer has read it, which nobody is told."""
        probe = await asyncpg.connect(server_url(), server_settings={"synchronous_commit": "on"})
        while True:
            commit = asyncio.create_task(probe.execute("SELECT pg_logical_emit_message(true, '', '')"))
            while not commit.done():
                if await self._admin.fetchval(_WAITS, probe.get_server_pid()):
                    await self._admin.execute("SELECT pg_cancel_backend($1)", probe.get_server_pid())
                    await commit
                    await probe.close()
                    return
                await asyncio.sleep(0.01)

    async def back(self) -> None:
        """Commits wait no longer, as if the standby had received everything."""
        await self._name("")

    async def waiting(self, count: int = 1) -> None:
        """Returns once so many commits wait."""
        while len(await self._waiting()) < count:  # noqa: ASYNC110 - it is asked
            await asyncio.sleep(0.02)

    async def cancel_waits(self) -> None:
        """What an administrator should not do: after it, Postgres shows commits that no standby has."""
        for process in await self._waiting():
            await self._admin.execute("SELECT pg_cancel_backend($1)", process)

    async def _waiting(self) -> list[int]:
        waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = $1"
        rows = await self._admin.fetch(waiting, self._database)
        return [row["pid"] for row in rows]

    async def _name(self, names: str) -> None:
        await self._admin.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
        await self._admin.execute("SELECT pg_reload_conf()")
        while await self._admin.fetchval("SHOW synchronous_standby_names") != names:  # noqa: ASYNC110 - it is asked
            await asyncio.sleep(0.01)


def with_standby(work: Callable[[str, Standby], Awaitable[None]]) -> None:
    """Some work on a new store with one lane, beside a standby that it can send away."""
    url = new_database(lanes=1)

    async def worked() -> None:
        admin = await asyncpg.connect(server_url())
        standby = Standby(admin, urlsplit(url).path.removeprefix("/"))
        try:
            # This connection waits for no standby itself.
            await admin.execute("SET synchronous_commit = local")
            async with asyncio.timeout(60):
                await work(url, standby)
        finally:
            await standby.back()
            await admin.close()

    asyncio.run(worked())
