"""A broadcast sends one game to all its watchers in this process.

It follows the game once, however many watch, and encodes each update once for all watchers who may see the same. It
holds the game at one version. A watcher enters between two updates, gets the game at that version, and then every later
update. There is no gap and no duplicate, because entering and showing the game happen without an `await` in between.
Mailboxes are bounded: the stream of a watcher who does not read ends, and the watcher can resume later.

Events arrive in two ways. Those that this process appends come directly from the command, together with the state after
them. Those that other processes append come from the feed, and are decoded and folded here. Versions alone bring both
ways into one order: the broadcast takes the events that follow its version, drops those that it has, and keeps early
ones until the gap closes. Every gap closes, because the feed brings all events that this process did not append.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple

from eventsourcing.persistence import StoredEvent

from domain.events import AnyEvent
from domain.evolve import fold
from domain.state import Ended, State
from domain.views import Viewer, seen_by
from infra.events.mapping import GameEvent
from infra.spans import span
from services.live.game import About, Encoder, Happened, WatchedGame
from services.live.refusals import ServerDraining
from services.live.watcher import Watcher
from services.tables.application import Executed
from services.tables.seats import viewer_of

if TYPE_CHECKING:
    from services.live.hub import Hub

_LOG = logging.getLogger(__name__)


class Broadcast(Generic[About]):
    """One game, live."""

    def __init__(self, hub: "Hub[About]", game: WatchedGame[About]) -> None:
        self._hub, self.game = hub, game
        self._encoder = hub.encoder
        self._watchers: set[Watcher] = set()
        self._connected: dict[str, int] = {}
        """The number of open streams of each player: a player counts as connected until the last one ends."""
        self._coming: dict[int, _Coming] = {}
        """Events that wait until the game has reached the version before them, by the version of the first event."""
        self._following = asyncio.create_task(self._follow())
        self._rematch: asyncio.Task[None] | None = None
        self._expect_rematch()

    def enter(self, watcher: Watcher) -> None:
        """Add a watcher, who gets every update after the present version."""
        self._connect(watcher.player_id, 1)
        self._watchers.add(watcher)
        watcher.mailbox.reached(self.game.version)

    def leave(self, watcher: Watcher) -> None:
        """Remove a watcher. When the last one leaves, the broadcast ends."""
        if watcher not in self._watchers:
            return
        self._watchers.remove(watcher)
        self._connect(watcher.player_id, -1)
        self.close_unless_watched()

    def close_unless_watched(self) -> None:
        """End the broadcast if nobody watches it."""
        if not self._watchers:
            self._following.cancel()
            if self._rematch is not None:
                self._rematch.cancel()
            self._hub.forget(self)

    def show(self, watcher: Watcher) -> None:
        """Send a watcher the whole game at the present version."""
        put_snapshot(
            watcher, self._encoder.snapshot(self.game, viewer_of(self.game.state, watcher.player_id)), self.game
        )

    def resume(self, watcher: Watcher, missed: Happened) -> None:
        """Send a watcher the events that it missed, and the rematch if there is one."""
        if missed.events:
            viewer = viewer_of(self.game.state, watcher.player_id)
            update = self._encoder.update(self.game, missed, viewer, include_game=watcher.include_game)
            put_update(watcher, update, self.game)
        elif watcher.until_end and isinstance(self.game.state, Ended):
            watcher.mailbox.finish()
        self._send_rematch(watcher)

    def executed(self, executed: Executed) -> None:
        """Take events that this process has appended, now or as soon as the events before them are here."""
        first = executed.version - len(executed.events) + 1
        self._coming[first] = _Coming(executed.events, executed.digests, executed.state)
        try:
            # In the trace of the command: the hub hands its context on.
            with span("broadcast", watchers=len(self._watchers)):
                self._advance()
        except Exception as error:  # noqa: BLE001 - the event loop would log the call with its arguments, hidden dice too
            self._fail(error)

    async def _follow(self) -> None:
        feed, game = self._hub.feed, self.game
        # If this process announces its own events, the feed need not bring them again.
        with feed.stream(game.game_id, game.version, foreign_only=self._hub.hears_own) as subscription:
            try:
                async for stored in subscription:
                    # All events that are ready become one update, so a watcher who is behind gets fewer messages.
                    for events in _runs((stored, *subscription.ready()), game.version):
                        decoded = [self._hub.source.decoded(one) for one in events]
                        digests = tuple(one.digest for one in decoded)
                        coming = _Coming(tuple(one.event for one in decoded), digests, None)
                        self._coming[events[0].originator_version] = coming
                    self._advance()
            except Exception as error:  # noqa: BLE001 - whatever it is, the watchers must not wait for ever
                self._fail(error)
            finally:
                self._end()

    def _fail(self, error: Exception) -> None:
        """End the broadcast after a fault of ours. Only the kind of the error is logged: its words may quote dice."""
        _LOG.error("game %s can't be followed any more (%s)", self.game.game_id, type(error).__name__)
        self._end()

    def _end(self) -> None:
        """Send the watchers away, because nothing more would come: they must connect again."""
        self._hub.forget(self)
        for watcher in tuple(self._watchers):
            watcher.mailbox.end(ServerDraining)

    def _advance(self) -> None:
        """Take all waiting events that follow without a gap."""
        game = self.game
        while (coming := self._coming.pop(game.version + 1, None)) is not None:
            self._take(coming)
        for version in [version for version in self._coming if version <= game.version]:
            # Commands of a game are announced in order, and the feed brings its events in order. So what begins before
            # the present version has come by the other way, as a whole.
            del self._coming[version]  # These events came in both ways.

    def _take(self, coming: "_Coming") -> None:
        """Move the game forward by some events, and send them to all watchers."""
        game, seats_before, version_before = self.game, self.game.connected_seats, self.game.version
        happened = Happened(game.state, coming.events, coming.digests)
        game.state = fold(coming.events, game.state) if coming.state is None else coming.state
        game.version, game.digest = version_before + len(coming.events), coming.digests[-1] or b""
        game.connected_seats = self._seats_connected()
        self._expect_rematch()
        self._send_to_all(happened, version_before)
        # A watcher who takes a seat was connected before, but only now there is a seat to name.
        for seat in game.connected_seats:
            if seat not in seats_before:
                self._send_connection(seat, connected=True)

    def _send_to_all(self, happened: Happened, version_before: int) -> None:
        game = self.game
        # Events without secrets look the same to everybody. Only then all watchers can share the same bytes.
        shared = all(seen_by(event, None) is event for event in happened.events)
        written: dict[tuple[Viewer | str, bool], bytes] = {}
        for watcher in tuple(self._watchers):
            viewer = viewer_of(game.state, watcher.player_id)
            if game.delay.applies_to(viewer):
                # This player has just given the seat back, and from here on sees the game as late as spectators do.
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
        # Only the first stream of a player that opens, and the last that closes, changes anything.
        if seat is not None and count == max(change, 0):
            self.game.connected_seats = self._seats_connected()
            self._send_connection(seat, connected=bool(count))

    def _send_connection(self, seat: int, *, connected: bool) -> None:
        content = self._encoder.connection(self.game.game_id, seat, connected=connected)
        for watcher in self._watchers:
            watcher.mailbox.put(watcher.wrapping.connection(content))

    def _expect_rematch(self) -> None:
        """Once a game is over, wait for its rematch, the only thing that can still happen."""
        if self._rematch is None and isinstance(self.game.state, Ended) and self.game.rematch_id is None:
            self._rematch = asyncio.create_task(self._await_rematch())

    async def _await_rematch(self) -> None:
        self.game.rematch_id = await self._hub.source.rematch(self.game)
        for watcher in self._watchers:
            self._send_rematch(watcher)

    def _send_rematch(self, watcher: Watcher) -> None:
        if self.game.rematch_id is not None:
            put_rematch(self._encoder, watcher, self.game.game_id, self.game.rematch_id)


class _Coming(NamedTuple):
    """Events that follow each other, and the state after them; None if it has still to be folded."""

    events: tuple[AnyEvent, ...]
    digests: tuple[bytes | None, ...]
    state: State | None


def _runs(stored: Iterable[StoredEvent], after: int) -> list[list[StoredEvent]]:
    """The events after a version, in runs without a gap. Gaps are events that this process has appended itself."""
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
    """Decoded events, with the state before them, in the form that encoders take."""
    return Happened(before, tuple(one.event for one in events), tuple(one.digest for one in events))


def put_snapshot(watcher: Watcher, content: bytes, game: WatchedGame[About]) -> None:
    """Put a whole game into a watcher's mailbox; it is the last message if the game is over and `until_end` is set."""
    watcher.mailbox.put(watcher.wrapping.snapshot(content), game.version)
    if watcher.until_end and isinstance(game.state, Ended):
        watcher.mailbox.finish()


def put_update(watcher: Watcher, content: bytes, game: WatchedGame[About]) -> None:
    """Put an update into a watcher's mailbox; it is the last message if the game is over and `until_end` is set."""
    watcher.mailbox.put(watcher.wrapping.update(content), game.version)
    if watcher.until_end and isinstance(game.state, Ended):
        watcher.mailbox.finish()


def put_rematch(encoder: Encoder[About], watcher: Watcher, game_id: str, rematch_id: str) -> None:
    """Put the id of the rematch into a watcher's mailbox."""
    watcher.mailbox.put(watcher.wrapping.rematch(encoder.rematch(game_id, rematch_id)))
