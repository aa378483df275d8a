"""Whether a process is ready, as far as the database and the read models decide it.

A game server stays ready while its read models catch up: players can play, and what the models answer says by itself that
it is not complete. The HTTP service alone has nothing else to do than to answer from them. So it gets no readers before the
models have caught up once. After that it stays ready whatever happens to them: all its processes read the same models, and
if all of them went away at once, readers would have nothing instead of something old.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg

from infra.postgres.connections import PASSING
from services.http.health import Ready
from services.projector.status import LOOK_SECONDS_MAX
from services.projector.watermarks import Watermarks

_Problem = Callable[[], Awaitable[str | None]]


class ModelReadiness:
    """Whether a process is ready."""

    def __init__(self, problem: _Problem, marks: Watermarks, *, waits_for_models: bool = False) -> None:
        """`problem` returns the reason why the process is not ready, or None, whatever the models have."""
        self._problem, self._marks, self._waits = problem, marks, waits_for_models

    async def __call__(self) -> Ready:
        """Whether it is ready now."""
        problem = await self._problem()
        if problem is not None:
            return Ready(problem)
        behind = await self._marks.catching_up()
        if behind and self._waits:
            return Ready("the read models are catching up", behind)
        self._waits = False
        return Ready(None, behind)


async def problem_of_database(pool: "asyncpg.Pool[Any]") -> str | None:
    """Why the database can't be used; None if all is well."""
    try:
        async with asyncio.timeout(LOOK_SECONDS_MAX):
            await pool.fetchval("SELECT 1")
    except (*PASSING, asyncpg.PostgresError):
        return "the database can't be used"
    return None
