"""Live games: each game that somebody watches is followed once, and what happens is written once for all who see the same.

A broadcast holds a game as of a version. A watcher enters between two updates: it gets the game as it stands and then
every update after it, with no gap and no duplicate, because nothing is awaited between the two. Its mailbox is bounded;
one who does not empty it is let go and can resume.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from weakref import WeakValueDictionary

from eventsourcing.persistence import StoredEvent
from liarsdice.v1 import game_pb2, game_service_pb2
from msgspec.structs import replace

from domain.events import AnyEvent
from domain.evolve import fold
from domain.refusals import Refusal
from domain.state import Ended, Nothing, State
from domain.values import Value
from domain.views import Viewer
from infra.events.mapping import EventMapper, GameEvent
from infra.postgres.failures import StoreFailed
from infra.postgres.feed import Feed
from services.access.refusals import TokenInvalid
from services.access.table_events import RematchOpened, table_stream
from services.live.refusals import ServerDraining, WatcherTooSlow
from services.rpc.encoding import PLAY, WATCH, Wrapping, event_messages, game_message, same_for_all, wrapped
from services.tables.application import Head
from services.tables.host import GameHost, viewer_of
from services.tables.table_store import HostedTable
from services.wire.translation import timestamp

MAILBOX_MAX = 256
_REMATCH = {
    WATCH: game_service_pb2.WatchGameResponse.REMATCH_FIELD_NUMBER,
    PLAY: game_service_pb2.PlayResponse.REMATCH_FIELD_NUMBER,
}

Renew = Callable[[], Awaitable[None]]
"""Raises if the token of a call has lost its worth."""


class Mailbox:
    """Messages for one call, in order. It refuses to grow without bound."""

    __slots__ = ("_ended", "_finished", "_letters", "_of_one_game", "_wake", "told", "touched")

    def __init__(self, *, of_one_game: bool = True) -> None:
        self._of_one_game = of_one_game
        self._letters: deque[tuple[int, bytes]] = deque()
        self._wake: asyncio.Future[None] | None = None
        self._ended: type[Refusal] | None = None
        self._finished = False
        self.told = 0
        """The version up to which everything was taken out; 0 where several games share the mailbox, whose reader knows."""
        self.touched = False
        """Whether anything came since the last heartbeat."""

    def put(self, letter: bytes, version: int = 0) -> None:
        """Add a message."""
        if self._ended is not None:
            return
        if len(self._letters) >= MAILBOX_MAX:
            self.end(WatcherTooSlow)
        self._letters.append((version, letter))
        self.touched = True
        self._ring()

    def finish(self) -> None:
        """Nothing more is coming."""
        self._finished = True
        self._ring()

    def end(self, why: type[Refusal]) -> None:
        """After what is in it, whoever takes from it is told why there is no more."""
        self._ended = self._ended or why
        self._ring()

    async def take(self) -> bytes | None:
        """The next message, once there is one; None if nothing more is coming."""
        if not await self._wait():
            return None
        return self._taken()

    async def take_some(self, bytes_max: int) -> list[bytes]:
        """The next messages, as soon as there are any, up to so many bytes; none if nothing more is coming."""
        letters: list[bytes] = []
        if await self._wait():
            length = 0
            while self._letters and (not letters or length + len(self._letters[0][1]) <= bytes_max):
                letters.append(self._taken())
                length += len(letters[-1])
        return letters

    async def _wait(self) -> bool:
        """Until there is a message; False if nothing more is coming."""
        while not self._letters:
            if self._ended is not None:
                raise self._ended(**({"version": self.told} if self._of_one_game else {}))
            if self._finished:
                return False
            self._wake = asyncio.get_running_loop().create_future()
            await self._wake
        return True

    def _taken(self) -> bytes:
        version, letter = self._letters.popleft()
        self.reached(version)
        return letter

    def reached(self, version: int) -> None:
        """Note up to which version of its game everything is told."""
        if version and self._of_one_game:
            self.told = version

    def _ring(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)


class Watcher(Value, frozen=True, eq=False):
    """Someone who follows a game."""

    player_id: str
    mailbox: Mailbox
    include_game: bool
    wrapping: Wrapping
    unseated: Callable[[int], None]
    """Called where spectators see the game later, with the version up to which everything was told."""

    def tell_rematch(self, game_id: str, rematch_id: str) -> None:
        """Tell that there is a rematch."""
        message = game_service_pb2.RematchSetUp(game_id=game_id, rematch_id=rematch_id)
        self.mailbox.put(wrapped(_REMATCH[self.wrapping], message.SerializeToString()))


class Broadcast:
    """One game, live."""

    def __init__(self, hub: "Hub", table: HostedTable, state: State, head: Head) -> None:
        self._hub, self.table, self.state = hub, table, state
        self.version, self.digest = head.version, head.digest
        self.watchers: set[Watcher] = set()
        self.connected: dict[str, int] = {}
        self._task = asyncio.create_task(self._follow())
        self._rematch: asyncio.Task[None] | None = None
        self._expect_rematch()

    @property
    def connected_seats(self) -> list[int]:
        """The seats whose players are connected."""
        seats = (viewer_of(self.state, player_id) for player_id in self.connected)
        return sorted(seat for seat in seats if seat is not None)

    def enter(self, watcher: Watcher) -> None:
        """Follow the game from the version that it stands at."""
        self._connect(watcher.player_id, 1)
        self.watchers.add(watcher)
        watcher.mailbox.reached(self.version)

    def leave(self, watcher: Watcher) -> None:
        """Follow it no longer; the last one closes the door."""
        if watcher not in self.watchers:
            return
        self.watchers.remove(watcher)
        self._connect(watcher.player_id, -1)
        if not self.watchers:
            self._task.cancel()
            if self._rematch is not None:
                self._rematch.cancel()
            self._hub.forget(self)

    def game(self, viewer: Viewer) -> game_pb2.Game:
        """The game as a viewer sees it."""
        game = game_message(
            self.table, self.state, self.version, viewer, self.connected_seats, now=self._hub.host.now()
        )
        game.digest = self.digest
        return game

    def _connect(self, player_id: str, change: int) -> None:
        count = self.connected.get(player_id, 0) + change
        if count:
            self.connected[player_id] = count
        else:
            self.connected.pop(player_id, None)
        seat = viewer_of(self.state, player_id)
        if seat is not None and count == max(change, 0):
            self._tell_connection(seat, connected=bool(count))

    def _tell_connection(self, seat: int, *, connected: bool) -> None:
        message = game_service_pb2.ConnectionChanged(game_id=self.table.game_id, seat=seat, connected=connected)
        content = message.SerializeToString()
        for watcher in self.watchers:
            watcher.mailbox.put(wrapped(watcher.wrapping.connection, content))

    def tell_rematch(self, watcher: Watcher) -> None:
        """Tell that there is a rematch, if there is one."""
        if self.table.rematch_id is not None:
            watcher.tell_rematch(self.table.game_id, self.table.rematch_id)

    def _expect_rematch(self) -> None:
        """Once a game is over, what is still to come is in the stream of its table."""
        if self._rematch is None and isinstance(self.state, Ended) and self.table.rematch_id is None:
            self._rematch = asyncio.create_task(self._follow_table())

    async def _follow_table(self) -> None:
        rematch_id = await self._hub.rematch(self.table)
        if rematch_id is None:
            return
        self.table = replace(self.table, rematch_id=rematch_id)
        for watcher in self.watchers:
            self.tell_rematch(watcher)

    async def _follow(self) -> None:
        with self._hub.feed.stream(self.table.game_id, self.version) as subscription:
            try:
                async for stored in subscription:
                    happened = [self._hub.decoded(one) for one in (stored, *subscription.ready())]
                    self.digest = happened[-1].digest or b""
                    self._happened([one.event for one in happened])
            finally:
                self._hub.forget(self)
                for watcher in tuple(self.watchers):
                    watcher.mailbox.end(ServerDraining)

    def _happened(self, events: Sequence[AnyEvent]) -> None:
        seats_before, version_before = self.connected_seats, self.version
        self.state = fold(events, self.state)
        self.version += len(events)
        self._expect_rematch()
        written: dict[tuple[Viewer | str, bool], bytes] = {}
        shared = same_for_all(events)
        for watcher in tuple(self.watchers):
            viewer = viewer_of(self.state, watcher.player_id)
            if self.table.opened.delay.applies_to(viewer):
                self.leave(watcher)
                watcher.unseated(version_before)
                continue
            key = ("all" if shared and not watcher.include_game else viewer, watcher.include_game)
            content = written.get(key)
            if content is None:
                content = written[key] = self._update(events, viewer, include_game=watcher.include_game)
            watcher.mailbox.put(wrapped(watcher.wrapping.update, content), self.version)
        for seat in self.connected_seats:
            if seat not in seats_before:
                self._tell_connection(seat, connected=True)

    def _update(self, events: Sequence[AnyEvent], viewer: Viewer, *, include_game: bool) -> bytes:
        return game_service_pb2.GameUpdate(
            game_id=self.table.game_id,
            version=self.version,
            events=event_messages(events, self.version, viewer),
            game=self.game(viewer) if include_game else None,
            digest=self.digest,
        ).SerializeToString()


class Hub:
    """All games that somebody watches in this process."""

    def __init__(self, host: GameHost, feed: Feed, mapper: EventMapper, heartbeat_seconds: float = 15.0) -> None:
        self.host, self.feed, self._mapper = host, feed, mapper
        self._heartbeat_seconds = heartbeat_seconds
        self._broadcasts: dict[str, Broadcast] = {}
        self._opening: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """Held by those who wait for them, so that nobody opens a game twice."""
        self.mailboxes: dict[Mailbox, tuple[Callable[[], tuple[int, int]], Renew]] = {}
        self._beating: asyncio.Task[None] | None = None
        self.draining = False

    def start(self) -> None:
        """Begin to send heartbeats."""
        self._beating = asyncio.create_task(self._beat())

    async def close(self) -> None:
        """Tell everyone to come back later."""
        self.draining = True
        for mailbox in self.mailboxes:
            mailbox.end(ServerDraining)
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.gather(self._beating, return_exceptions=True)

    def attend(self, mailbox: Mailbox, beat: Callable[[], tuple[int, int]], renew: Renew) -> None:
        """Send heartbeats to a mailbox; `beat` tells their place in an answer, and the version.

        With each of them it is looked whether the call's token is still worth anything.
        """
        self.mailboxes[mailbox] = (beat, renew)
        if self.draining:
            mailbox.end(ServerDraining)

    async def enter(self, game_id: str, watcher: Watcher) -> Broadcast:
        """Follow a game that exists; nothing is awaited between finding its broadcast and entering it."""
        opening = self._opening.setdefault(game_id, asyncio.Lock())
        async with opening:
            broadcast = self._broadcasts.get(game_id)
            if broadcast is None:
                table = await self.host.tables.load(game_id)
                state, head = await self.host.games.load_head(game_id)
                assert not isinstance(state, Nothing)
                broadcast = self._broadcasts[game_id] = Broadcast(self, table, state, head)
            broadcast.enter(watcher)
        return broadcast

    async def rematch(self, table: HostedTable) -> str | None:
        """The rematch of a game that is over, as soon as there is one to look at; None if the server goes down before."""
        if table.rematch_id is not None:
            return table.rematch_id
        with self.feed.stream(table_stream(table.game_id), table.version) as subscription:
            async for stored in subscription:
                event = self.host.tables.decoded(stored)
                if isinstance(event, RematchOpened):
                    break
            else:
                return None
        with self.feed.stream(event.game_id) as promised:
            await anext(promised)  # From here on the table that was promised can be looked at.
        return event.game_id

    def connected(self, game_id: str) -> list[int]:
        """The seats of a game whose players are connected to this process."""
        broadcast = self._broadcasts.get(game_id)
        return [] if broadcast is None else broadcast.connected_seats

    def forget(self, broadcast: Broadcast) -> None:
        """Nobody watches this game any more."""
        if self._broadcasts.get(broadcast.table.game_id) is broadcast:
            del self._broadcasts[broadcast.table.game_id]

    def decoded(self, stored: StoredEvent) -> GameEvent:
        """The event that was stored."""
        return self._mapper.to_domain_event(stored)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._heartbeat_seconds)
            now = timestamp(time.time_ns() // 1_000_000)
            for mailbox, (of_call, renew) in tuple(self.mailboxes.items()):
                await _end_unless_renewed(mailbox, renew)
                if not mailbox.touched:
                    field, version = of_call()
                    beat = game_service_pb2.Heartbeat(at=now, version=version)
                    mailbox.put(wrapped(field, beat.SerializeToString()))
                mailbox.touched = False


async def _end_unless_renewed(mailbox: Mailbox, renew: Renew) -> None:
    try:
        await renew()
    except TokenInvalid:
        mailbox.end(TokenInvalid)
    except StoreFailed:
        pass  # Whether it is still worth something can't be told now; the next heartbeat asks again.
