"""Building a new generation of a read model beside the one that answers, and switching to it once it has caught up.

If the work is stopped, its result so far stays, and the next attempt goes on from there. For the switch, the generation
that answers is locked for a moment, the new one processes the last events, and the views change to it. So no reader ever
sees less than before.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from domain.refusals import Refusal
from domain.values import Value
from infra.postgres.connections import connect, open_pool
from infra.postgres.generations import (
    Generation,
    begin_generation,
    drop_generation,
    drop_retired,
    generation_of,
    switch,
)
from infra.postgres.lanes import lane_name
from infra.postgres.queries import query
from services.projector.projection import Projection
from services.projector.projector import BATCH_EVENTS_MAX, Projector

_SWITCH_RETRY_SECONDS = 0.1


class ModelFaulty(Refusal):
    """The model {name} can't process event {position} of lane {lane}, of game {game_id} ({problem}); the old generation stays in use."""


class Progress(Value, frozen=True):
    """How many events are processed, out of how many."""

    done: int
    total: int


class Rebuild:
    """Rebuilds one model of a store."""

    def __init__(self, url: str, projection: Projection, lanes: int, *, batch_max: int = BATCH_EVENTS_MAX) -> None:
        """The login must own the store, because it makes tables."""
        self._url, self._projection, self._model = url, projection, projection.MODEL
        self._lanes, self._batch_max = lanes, batch_max

    async def run(self, report: Callable[[Progress], None]) -> Generation:
        """Build a generation, or go on with an unfinished one, and make it answer."""
        connection = await connect(self._url)
        pool = await open_pool(self._url, "liarsdice_projector", derived=True)
        try:
            building = await self._begun(connection)
            projector = Projector(pool, [self._projection], self._lanes, only=building, batch_max=self._batch_max)
            await self._catch_up(projector, connection, building, report)
            while not await self._switched(projector, connection, building):  # noqa: ASYNC110 - nothing tells when readers are gone
                await asyncio.sleep(_SWITCH_RETRY_SECONDS)
            await drop_retired(connection, self._model)
            return building
        finally:
            await pool.close()
            await connection.close()

    async def cancel(self) -> bool:
        """Drop the generation that is being built, and return whether there was one."""
        connection = await connect(self._url)
        try:
            async with _alone(connection):
                building = await generation_of(connection, self._model, "building")
                if building is not None:
                    await drop_generation(connection, building)
                return building is not None
        finally:
            await connection.close()

    async def _begun(self, connection: "asyncpg.Connection[Any]") -> Generation:
        async with _alone(connection):
            building = await generation_of(connection, self._model, "building")
            return building or await begin_generation(connection, self._model, self._lanes)

    async def _catch_up(
        self,
        projector: Projector,
        connection: "asyncpg.Connection[Any]",
        building: Generation,
        report: Callable[[Progress], None],
    ) -> None:
        total = 0
        for lane in range(self._lanes):
            total += int(await connection.fetchval(query("read_position", lane_name(lane))))
        for lane in range(self._lanes):
            while (await projector.advance(lane)).again:
                done = int(await connection.fetchval(query("position_of"), *building) or 0)
                report(Progress(min(done, total), total))
        fault = await connection.fetchrow(query("fault_of"), *building)
        if fault is not None:
            raise ModelFaulty(
                name=self._model.name,
                position=fault["fault_position"],
                lane=fault["lane"],
                game_id=fault["fault_game"],
                problem=fault["fault"],
            )
        report(Progress(total, total))

    async def _switched(
        self, projector: Projector, connection: "asyncpg.Connection[Any]", building: Generation
    ) -> bool:
        """Switch readers to the new generation, and return whether that worked; a reader that takes long can prevent it."""
        try:
            async with _alone(connection):
                live = await generation_of(connection, self._model, "live")
                if live == building:
                    return True  # Another process did the same and was quicker.
                if live is not None:
                    await connection.fetch(query("hold_positions"), *live)
                for lane in range(self._lanes):
                    await projector.catch_up(lane)
                await switch(connection, self._model, building)
        except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError):
            return False
        return True


@asynccontextmanager
async def _alone(connection: "asyncpg.Connection[Any]") -> AsyncIterator[None]:
    async with connection.transaction():
        await connection.execute(query("lock_rebuilding"))
        yield
