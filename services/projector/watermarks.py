"""Watermarks: the time up to which each read model has everything that was committed.

A look compares the positions of the models with the last positions of the lanes. A model that lacks no event that matters
to it has everything that was committed before the look. If it lacks one, the time of the last look at which it lacked
none counts, or the time that the projector noted when it last reached the end of the lane, whichever is later.

A stranger must not see by this whether somebody plays at a private table. So only events that change a model count, and a
complete model always says that it is `TOLERANCE_SECONDS` behind, however far it really is. A shorter time would show when
a private game ends or the delay of one is over, because the projector needs up to a second to notice that.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple

import asyncpg

from domain.freshness import Freshness, ModelFreshness
from infra.postgres.connections import PASSING
from infra.postgres.lanes import lane_name
from infra.postgres.queries import query, query_with_heads
from services.projector.models import PROJECTIONS
from services.projector.projection import Projection

TOLERANCE_SECONDS = 2.0
"""A model that lacks only what was committed so recently is complete: the projector looks at least every second."""
LOOK_SECONDS = 0.05
"""How long a look is good for all who ask."""
TICK_SECONDS = 0.5
"""So often this process looks even if nobody asks; otherwise it would not know for how long an event is missing."""
SCANNED_EVENTS_MAX = 10_000
"""A model that is further behind lacks something, without a look at the events themselves."""
_LOOK_SECONDS_MAX = 3.0


def milliseconds_now() -> int:
    """The time, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class _Place(NamedTuple):
    """A model in a lane."""

    model: str
    lane: int


class _Target(NamedTuple):
    """Where a model was in each lane, and how far it had to go, when it was first found to be behind."""

    begins: dict[int, int]
    ends: dict[int, int]


class Watermarks:
    """Knows how fresh the live read models of a store are."""

    def __init__(
        self,
        pool: "asyncpg.Pool[Any]",
        lanes: int,
        now: Callable[[], int],
        projections: Sequence[Projection] = PROJECTIONS,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`now` returns the time in milliseconds since 1970, `monotonic` seconds that never go back."""
        self._pool, self._lanes, self._now, self._monotonic = pool, lanes, now, monotonic
        self._projections = {one.MODEL.name: one for one in projections}
        self._looking = asyncio.Lock()
        self._looked_at = float("-inf")
        self._positions: dict[_Place, int] = {}
        self._had_all: dict[_Place, float] = {}
        """When this process, or the projector by its own word, last found that nothing was missing."""
        self._targets: dict[str, _Target] = {}
        self._stopped: frozenset[str] = frozenset()

    async def of(self, *models: str) -> Freshness:
        """How fresh what is read from these models together after this is."""
        await self._look()
        found = [self._freshness(model) for model in models]
        times = [one.caught_up_to for one in found if one.caught_up_to is not None]
        return Freshness(all(one.complete for one in found), min(times) if len(times) == len(found) else None)

    async def every(self) -> tuple[ModelFreshness, ...]:
        """How fresh all models are."""
        await self._look()
        return tuple(
            ModelFreshness(model, self._freshness(model), self._percent(model), model in self._stopped)
            for model in self._projections
        )

    async def catching_up(self) -> tuple[str, ...]:
        """The models that are not complete yet and will be; not those that have stopped."""
        return tuple(one.model for one in await self.every() if not one.freshness.complete and not one.stopped)

    async def run(self) -> None:
        """Look now and then, for ever."""
        while True:
            with suppress(*PASSING, asyncpg.PostgresError):
                await self._look()
            await asyncio.sleep(TICK_SECONDS)

    async def _look(self) -> None:
        async with self._looking:
            began = self._monotonic()
            if began - self._looked_at < LOOK_SECONDS:
                return
            async with asyncio.timeout(_LOOK_SECONDS_MAX):
                rows = await self._rows()
                missing = await self._missing(rows)
                unsettled = await self._unsettled()
            self._note(rows, missing, unsettled, began)
            self._looked_at = began

    async def _rows(self) -> "list[asyncpg.Record]":
        models = [one.MODEL for one in self._projections.values()]
        sql = query_with_heads("look_at_models", self._lanes)
        return await self._pool.fetch(sql, [one.name for one in models], [one.version for one in models])

    async def _missing(self, rows: "Sequence[asyncpg.Record]") -> set[_Place]:
        """Where models lack an event that matters to them. Most events, such as bids, matter to none."""
        missing, scanned = set(), dict[tuple[Any, ...], bool]()
        for row in rows:
            lane, position, head = row["lane"], row["position"], row["head"]
            if position >= head:
                continue
            topics = self._projections[row["name"]].TRIGGERS
            scan = (lane, position, head, topics)
            if scan not in scanned:
                scanned[scan] = head - position > SCANNED_EVENTS_MAX or await self._pool.fetchval(
                    query("has_events_between", lane_name(lane)), position, head, list(topics)
                )
            if scanned[scan]:
                missing.add(_Place(row["name"], lane))
        return missing

    async def _unsettled(self) -> set[str]:
        """The models with something that depends on many games, such as ratings, and is not computed yet."""
        found = set()
        async with self._pool.acquire() as connection:
            for name, projection in self._projections.items():
                if not await projection.is_settled(connection, projection.MODEL.views):
                    found.add(name)
        return found

    def _note(self, rows: "Sequence[asyncpg.Record]", missing: set[_Place], unsettled: set[str], began: float) -> None:
        for row in rows:
            place = _Place(row["name"], row["lane"])
            if row["position"] < self._positions.get(place, 0):
                # The database has crashed, and lost what the projector wrote last.
                self._had_all.pop(place, None)
            self._positions[place] = row["position"]
            if place not in missing and place.model not in unsettled:
                self._had_all[place] = began
            elif row["seconds_since"] is not None:
                noted = began - max(0.0, row["seconds_since"])
                self._had_all[place] = max(noted, self._had_all.get(place, noted))
        self._stopped = frozenset(row["name"] for row in rows if row["stopped"])
        for model in self._projections:
            if self._freshness(model).complete:
                self._targets.pop(model, None)
            elif model not in self._targets:
                of_model = [row for row in rows if row["name"] == model]
                self._targets[model] = _Target(
                    {row["lane"]: row["position"] for row in of_model}, {row["lane"]: row["head"] for row in of_model}
                )

    def _freshness(self, model: str) -> Freshness:
        marks = [self._had_all.get(_Place(model, lane)) for lane in range(self._lanes)]
        known = [mark for mark in marks if mark is not None]
        if len(known) < len(marks):
            return Freshness(complete=False)
        behind = max(TOLERANCE_SECONDS, self._monotonic() - min(known))
        complete = behind <= TOLERANCE_SECONDS and model not in self._stopped
        return Freshness(complete, self._now() - round(behind * 1_000))

    def _percent(self, model: str) -> int:
        target = self._targets.get(model)
        if target is None:
            return 100
        # Only up to where the lanes ended then: what happens since is nobody's business.
        done = sum(
            min(self._positions[_Place(model, lane)], end) - target.begins[lane] for lane, end in target.ends.items()
        )
        whole = sum(target.ends.values()) - sum(target.begins.values())
        return max(0, 100 * done // whole) if whole else 0


@asynccontextmanager
async def watermarks(pool: "asyncpg.Pool[Any]", lanes: int, now: Callable[[], int]) -> AsyncIterator[Watermarks]:
    """The watermarks of a store, which this process looks at until the block ends."""
    found = Watermarks(pool, lanes, now)
    looking = asyncio.create_task(found.run())
    try:
        yield found
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
