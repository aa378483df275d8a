"""Following a store: a task takes in all stored events, in order and in batches."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress

import asyncpg
from eventsourcing.persistence import Notification

from infra.postgres import connections as connecting
from infra.postgres.failures import StoreFailed
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
_LOG = logging.getLogger(__name__)


class Follower(ABC):
    """Takes in stored events, for one reader by that name. After a restart it may look at some of them again.

    A batch that changes nothing need not be written: after a restart its events are only looked at again. So that this
    stays short, the position is noted after some events in any case.
    """

    NAME: str

    def __init__(self, store: EventStore, feed: Feed) -> None:
        self._store, self._feed = store, feed
        self._taken = [0] * store.lanes
        self._noted = [0] * store.lanes
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
        for lane in range(self._store.lanes):
            self._taken[lane] = self._noted[lane] = await self._taken_before(lane)
        self._task = asyncio.create_task(self._follow())

    async def close(self) -> None:
        """Stop following."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def caught_up(self, seconds_max: float) -> bool:
        """Wait until this has taken in all events that are stored now, but at most `seconds_max`; whether it has."""
        goals = [await self._store.position(lane) for lane in range(self._store.lanes)]
        self._hurry.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds_max), self._progress:
                await self._progress.wait_for(lambda: self._has_taken(goals))
        return self._has_taken(goals)

    def _has_taken(self, goals: Sequence[int]) -> bool:
        return all(done >= goal for done, goal in zip(self._taken, goals, strict=True))

    async def _follow(self) -> None:
        while True:
            try:
                await self._follow_feed()
            except SubscriberTooSlow:
                continue  # Follow again from the positions reached so far.
            except PASSING as error:
                _LOG.warning("could not write the %s (%s); trying again", self.NAME, type(error).__name__)
                await asyncio.sleep(1)
            except Exception:  # noqa: BLE001 - whatever it is, the task must not end unnoticed
                _LOG.exception("could not write the %s; trying again", self.NAME)
                await asyncio.sleep(1)

    async def _follow_feed(self) -> None:
        with self._feed.everything(after=self._taken) as subscription:
            while True:
                batch = [await anext(subscription), *subscription.ready()]
                await self._take_in(batch)
                if len(batch) > _BATCH_ENOUGH:
                    continue
                # Waiting a moment puts more events into one transaction.
                self._hurry.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(PATIENCE_SECONDS):
                        await self._hurry.wait()

    def _can_wait(self, lane: int, position: int) -> bool:
        """Whether a position need not be noted yet, if nothing else is to be written with it."""
        return position - self._noted[lane] < _UNNOTED_MAX

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
