"""Live games: each game that somebody watches is followed once, and what happens is written once for all who see the same.

A broadcast holds a game as of a version. A watcher enters between two updates: it gets the game as it stands and then
every update after it, with no gap and no duplicate, because nothing is awaited between the two. Its mailbox is bounded; a
watcher who does not empty it is let go and can resume.

What this process appends itself comes to the broadcast as it was decided, with the state after it. What other processes
append comes from the feed, and is decoded and folded here. The two ways meet by version alone: events that follow the
version at which the broadcast stands are taken, events that were taken before are passed over, and events that come
too early wait. What must come before those is on its way, because the feed brings all that this process did not append.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple

from eventsourcing.persistence import StoredEvent

from domain.events import AnyEvent
from domain.evolve import fold
from domain.state import Ended, State
from domain.views import Viewer, seen_by
from infra.events.mapping import GameEvent
from services.live.game import About, Encoder, Happened, WatchedGame
from services.live.refusals import ServerDraining
from services.live.watcher import Watcher
from services.tables.application import Executed
from services.tables.seats import viewer_of

if TYPE_CHECKING:
    from services.live.hub import Hub


class Broadcast(Generic[About]):
    """One game, live."""

    def __init__(self, hub: "Hub[About]", game: WatchedGame[About]) -> None:
        self._hub, self.game = hub, game
        self._encoder = hub.encoder
        self._watchers: set[Watcher] = set()
        self._connected: dict[str, int] = {}
        """How often each player is connected."""
        self._coming: dict[int, _Coming] = {}
        """What waits until the game stands right before it, by the version of its first event."""
        self._following = asyncio.create_task(self._follow())
        self._rematch: asyncio.Task[None] | None = None
        self._expect_rematch()

    def enter(self, watcher: Watcher) -> None:
        """Follow the game from the version that it stands at."""
        self._connect(watcher.player_id, 1)
        self._watchers.add(watcher)
        watcher.mailbox.reached(self.game.version)

    def leave(self, watcher: Watcher) -> None:
        """Follow it no longer; the last one closes the door."""
        if watcher not in self._watchers:
            return
        self._watchers.remove(watcher)
        self._connect(watcher.player_id, -1)
        if not self._watchers:
            self._following.cancel()
            if self._rematch is not None:
                self._rematch.cancel()
            self._hub.forget(self)

    def show(self, watcher: Watcher) -> None:
        """Show a watcher how the game stands."""
        put_snapshot(
            watcher, self._encoder.snapshot(self.game, viewer_of(self.game.state, watcher.player_id)), self.game
        )

    def resume(self, watcher: Watcher, missed: Happened) -> None:
        """Give a watcher what happened up to now while it was away, and tell it of a rematch."""
        if missed.events:
            viewer = viewer_of(self.game.state, watcher.player_id)
            update = self._encoder.update(self.game, missed, viewer, include_game=watcher.include_game)
            put_update(watcher, update, self.game)
        elif watcher.until_end and isinstance(self.game.state, Ended):
            watcher.mailbox.finish()
        self._tell_rematch(watcher)

    def executed(self, executed: Executed) -> None:
        """Take what this process has appended, now or as soon as what came before it is there."""
        first = executed.version - len(executed.events) + 1
        self._coming[first] = _Coming(executed.events, executed.digests, executed.state)
        self._advance()

    async def _follow(self) -> None:
        feed, game = self._hub.feed, self.game
        with feed.stream(game.game_id, game.version, foreign_only=self._hub.hears_own) as subscription:
            try:
                async for stored in subscription:
                    for events in _runs((stored, *subscription.ready()), game.version):
                        decoded = [self._hub.source.decoded(one) for one in events]
                        digests = tuple(one.digest for one in decoded)
                        coming = _Coming(tuple(one.event for one in decoded), digests, None)
                        self._coming[events[0].originator_version] = coming
                    self._advance()
            finally:
                self._hub.forget(self)
                for watcher in tuple(self._watchers):
                    watcher.mailbox.end(ServerDraining)

    def _advance(self) -> None:
        """Take what follows, as far as it has come."""
        game = self.game
        while (coming := self._coming.pop(game.version + 1, None)) is not None:
            self._take(coming)
        for version in [version for version in self._coming if version <= game.version]:
            del self._coming[version]  # It came by both ways.

    def _take(self, coming: "_Coming") -> None:
        """Go on to a later state, and let all watchers know what has happened."""
        game, seats_before, version_before = self.game, self.game.connected_seats, self.game.version
        happened = Happened(game.state, coming.events, coming.digests)
        game.state = fold(coming.events, game.state) if coming.state is None else coming.state
        game.version, game.digest = version_before + len(coming.events), coming.digests[-1] or b""
        game.connected_seats = self._seats_connected()
        self._expect_rematch()
        self._tell_all(happened, version_before)
        for seat in game.connected_seats:
            if seat not in seats_before:
                self._tell_connection(seat, connected=True)

    def _tell_all(self, happened: Happened, version_before: int) -> None:
        game = self.game
        shared = all(seen_by(event, None) is event for event in happened.events)
        written: dict[tuple[Viewer | str, bool], bytes] = {}
        for watcher in tuple(self._watchers):
            viewer = viewer_of(game.state, watcher.player_id)
            if game.delay.applies_to(viewer):
                self.leave(watcher)
                watcher.unseated(version_before)
                continue
            key = ("all" if shared and not watcher.include_game else viewer, watcher.include_game)
            content = written.get(key)
            if content is None:
                include_game = watcher.include_game
                content = written[key] = self._encoder.update(game, happened, viewer, include_game=include_game)
            put_update(watcher, content, game)

    def _seats_connected(self) -> tuple[int, ...]:
        seats = (viewer_of(self.game.state, player_id) for player_id in self._connected)
        return tuple(sorted(seat for seat in seats if seat is not None))

    def _connect(self, player_id: str, change: int) -> None:
        count = self._connected.get(player_id, 0) + change
        if count:
            self._connected[player_id] = count
        else:
            self._connected.pop(player_id, None)
        seat = viewer_of(self.game.state, player_id)
        if seat is not None and count == max(change, 0):
            self.game.connected_seats = self._seats_connected()
            self._tell_connection(seat, connected=bool(count))

    def _tell_connection(self, seat: int, *, connected: bool) -> None:
        content = self._encoder.connection(self.game.game_id, seat, connected=connected)
        for watcher in self._watchers:
            watcher.mailbox.put(watcher.wrapping.connection(content))

    def _expect_rematch(self) -> None:
        """Once a game is over, what is still to come is in the stream of its table."""
        if self._rematch is None and isinstance(self.game.state, Ended) and self.game.rematch_id is None:
            self._rematch = asyncio.create_task(self._await_rematch())

    async def _await_rematch(self) -> None:
        self.game.rematch_id = await self._hub.source.rematch(self.game)
        for watcher in self._watchers:
            self._tell_rematch(watcher)

    def _tell_rematch(self, watcher: Watcher) -> None:
        if self.game.rematch_id is not None:
            tell_rematch(self._encoder, watcher, self.game.game_id, self.game.rematch_id)


class _Coming(NamedTuple):
    """Events that follow each other, and the state after them if it is known."""

    events: tuple[AnyEvent, ...]
    digests: tuple[bytes | None, ...]
    state: State | None


def _runs(stored: Iterable[StoredEvent], after: int) -> list[list[StoredEvent]]:
    """Events after a version, as runs without a gap: what this process appended itself may be missing between them."""
    runs: list[list[StoredEvent]] = []
    for one in stored:
        if one.originator_version <= after:
            continue
        if runs and runs[-1][-1].originator_version + 1 == one.originator_version:
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


def happened_of(before: State, events: Sequence[GameEvent]) -> Happened:
    """Decoded events as something that has happened."""
    return Happened(before, tuple(one.event for one in events), tuple(one.digest for one in events))


def put_snapshot(watcher: Watcher, content: bytes, game: WatchedGame[About]) -> None:
    """Put how a game stands into a watcher's mailbox, with the same end as an update."""
    watcher.mailbox.put(watcher.wrapping.snapshot(content), game.version)
    if watcher.until_end and isinstance(game.state, Ended):
        watcher.mailbox.finish()


def put_update(watcher: Watcher, content: bytes, game: WatchedGame[About]) -> None:
    """Put an update into a watcher's mailbox; where the watcher wants no more after the end, it is the last message."""
    watcher.mailbox.put(watcher.wrapping.update(content), game.version)
    if watcher.until_end and isinstance(game.state, Ended):
        watcher.mailbox.finish()


def tell_rematch(encoder: Encoder[About], watcher: Watcher, game_id: str, rematch_id: str) -> None:
    """Tell a watcher that there is a rematch."""
    watcher.mailbox.put(watcher.wrapping.rematch(encoder.rematch(game_id, rematch_id)))
