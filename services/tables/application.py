"""Carries out commands on games: decides them on the state in memory, stores the events, then applies them.

The game in memory is the game at some version of the store, never ahead of it. It may be behind, if another process
plays the same game. Then either the store refuses the append or the old state refuses the command. In both cases we
read the missing events and decide again, so no caller gets a refusal that only an old state explains.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

from eventsourcing.persistence import StoredEvent
from msgspec import Struct
from msgspec.structs import replace

from domain.commands import AnyCommand
from domain.events import AnyEvent, DiceRerolled, Rolled
from domain.evolve import evolve
from domain.naming import is_id, is_request_id
from domain.refusals import GameAlreadyExists, GameIdInvalid, Refusal, RequestIdInvalid, RequestIdReused
from domain.signing import SIGNED_EVENTS
from domain.state import NOTHING, Nothing, State
from domain.values import Value
from infra.events.evidence import Signed, first_digest
from infra.events.mapping import EventMapper, GameEvent
from infra.portions import collected, in_portions
from infra.postgres.appended import Appended
from infra.postgres.failures import VersionConflict
from infra.postgres.store import EventStore
from infra.spans import span
from services.tables.game_length import decided

GAMES_MAX = 10_000
TRIES_MAX = 8


class Head(Value, frozen=True):
    """How far a game has come: its version, and digests of its last events.

    The digests begin with the last event that is neither a roll nor a reroll, and end with the last event. A signed
    move names the version that its player saw. Rolls and rerolls that come in between do not make the signature stale,
    so we keep their digests too.
    """

    version: int
    digests: tuple[bytes, ...]
    at: int = 0
    """The time of the last event. No event gets an earlier one, even if the clock was set back or another process has
    a clock that is ahead."""

    @property
    def digest(self) -> bytes:
        """The digest of the last event."""
        return self.digests[-1]

    def digest_after(self, version: int) -> bytes | None:
        """The digest of the event at a version; None if anything but rolls and rerolls has happened since."""
        back = self.version - version
        return self.digests[-1 - back] if 0 <= back < len(self.digests) else None

    def then(self, event: AnyEvent, digest: bytes) -> "Head":
        """The head after one more event."""
        quiet = isinstance(event, Rolled | DiceRerolled)
        return Head(self.version + 1, (*self.digests, digest) if quiet else (digest,), max(self.at, event.at))


Prepare: TypeAlias = Callable[[State, Head], AnyCommand]
"""Makes the command from the state and the head that it is then decided on. It may raise a refusal."""

Decide: TypeAlias = Callable[[State, Head], tuple[AnyEvent, ...]]
"""Returns the events that follow from the state at the head. It may raise a refusal."""


class Executed(Value, frozen=True):
    """What a command did, and the game after it: an answer and a watcher need nothing else."""

    game_id: str
    version: int
    """The version after the last of the events."""
    events: tuple[AnyEvent, ...]
    digests: tuple[bytes, ...]
    """The digest of each event."""
    state: State
    """The game after the events; for a repeated request, the game as it is now."""
    head: Head
    """The head that belongs to that state."""
    repeated: bool = False
    """Whether the same request was carried out before."""

    @property
    def digest(self) -> bytes:
        """The digest of the last of the events."""
        return self.digests[-1]


class _Request(Struct, frozen=True):
    """A request to change a game. Its key is unique in the store, because the id of a game has no slash."""

    game_id: str
    request_id: str
    fingerprint: bytes
    signed: Signed | None

    @property
    def key(self) -> str:
        return f"{self.game_id}/{self.request_id}"


class _Written(NamedTuple):
    """Decided events, the same events in stored form, and the game after them."""

    events: tuple[AnyEvent, ...]
    stored: list[StoredEvent]
    digests: tuple[bytes, ...]
    state: State
    head: Head


class Game(Struct, eq=False):
    """A game in memory, at a version of the store."""

    turn: asyncio.Lock
    """Only one command of a game runs at a time: the next one must see the state that this one leaves."""
    head: Head
    state: State = NOTHING
    users: int = 0


class GameApplication:
    """Carries out commands on stored games, and keeps the recently used games in memory."""

    def __init__(self, store: EventStore, mapper: EventMapper, games_max: int = GAMES_MAX) -> None:
        """The mapper needs the keys, because a decision needs the hidden dice."""
        self._store, self._mapper = store, mapper
        self._games: OrderedDict[str, Game] = OrderedDict()
        self._games_max = games_max

    @property
    def games_held(self) -> int:
        """How many games are in memory."""
        return len(self._games)

    async def execute(
        self,
        game_id: str,
        command: AnyCommand | Prepare,
        request_id: str,
        *,
        fingerprint: bytes = b"",
        signed: Signed | None = None,
    ) -> Executed:
        """Carry out a command once, however often the same request asks for it.

        The fingerprint stands for the content of the request: the same request id with another one is refused. A
        signature is stored with the move that it belongs to. `Prepare` has to check it; nothing here does.
        """
        return await self._carry_out(_Request(game_id, request_id, fingerprint, signed), partial(_decided, command))

    async def begin(
        self, game_id: str, events: tuple[AnyEvent, ...], request_id: str, *, fingerprint: bytes = b""
    ) -> Executed:
        """Begin a game with events that somebody else has decided. The same request begins it only once."""

        def beginning(state: State, _head: Head) -> tuple[AnyEvent, ...]:
            if not isinstance(state, Nothing):
                raise GameAlreadyExists(game_id=game_id)
            return events

        return await self._carry_out(_Request(game_id, request_id, fingerprint, None), beginning)

    def held(self, game_id: str) -> tuple[State, int] | None:
        """The state of a game as held in memory and its version, or None. It may be older than the store."""
        game = self._games.get(game_id)
        return (game.state, game.head.version) if game is not None and game.head.version else None

    async def load(self, game_id: str) -> tuple[State, int]:
        """The state of a game as the store has it now, and its version."""
        state, head = await self.load_head(game_id)
        return state, head.version

    async def load_head(self, game_id: str) -> tuple[State, Head]:
        """The state of a game as the store has it now, and its head."""
        game = self._hold(game_id)
        try:
            async with game.turn:
                await self._catch_up(game_id, game)
                return game.state, game.head
        finally:
            self._release(game)

    async def events(self, game_id: str, after: int = 0) -> tuple[AnyEvent, ...]:
        """The events of a game after a version."""
        stored = await self.stored(game_id, after)
        return tuple(await collected(self._mapper.to_domain_event(event).event for event in stored))

    async def stored(self, game_id: str, after: int = 0) -> list[StoredEvent]:
        """The events of a game after a version, as they are stored."""
        return await self._store.read_stream(game_id, after)

    async def _carry_out(self, request: _Request, deciding: Decide) -> Executed:
        if not is_request_id(request.request_id):
            raise RequestIdInvalid(request_id=request.request_id)
        game = self._hold(request.game_id)
        try:
            async with game.turn:
                return await self._in_turn(game, request, deciding)
        finally:
            self._release(game)

    async def _in_turn(self, game: Game, request: _Request, deciding: Decide) -> Executed:
        """Decide and append; if the store is ahead of the memory, catch up and decide again."""
        if not game.head.version:
            await self._catch_up(request.game_id, game)
        for _ in range(TRIES_MAX):
            try:
                with span("decide"):
                    written = await self._written(game, deciding(game.state, game.head), request)
            except Refusal:
                # The state may be old. A refusal counts only if the store has nothing newer.
                if await self._catch_up(request.game_id, game):
                    continue
                done = await self._done_before(game, request)
                if done is None:
                    raise
                return done
            try:
                # If the caller goes away now, the store still writes these events. It announces nothing by itself,
                # because listeners get the events together with the state after them, from `_applied`.
                with span("append", events=len(written.stored)):
                    appended = await self._store.append(
                        written.stored, request.key, request.fingerprint, at_once=False, announces=False
                    )
            except VersionConflict:
                # Another process was faster. Its events may change what this command means, so decide again.
                await self._catch_up(request.game_id, game)
                continue
            if appended.outcome == "accepted":
                return self._applied(game, written, appended)
            await self._catch_up(request.game_id, game)
            return await self._repeated(game, request, appended)
        raise VersionConflict(streams=request.game_id)

    async def _written(self, game: Game, events: tuple[AnyEvent, ...], request: _Request) -> _Written:
        """The events in stored form, each chained to the one before, and the game after them."""
        state, head = game.state, game.head
        stored, digests, signed = [], [], request.signed
        async for event in in_portions(events):
            # The signature belongs to the move itself, not to what follows from it.
            here = signed if isinstance(event, SIGNED_EVENTS) else None
            placed = GameEvent(request.game_id, head.version + 1, event, here, head.digest)
            one, digest = self._mapper.written(placed)
            assert digest is not None, "it has a digest because it names the one before"
            stored.append(one)
            digests.append(digest)
            state, head = evolve(state, event), head.then(event, digest)
            signed = None if here is not None else signed
        return _Written(events, stored, tuple(digests), state, head)

    def _applied(self, game: Game, written: _Written, appended: Appended) -> Executed:
        """Apply stored events to the game in memory, and announce them to all listeners in this process."""
        game.state, game.head = written.state, written.head
        executed = Executed(
            str(written.stored[0].originator_id),
            written.head.version,
            written.events,
            written.digests,
            game.state,
            written.head,
        )
        self._store.announce(appended, written.stored, executed)
        return executed

    async def _done_before(self, game: Game, request: _Request) -> Executed | None:
        """The answer that this request got before, or None: a command that is refused now may have been accepted then.

        Only refused requests are looked up here. The store itself recognises an accepted one while it appends.
        """
        known = await self._store.find_request(request.game_id, request.key)
        return None if known is None else await self._repeated(game, request, known)

    async def _repeated(self, game: Game, request: _Request, appended: Appended) -> Executed:
        stored = await self._store.read_appended(request.game_id, appended)
        of_this_game = all(notification.originator_id == request.game_id for notification in stored)
        if appended.fingerprint != request.fingerprint or not of_this_game:
            raise RequestIdReused(request_id=request.request_id)
        events = await collected(self._mapper.to_domain_event(notification) for notification in stored)
        return Executed(
            request.game_id,
            events[-1].originator_version,
            tuple(event.event for event in events),
            tuple(event.digest or b"" for event in events),
            game.state,
            game.head,
            repeated=True,
        )

    async def _catch_up(self, game_id: str, game: Game) -> bool:
        """Read the events that the game in memory lacks; returns whether there were any."""
        stored = await self.stored(game_id, game.head.version)
        state, head = game.state, game.head
        async for one in in_portions(stored):
            event = self._mapper.to_domain_event(one)
            # Events from before there were digests get one here, so that the next event can be chained to them.
            digest = event.digest or self._mapper.digest(one, head.digest)
            state, head = evolve(state, event.event), head.then(event.event, digest)
        # Only now: `held` must not show a state between two events of one command.
        game.state, game.head = state, head
        return bool(stored)

    def _hold(self, game_id: str) -> Game:
        if not is_id(game_id):
            raise GameIdInvalid(game_id=game_id)
        game = self._games.get(game_id)
        if game is None:
            game = self._games[game_id] = Game(asyncio.Lock(), Head(0, (first_digest(game_id),)))
        self._games.move_to_end(game_id)
        game.users += 1
        return game

    def _release(self, game: Game) -> None:
        """Stop using a game. If there are too many games, forget the least recently used ones that nobody uses."""
        # A game in use must stay: a second object for the same game would have a lock of its own.
        game.users -= 1
        excess = len(self._games) - self._games_max
        if excess <= 0:
            return
        idle = (game_id for game_id, held in self._games.items() if not held.users)
        for game_id in [found for _, found in zip(range(excess), idle, strict=False)]:
            del self._games[game_id]


def _decided(command: AnyCommand | Prepare, state: State, head: Head) -> tuple[AnyEvent, ...]:
    ready = command(state, head) if callable(command) else command
    if ready.at < head.at:
        ready = replace(ready, at=head.at)
    return decided(ready, state, head.version)
