"""The live feed: one tail per process follows all lanes of a store and hands each new event to its subscribers.

The tail keeps one position per lane and reads each lane in the order of its positions. Two things make it read: a
notification from Postgres, and the clock. So a lost notification or a broken listening connection costs time and nothing
else. The feed decodes nothing: all subscribers of a game get the same object.

The tail reads what somebody here wants. Where only some games are followed, it reads the events of these and passes over
the others, so that a process is not busy with the games of other processes.

The feed need not read back what this process appends itself. The store offers those events as soon as they are durable;
if they come next in their lane, the feed hands them over at once. If not, for example because another process wrote in
between, the tail reads them like everything else. Both ways go through `Roster.hand_over`, which knows the lane's
position, so no event comes twice and none is left out.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Self, TypeVar

import asyncpg
from eventsourcing.persistence import Notification, StoredEvent

from infra.postgres.connections import PASSING
from infra.postgres.event_reader import READERS_MAX, Batch, EventReader
from infra.postgres.failures import StoreUnreadable
from infra.postgres.hints import Listener
from infra.postgres.store import Announcement, EventStore
from infra.postgres.subscriptions import FeedClosed, Roster, StoreSubscription, StreamSubscription

_READ_SECONDS_MAX = 10.0
# After at most so many events of a lane, other tasks of the event loop get their turn.
_TURN_EVENTS_MAX = 16
# At most so many events that this process appended are handed over in one turn of the event loop.
_TURN_OFFERED_MAX = 400
# How long a notification waits for the store of this process to offer the same events first, which saves a read.
_OFFER_SECONDS = 0.002
_PASSING = (*PASSING, StoreUnreadable)
# Where so many games of a lane are followed, it costs less to read all.
_WATCHED_MAX = 200

Result = TypeVar("Result")


class Feed:
    """All new events of a store, from every process, as they come. Close it before the store."""

    def __init__(
        self,
        store: EventReader,
        positions: Sequence[int],
        *,
        poll_seconds: float = 1.0,
        retry_seconds: float = 0.2,
        batch_max: int = 500,
        queue_max: int = 1000,
    ) -> None:
        """Use `open`."""
        self._store = store
        self._poll_seconds, self._retry_seconds = poll_seconds, retry_seconds
        self._listener = Listener(store.url, store.lanes, check_seconds=poll_seconds, retry_seconds=retry_seconds)
        self._listener.hearers.append(self._hinted)
        self._batch_max, self._queue_max = batch_max, queue_max
        # Half a queue for all lanes together: a burst in every lane at once must not overflow the queue of a reader that
        # is quick enough otherwise.
        self._turn = max(1, min(_TURN_EVENTS_MAX, queue_max // (2 * store.lanes)))
        self._roster = Roster(positions)
        # Subscribers that read history may take half of the store's connections; the tail and others need the rest.
        self._history_reads = asyncio.Semaphore(max(1, READERS_MAX // 2))
        self._hints = [asyncio.Event() for _ in range(store.lanes)]
        self._tasks: list[asyncio.Task[None]] = []
        self._turn_events = 0

    @classmethod
    async def open(cls, store: EventReader, **settings: Any) -> Self:
        """Follow a store from its present end on; `settings` are the keyword arguments of the class."""
        positions = [await store.position(lane) for lane in range(store.lanes)]
        feed = cls(store, positions, **settings)
        work: list[Callable[[], Awaitable[None]]] = [
            feed._listener.run,
            *(partial(feed._follow, lane) for lane in range(store.lanes)),
        ]
        feed._tasks = [asyncio.create_task(feed._until_it_fails(part)) for part in work]
        if isinstance(store, EventStore):
            store.listeners.append(feed._offered)
        return feed

    async def close(self) -> None:
        """End all subscriptions and disconnect."""
        if isinstance(self._store, EventStore) and self._offered in self._store.listeners:
            self._store.listeners.remove(self._offered)
        self._roster.end()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def positions(self) -> tuple[int, ...]:
        """How far the tail has come in each lane; `everything` after these positions yields only new events."""
        return tuple(self._roster.positions)

    @property
    def closed(self) -> bool:
        """Whether the feed has ended, and will bring nothing more."""
        return self._roster.ended.is_set()

    @property
    def passers(self) -> list[Callable[[int, Notification], None]]:
        """Functions that get every new event as it passes, with its lane. They must be quick."""
        return self._roster.passers

    def stream(self, stream: str, after: int = 0, *, foreign_only: bool = False) -> StreamSubscription:
        """Follow one stream from after a version on.

        With `foreign_only`, the subscriber hears of what this process appends by the announcements of the store, and the
        subscription spares it as much of that as it can. Some of it may come all the same, by the way of the database.
        """
        self._check_open()
        read = self._read_stream_history
        return StreamSubscription(self._roster, self._queue_max, read, stream, after, foreign_only=foreign_only)

    def everything(self, after: Sequence[int] | None = None, lanes: Iterable[int] | None = None) -> StoreSubscription:
        """Follow some lanes or all, each from after a position on; without positions from the beginning."""
        self._check_open()
        positions = [0] * self._store.lanes if after is None else after
        wanted = frozenset(range(self._store.lanes) if lanes is None else lanes)
        return StoreSubscription(
            self._roster,
            self._queue_max,
            self._read_lane_history,
            self._come_to_the_end,
            positions,
            near=self._batch_max,
            lanes=wanted,
        )

    def _check_open(self) -> None:
        if self._roster.ended.is_set() and self._roster.problem is None:
            raise FeedClosed

    async def _until_it_fails(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception as error:
            # Whatever the error is, no subscriber may wait for ever for a tail that is gone. Callers see this problem, so it
            # is only the kind of the error: its words may quote what is stored.
            self._roster.end(type(error).__name__)
            raise

    async def _follow(self, lane: int) -> None:
        """Hand over all new events of a lane, until the feed ends."""
        hint = self._hints[lane]
        while not self._roster.ended.is_set():
            hint.clear()  # Before the read: a commit during the read sets the hint again.
            while await self._hand_over_batch(lane):
                pass
            await _wait(hint, self._poll_seconds)

    async def _hand_over_batch(self, lane: int) -> bool:
        """Hand over the next events of a lane that anybody wants, and return whether there may be more."""
        joins = self._roster.joins
        batch = await self._read_wanted(lane)
        for number, notification in enumerate(batch.events, start=1):
            if self._roster.joins != joins and not batch.is_whole:
                return True  # Somebody who has joined may want what was left out.
            if not batch.is_whole:
                self._roster.pass_over(lane, notification.id - 1)
            self._roster.hand_over(lane, notification)
            if number % self._turn == 0:
                await asyncio.sleep(0)
        if self._roster.joins != joins and not batch.is_whole:
            return True
        self._roster.pass_over(lane, batch.reached)
        return len(batch.events) == self._batch_max

    async def _read_wanted(self, lane: int) -> Batch:
        """The next events of a lane that anybody wants."""
        after, streams = self._roster.positions[lane], tuple(self._roster.streams[lane])
        if not self._roster.wants_all(lane) and len(streams) <= _WATCHED_MAX:
            read = partial(self._store.read_streams, lane, after, self._batch_max, streams)
            # An id that the database can't take troubles the one who follows it, who reads it too, and nobody else.
            with suppress(ValueError, asyncpg.DataError):
                return await self._patiently(read, Batch(after, []))
        events = await self._read_lane(lane, after)
        return Batch(events[-1].id if events else after, events, is_whole=True)

    async def _come_to_the_end(self, lanes: frozenset[int]) -> None:
        """Pass over all events of those lanes of which nobody wants any."""
        for lane in lanes:
            if not self._roster.is_wanted(lane):
                position = await self._patiently(partial(self._store.position, lane), 0)
                if not self._roster.is_wanted(lane):  # Who joined meanwhile may have read what is stored before that.
                    self._roster.pass_over(lane, position)

    def _hinted(self, lane: int, position: int | None) -> None:
        """Wake the tail of a lane, unless it stands there already or nobody wants what there is."""
        if not self._roster.is_wanted(lane):
            return
        if position is None:
            self._hints[lane].set()
        elif position > self._roster.positions[lane]:
            # Most events come from this process, and the store is about to offer them without a read.
            asyncio.get_running_loop().call_later(_OFFER_SECONDS, self._wake_unless_there, lane, position)

    def _wake_unless_there(self, lane: int, position: int) -> None:
        if position > self._roster.positions[lane]:
            self._hints[lane].set()

    def _offered(self, announced: Announcement) -> None:
        """Hand over events that this process has appended, if they come next in their lane.

        After too many in one turn of the event loop the tail reads them instead, so that subscribers can empty their
        queues in between.
        """
        lane, position, events, _ = announced
        if not self._turn_events:
            asyncio.get_running_loop().call_soon(self._end_turn)
        self._turn_events += len(events)
        if self._turn_events > _TURN_OFFERED_MAX or position != self._roster.positions[lane] + 1:
            self._hints[lane].set()
            return
        for number, event in enumerate(events, position):
            self._roster.hand_over(
                lane,
                Notification(event.originator_id, event.originator_version, event.topic, event.state, number),
                own=True,
            )

    def _end_turn(self) -> None:
        self._turn_events = 0

    async def _read_lane(self, lane: int, after: int) -> list[Notification]:
        return await self._patiently(lambda: self._store.read_lane(lane, after, self._batch_max), [])

    async def _read_lane_history(self, lane: int, after: int) -> list[Notification]:
        async with self._history_reads:
            return await self._read_lane(lane, after)

    async def _read_stream_history(self, stream: str, after: int) -> list[StoredEvent]:
        async with self._history_reads:
            return await self._patiently(lambda: self._store.read_stream(stream, after), [])

    async def _patiently(self, read: Callable[[], Awaitable[Result]], at_the_end: Result) -> Result:
        """The result of a read, tried again until it succeeds; another result once the feed has ended."""
        while not self._roster.ended.is_set():
            try:
                async with asyncio.timeout(_READ_SECONDS_MAX):
                    return await read()
            except (
                ValueError
            ):  # The driver can't send a value, so no retry helps; asyncpg counts this as `PASSING` too.
                raise
            except _PASSING:
                await _wait(self._roster.ended, self._retry_seconds)
        return at_the_end


async def _wait(event: asyncio.Event, seconds_max: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds_max):
            await event.wait()
