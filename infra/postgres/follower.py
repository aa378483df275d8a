"""Following a store: a task takes in the stored events of all lanes that this server keeps, in order and in batches."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import suppress

import asyncpg
from eventsourcing.persistence import Notification

from infra.postgres import connections as connecting
from infra.postgres.duties import Duties, DutyLost
from infra.postgres.failures import EventTooNew, StoreFailed
from infra.postgres.feed import Feed
from infra.postgres.lanes import lane_of
from infra.postgres.store import EventStore
from infra.postgres.subscriptions import SubscriberTooSlow

PASSING = (StoreFailed, asyncpg.PostgresError, *connecting.PASSING)
"""Errors that go away with time."""
PATIENCE_SECONDS = 0.2
_BATCH_ENOUGH = 100
"""A follower that gets more events than this at once is far behind, so it does not wait for more."""
_UNNOTED_MAX = 1_000
"""The position is noted at least every so many events."""
_LOOK_SECONDS = 0.5
"""How often a follower looks which lanes its server keeps, and how far the followers of other lanes are."""
_ASK_SECONDS = 0.05
_LOG = logging.getLogger(__name__)


class Follower(ABC):
    """Takes in stored events, for one reader by that name. After a restart it may look at some of them again.

    A batch that changes nothing need not be written: after a restart its events are only looked at again. So that this
    stays short, the position is noted after some events in any case, and always if other servers may wait for it.
    """

    NAME: str

    def __init__(self, store: EventStore, feed: Feed, duties: Duties) -> None:
        self._store, self._feed, self._duties = store, feed, duties
        self._taken = [0] * store.lanes
        self._noted = [0] * store.lanes
        self._kept: frozenset[int] = frozenset()
        self._progress = asyncio.Condition()
        self._hurry = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @abstractmethod
    async def _taken_before(self, lane: int) -> int:
        """The position in a lane up to which this has taken in all events."""

    @abstractmethod
    async def _take(self, lane: int, batch: Sequence[Notification]) -> bool:
        """Take in the next events of a lane, and return whether the position was noted.

        If anything is written, the position is noted in the same transaction.
        """

    async def start(self) -> None:
        """Go on from the noted positions."""
        await self._go_on_from_noted(range(self._store.lanes))
        self._task = asyncio.create_task(self._follow())

    async def close(self) -> None:
        """Stop following."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    @property
    def taken(self) -> dict[int, int]:
        """How far this has come in each lane that its server keeps."""
        return {lane: self._taken[lane] for lane in self._duties.lanes}

    async def caught_up(self, seconds_max: float) -> bool:
        """Wait until what is stored now has been taken in, here or elsewhere, but at most so long; whether it has."""
        goals = [await self._store.position(lane) for lane in range(self._store.lanes)]
        self._hurry.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds_max):
                for lane, goal in enumerate(goals):
                    while self._taken[lane] < goal:
                        await self._progress_of(lane)
        return all(done >= goal for done, goal in zip(self._taken, goals, strict=True))

    async def _progress_of(self, lane: int) -> None:
        """Wait for this to take in more of a lane; if another server keeps the lane, ask how far that is."""
        if lane in self._duties.lanes:
            async with self._progress:
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK_SECONDS):
                        await self._progress.wait()
            return
        noted = await self._taken_before(lane)
        if noted > self._taken[lane]:
            self._taken[lane] = noted
        else:
            await asyncio.sleep(_ASK_SECONDS)

    async def _go_on_from_noted(self, lanes: Iterable[int]) -> None:
        for lane in lanes:
            self._taken[lane] = self._noted[lane] = await self._taken_before(lane)

    async def _follow(self) -> None:
        while True:
            try:
                await self._follow_lanes(await self._duties.some())
            except (SubscriberTooSlow, DutyLost):
                continue  # Follow again, the lanes that are ours now, from the positions reached so far.
            except EventTooNew:
                # Passing over it would lose it for the servers that can read it. One of them takes it in.
                if not self._duties.resigned:
                    await self._duties.resign()
            except PASSING as error:
                _LOG.warning("could not write the %s (%s); trying again", self.NAME, type(error).__name__)
                await asyncio.sleep(1)
            except Exception:  # noqa: BLE001 - whatever it is, the task must not end unnoticed
                _LOG.exception("could not write the %s; trying again", self.NAME)
                await asyncio.sleep(1)

    async def _follow_lanes(self, lanes: frozenset[int]) -> None:
        """Take in the events of some lanes for as long as they are exactly those that this server keeps."""
        # Another server may have kept the new ones, and be further than this one was.
        await self._go_on_from_noted(lanes - self._kept)
        self._kept = lanes
        with self._feed.everything(after=self._taken, lanes=lanes) as subscription:
            coming = asyncio.ensure_future(anext(subscription))
            try:
                while self._duties.lanes == lanes:
                    if not (await asyncio.wait((coming,), timeout=_LOOK_SECONDS))[0]:
                        continue
                    batch = [coming.result(), *subscription.ready()]
                    await self._take_in(batch)
                    coming = asyncio.ensure_future(anext(subscription))
                    if len(batch) <= _BATCH_ENOUGH:
                        await self._let_more_come()
            finally:
                coming.cancel()
                await asyncio.gather(coming, return_exceptions=True)

    async def _let_more_come(self) -> None:
        """Wait a moment, so that more events come into one transaction, unless somebody waits for them."""
        self._hurry.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._hurry.wait()

    def _can_wait(self, lane: int, position: int) -> bool:
        """Whether a position need not be noted yet, if nothing else is to be written with it."""
        return self._duties.alone and position - self._noted[lane] < _UNNOTED_MAX

    async def _take_in(self, batch: Sequence[Notification]) -> None:
        lanes: dict[int, list[Notification]] = {}
        for notification in batch:
            lanes.setdefault(lane_of(str(notification.originator_id), self._store.lanes), []).append(notification)
        for lane, notifications in lanes.items():
            if await self._take(lane, notifications):
                self._noted[lane] = notifications[-1].id
            async with self._progress:
                self._taken[lane] = max(self._taken[lane], notifications[-1].id)
                self._progress.notify_all()
