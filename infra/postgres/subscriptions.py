"""Subscriptions to the feed: first what is stored, then what is new, with no gap and no duplicate between the two.

A subscription goes through three steps:

1. Far behind, it reads the store at its own pace. It is not on the roster yet, so no events pile up for it.
2. Near the tail, it joins the roster. From this moment the tail puts each event it hands over into the subscription's
   queue. Only then does it read what is still missing up to the tail's position at the moment of joining.
3. Caught up, it takes events from its queue.

No gap: all that the tail had handed over before the joining was committed before the read of step 2 began, so the read
finds it. No duplicate: what that read finds beyond the tail's position comes again through the queue, and the subscription
skips it there by its position. This works because everything happens on one event loop, with no `await` between looking
at the tail's position and joining.

A full queue ends its subscription: it leaves the roster, its reader still gets the events that are in the queue, and then
`SubscriberTooSlow`, which says where to resume. So a slow reader costs a bounded amount of memory, and neither the tail
nor another reader ever waits for it.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, Self, TypeAlias, TypeVar

from eventsourcing.persistence import Notification, StoredEvent

from infra.postgres.failures import StoreFailed
from infra.postgres.lanes import lane_of

Event = TypeVar("Event", bound=StoredEvent)
ReadStream: TypeAlias = "Callable[[str, int], Awaitable[list[StoredEvent]]]"
ReadLane: TypeAlias = "Callable[[int, int], Awaitable[list[Notification]]]"
Refresh: TypeAlias = "Callable[[frozenset[int]], Awaitable[None]]"
"""Lets the tail come to the end of lanes that nobody wants: it stands still there."""


class SubscriberTooSlow(StoreFailed):
    """This subscriber was too slow, so its subscription ended. It has everything up to {received} and can resume there."""

    def __init__(self, received: int | tuple[int, ...]) -> None:
        """Keep the version of the stream, or the position of each lane, that was received last."""
        self.received = received
        super().__init__(received=received)


class PositionsIncomplete(StoreFailed):
    """To follow a store with {lanes} lanes give {lanes} positions, one for each lane, not {given}."""


class FeedClosed(StoreFailed):
    """The feed is closed."""


class FeedFailed(StoreFailed):
    """The feed has stopped because of a fault that waiting can't repair ({problem})."""


class Roster:
    """The subscriptions that get new events, and how far the tail has come in each lane.

    The tail need not read what nobody here wants. Who joins later reads what is stored first, so that nothing is missing.
    """

    def __init__(self, positions: Sequence[int]) -> None:
        self.positions = list(positions)
        self.streams: list[dict[str, set[StreamSubscription]]] = [{} for _ in positions]
        """For each lane, those who follow one of its streams."""
        self.everything: set[StoreSubscription] = set()
        self.joins = 0
        """How often anybody has joined. What was read for fewer wants may leave out what those want who joined since."""
        self.passers: list[Callable[[int, Notification], None]] = []
        """Functions that get every event as it passes, with its lane. They must be quick."""
        self.ended = asyncio.Event()
        self.problem: str | None = None

    def hand_over(self, lane: int, notification: Notification, *, own: bool = False) -> None:
        """Put the next event of a lane into the queues of its subscriptions; this never waits for any of them.

        `own` says that this process has appended it.
        """
        if notification.id <= self.positions[lane]:
            return  # The store offered this event while the tail was reading it.
        assert notification.id == self.positions[lane] + 1, "positions of a lane have no gaps"
        self.positions[lane] = notification.id
        # Copies, because a subscription with a full queue leaves the roster in the middle of the loop.
        for follower in tuple(self.streams[lane].get(str(notification.originator_id), ())):
            if not (own and follower.foreign_only):
                follower.offer(lane, notification)
        for subscriber in tuple(self.everything):
            if lane in subscriber.lanes:
                subscriber.offer(lane, notification)
        for passer in self.passers:
            passer(lane, notification)

    def pass_over(self, lane: int, position: int) -> None:
        """Note that nobody here wants the events of a lane up to a position."""
        self.positions[lane] = max(self.positions[lane], position)

    def wants_all(self, lane: int) -> bool:
        """Whether somebody wants all events of a lane."""
        return bool(self.passers) or any(lane in subscriber.lanes for subscriber in self.everything)

    def is_wanted(self, lane: int) -> bool:
        """Whether somebody wants any event of a lane."""
        return bool(self.streams[lane]) or self.wants_all(lane)

    def end(self, problem: str | None = None) -> None:
        """End all subscriptions, also those that are still reading the store."""
        if self.ended.is_set():
            return
        self.problem = problem
        self.ended.set()
        for follower in [one for streams in self.streams for followers in streams.values() for one in followers]:
            follower.close()
        for subscriber in tuple(self.everything):
            subscriber.close()


class Subscription(ABC, Generic[Event]):
    """Events in order, for one reader: `async for event in subscription`.

    A reader may stop waiting (be cancelled) and come back without losing an event. A reader that leaves for good closes
    the subscription, or uses it in a `with` block.
    """

    def __init__(self, roster: Roster, queue_max: int) -> None:
        self._roster = roster
        # Each event with the lane that it was read from: the reader's position counts in that lane, even if a damaged
        # store holds an event of a stream that belongs to another lane.
        self._history: deque[tuple[int, Event]] = deque()
        self._queue: deque[tuple[int, Event]] = deque()
        self._queue_max = queue_max
        self._wake = asyncio.Event()
        self._caught_up = self._dropped = self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        while True:
            self._check_open()
            if self._history:
                lane, event = self._history.popleft()
            elif not self._caught_up:
                await self._catch_up()
                continue
            elif self._queue:
                lane, event = self._queue.popleft()
            else:
                await self._wait()
                continue
            if self._receive(lane, event):
                return event

    def ready(self) -> list[Event]:
        """The next events that are here already; this never waits."""
        source = self._history or (self._queue if self._caught_up else deque())
        events = [event for lane, event in source if self._receive(lane, event)]
        source.clear()
        return events

    def offer(self, lane: int, event: Event) -> None:
        """Take an event of a lane from the tail, or leave the roster if the queue is full."""
        if len(self._queue) >= self._queue_max:
            self._dropped = True
            self._leave()
        else:
            self._queue.append((lane, event))
        self._wake.set()

    def close(self) -> None:
        """Receive nothing more."""
        self._closed = True
        self._leave()
        self._history.clear()
        self._queue.clear()
        self._wake.set()

    def _check_open(self) -> None:
        if self._roster.problem is not None:
            raise FeedFailed(problem=self._roster.problem)
        if self._closed or self._roster.ended.is_set():
            raise StopAsyncIteration

    async def _wait(self) -> None:
        if self._dropped:
            raise SubscriberTooSlow(self.received)
        self._wake.clear()
        await self._wake.wait()

    @property
    @abstractmethod
    def received(self) -> int | tuple[int, ...]:
        """The last version or positions received; another subscription can go on from there with `after`."""

    @abstractmethod
    async def _catch_up(self) -> None:
        """Read the next stored events into the history, or note that there are no more."""

    @abstractmethod
    def _receive(self, lane: int, event: Event) -> bool:
        """Note that the reader has an event; returns False if it had it before."""

    @abstractmethod
    def _leave(self) -> None:
        """Leave the roster."""


class StreamSubscription(Subscription[StoredEvent]):
    """The events of one stream after a version."""

    def __init__(
        self, roster: Roster, queue_max: int, read: ReadStream, stream: str, after: int, *, foreign_only: bool = False
    ) -> None:
        super().__init__(roster, queue_max)
        self._read, self._stream, self._received = read, stream, after
        self._lane = lane_of(stream, len(roster.positions))
        self.foreign_only = foreign_only

    @property
    def received(self) -> int:
        """The version received last."""
        return self._received

    async def _catch_up(self) -> None:
        # First join, then read (step 2 of the module's docstring). A reader that was cancelled during the read is on the
        # roster already; it reads again when it comes back.
        if not self._dropped:
            self._roster.streams[self._lane].setdefault(self._stream, set()).add(self)
            self._roster.joins += 1
        events = await self._read(self._stream, self._received)
        if not self._closed:
            self._history.extend((self._lane, event) for event in events)
            self._caught_up = True

    def _receive(self, _lane: int, event: StoredEvent) -> bool:
        if event.originator_version <= self._received:
            return False
        self._received = event.originator_version
        return True

    def _leave(self) -> None:
        streams = self._roster.streams[self._lane]
        followers = streams.get(self._stream, set())
        followers.discard(self)
        if not followers:
            streams.pop(self._stream, None)


class StoreSubscription(Subscription[Notification]):
    """The events of some lanes after a position in each: in order within a lane, with the lanes mixed as events come."""

    def __init__(
        self,
        roster: Roster,
        queue_max: int,
        read: ReadLane,
        refresh: Refresh,
        after: Sequence[int],
        *,
        near: int,
        lanes: frozenset[int],
    ) -> None:
        """`near` is how many positions each lane may be behind when the subscription joins the roster."""
        if len(after) != len(roster.positions):
            raise PositionsIncomplete(lanes=len(roster.positions), given=len(after))
        super().__init__(roster, queue_max)
        self.lanes = lanes
        self._read, self._refresh, self._near, self._received = read, refresh, near, list(after)
        self._goals: tuple[int, ...] | None = None
        """The tail's positions when this joined the roster; None before that."""

    @property
    def received(self) -> tuple[int, ...]:
        """The position received last in each lane."""
        return tuple(self._received)

    async def _catch_up(self) -> None:
        if self._goals is None:
            await self._refresh(self.lanes)
        # No `await` between looking at the positions and joining, or an event could slip through in between.
        if self._goals is None and not self._lanes_behind(self._roster.positions, self._near):
            self._roster.everything.add(self)
            self._roster.joins += 1
            self._goals = tuple(self._roster.positions)
        goals, near = (self._roster.positions, self._near) if self._goals is None else (self._goals, 0)
        behind = self._lanes_behind(goals, near)
        if not behind:
            self._caught_up = True
            return
        events = await self._read(behind[0], self._received[behind[0]])
        if not self._closed and not self._roster.ended.is_set():
            assert events, "the store has every event that the tail has handed over"
            self._history.extend((behind[0], event) for event in events)

    def _lanes_behind(self, goals: Sequence[int], near: int) -> list[int]:
        return [lane for lane in self.lanes if goals[lane] - self._received[lane] > near]

    def _receive(self, lane: int, event: Notification) -> bool:
        if event.id <= self._received[lane]:
            return False
        assert event.id == self._received[lane] + 1, "no event between the last one and this one is missing"
        self._received[lane] = event.id
        return True

    def _leave(self) -> None:
        self._roster.everything.discard(self)
