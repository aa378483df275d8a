"""The projector: it processes each lane in order, in batches, and keeps the read models up to date.

A batch is one transaction. It locks the positions of the models in a lane, so that several projectors share the lanes and
never do the same work twice. It finds the games that the next events change, reads these games whole, makes their rows
anew and moves the positions. Nothing stays in memory from one batch to the next. So if a projector is killed at any
moment, what it committed is complete, and the next projector does the rest.

An event that a model can't process stops that model in that lane, and nothing else. The fault is noted with the position,
the status shows it, and the projector tries it again now and then. It never skips an event.
"""

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

import asyncpg
from eventsourcing.persistence import StoredEvent

from infra.postgres.connections import PASSING, Connection
from infra.postgres.generations import Generation
from infra.postgres.lanes import lane_name
from infra.postgres.queries import query, query_with_heads
from services.projector.batches import Work, replace_rows
from services.projector.projection import Projection

BATCH_EVENTS_MAX = 10_000
SETTLE_BEHIND_MAX = BATCH_EVENTS_MAX
"""If a lane is further behind than this, ratings and other results from all lanes wait for it."""
POLL_SECONDS = 1.0
GATHER_SECONDS = 0.05
"""Events that come within this time go into one batch."""
FAULT_RETRY_SECONDS = 30.0
_LOG = logging.getLogger(__name__)


class Moved(NamedTuple):
    """The result of a batch: how many events it processed, and whether there may be more to do at once."""

    events: int
    again: bool


NOTHING_TO_DO = Moved(0, again=False)


class Projector:
    """Keeps models up to date: all live ones, or one generation."""

    def __init__(
        self,
        pool: "asyncpg.Pool[Any]",
        projections: Sequence[Projection],
        lanes: int,
        *,
        only: Generation | None = None,
        batch_max: int = BATCH_EVENTS_MAX,
    ) -> None:
        """With `only`, it moves one generation, live or being built, and no other."""
        self._pool, self._lanes, self._only, self._batch_max = pool, lanes, only, batch_max
        self._projections = {(one.MODEL.name, one.MODEL.version): one for one in projections}
        self._triggers = frozenset().union(*(one.TRIGGERS for one in projections))
        self._hints = [asyncio.Event() for _ in range(lanes)]
        self._limits: dict[tuple[Generation, int], int] = {}
        """How many events a model processes at a time in a lane where it had a fault."""
        self._resting: dict[tuple[Generation, int], float] = {}
        """The time until which a model with a fault rests."""

    async def run(self) -> None:
        """Follow all lanes for ever, by what wakes them and by the clock."""
        await asyncio.gather(*(self._follow(lane, hint) for lane, hint in enumerate(self._hints)))

    def hinted(self, lane: int, _position: int | None = None) -> None:
        """Wake a lane that may have new events."""
        self._hints[lane].set()

    def passed(self, lane: int, event: StoredEvent) -> None:
        """Wake a lane if an event matters to a model; most events of a game matter to none."""
        if event.topic in self._triggers:
            self._hints[lane].set()

    async def catch_up(self, lane: int) -> int:
        """Process all events that a lane has now, and return their number."""
        events = 0
        while (moved := await self.advance(lane)).again:
            events += moved.events
        return events + moved.events

    async def advance(self, lane: int) -> Moved:
        """Process the next batch of a lane, for the models that are furthest behind."""
        try:
            return await self._advance(lane)
        except _Trouble as trouble:
            return await self._narrow_down(lane, trouble)

    async def _follow(self, lane: int, hint: asyncio.Event) -> None:
        while True:
            hint.clear()
            try:
                await self.catch_up(lane)
            except (*PASSING, asyncpg.PostgresError) as error:
                _LOG.warning("could not write the read models (%s); trying again", type(error).__name__)
                await asyncio.sleep(POLL_SECONDS)
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS):
                    await hint.wait()
            await asyncio.sleep(GATHER_SECONDS)

    async def _advance(self, lane: int) -> Moved:
        # READ COMMITTED, whatever the database's default is: after waiting for another projector's lock, this one must see
        # what the other committed.
        async with self._pool.acquire() as connection, connection.transaction(isolation="read_committed"):
            group, position, others, began = await self._take_hold(connection, lane)
            if not group:
                return NOTHING_TO_DO
            limit = min(self._limits.get((work.generation, lane), self._batch_max) for work in group)
            topics = list(frozenset().union(*(work.projection.TRIGGERS for work in group)))
            batch = await connection.fetchrow(query("scan_lane", lane_name(lane)), position, limit, topics)
            assert batch is not None, "an aggregate always returns a row"
            at_the_end = batch["last"] is None or batch["are_last"]
            try:
                games = list(dict.fromkeys(batch["game_ids"] or ()))
                await replace_rows(connection, group, lane, games)
                # Events that matter to no model leave nothing to compute; who finds no event at all looks again.
                may_settle = at_the_end and (games or batch["last"] is None)
                unsettled = bool(may_settle) and await self._settle(connection, group, lane)
            except (*PASSING, asyncpg.QueryCanceledError):
                raise
            except Exception as error:
                raise _Trouble(group, position, batch["events"] or 1, batch["game_ids"], error) from error
            if batch["last"] is None:
                return Moved(0, again=unsettled)
            caught_up = [await _is_settled(connection, work) if at_the_end else False for work in group]
            times = [began if is_caught_up else None for is_caught_up in caught_up]
            await connection.execute(query("move_positions"), *_columns(group), lane, batch["last"], times)
        self._recovered(group, lane)
        return Moved(batch["events"], again=others or unsettled or not at_the_end)

    async def _take_hold(self, connection: Connection, lane: int) -> tuple[list[Work], int, bool, datetime | None]:
        """Lock the models that are furthest behind in a lane, and return them with their position.

        It also returns whether there are other models, which may have work once these have caught up with them, and the
        time: the scan that follows sees everything that was committed before it.
        """
        works = [work for work in await self._works(connection) if not self._rests(work, lane)]
        rows = await connection.fetch(query("lock_positions"), *_columns(works), lane)
        if not rows:
            return [], 0, False, None
        behind = min(row["position"] for row in rows)
        held = {(row["name"], row["version"], row["generation"]) for row in rows if row["position"] == behind}
        group = [work for work in works if tuple(work.generation) in held]
        troubled = [work for work in group if (work.generation, lane) in self._limits]
        group = troubled[:1] or group
        return group, behind, len(group) < len(works), rows[0]["at"]

    async def _works(self, connection: Connection) -> list[Work]:
        if self._only is not None:
            generations = [self._only]
        else:
            generations = [Generation(*row) for row in await connection.fetch(query("live_generations"))]
        known = self._projections
        return [Work(known[one.name, one.version], one) for one in generations if (one.name, one.version) in known]

    async def _settle(self, connection: Connection, group: Sequence[Work], lane: int) -> bool:
        """Compute some results that depend on many games, such as ratings, and return whether there is more to compute.

        While another lane is far behind this waits, because its games would change the results again. The projector that
        reaches the end of the last lane computes them, or the next one that looks for work.
        """
        unsettled = False
        for projection, generation in group:
            if await projection.is_settled(connection, generation.schema):
                continue
            await connection.execute(query("lock_settling"), generation.schema)
            behind = query_with_heads("lanes_behind", self._lanes)
            if not await connection.fetchval(behind, *generation, lane, SETTLE_BEHIND_MAX):
                await projection.settle(connection, generation.schema)
                unsettled |= not await projection.is_settled(connection, generation.schema)
        return unsettled

    def _rests(self, work: Work, lane: int) -> bool:
        return self._resting.get((work.generation, lane), 0.0) > time.monotonic()

    def _recovered(self, group: Sequence[Work], lane: int) -> None:
        for work in group:
            limit = self._limits.pop((work.generation, lane), None)
            if limit is not None and limit * 4 < self._batch_max:
                self._limits[work.generation, lane] = limit * 4

    async def _narrow_down(self, lane: int, trouble: "_Trouble") -> Moved:
        """After a fault, let each model go on alone and in ever smaller steps, until one step is the faulty event."""
        if len(trouble.group) > 1 or trouble.events > 1:
            limit = trouble.events if len(trouble.group) > 1 else max(1, trouble.events // 8)
            for work in trouble.group:
                self._limits[work.generation, lane] = limit
            return Moved(0, again=True)
        (work,) = trouble.group
        self._resting[work.generation, lane] = time.monotonic() + FAULT_RETRY_SECONDS
        problem = type(trouble.error).__name__  # Only the kind of the error: its message may quote what is stored.
        game_id = trouble.game_ids[0] if trouble.game_ids else None
        await self._pool.execute(query("note_fault"), *work.generation, lane, trouble.position + 1, game_id, problem)
        name, position = work.generation.name, trouble.position + 1
        _LOG.error("the model %s has stopped before position %d of lane %d (%s)", name, position, lane, problem)
        return Moved(0, again=True)


class _Trouble(Exception):  # noqa: N818 - it never leaves this module
    """A model can't process some event of a batch."""

    def __init__(
        self, group: Sequence[Work], position: int, events: int, game_ids: Sequence[str] | None, error: Exception
    ) -> None:
        super().__init__()
        self.group, self.position, self.events, self.game_ids, self.error = group, position, events, game_ids, error


async def _is_settled(connection: Connection, work: Work) -> bool:
    return await work.projection.is_settled(connection, work.generation.schema)


def _columns(works: Sequence[Work]) -> Mapping[str, Any] | Any:
    generations = [work.generation for work in works]
    return (
        [generation.name for generation in generations],
        [generation.version for generation in generations],
        [generation.number for generation in generations],
    )
