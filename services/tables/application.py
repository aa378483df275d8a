"""Games in the store: a command is decided on the state, stored, and applied only once it is durable.

What is held in memory of a game is always how it stood at some version of the store, never ahead of it. It may be
behind, if another process plays the same game; then the store refuses the append, or the state refuses the command, and
what is missing is read before anything else is said.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

from eventsourcing.persistence import StoredEvent
from msgspec import Struct

from domain.commands import AnyCommand
from domain.deciding import decide
from domain.events import AnyEvent, DiceRerolled, Rolled
from domain.evolve import evolve, fold
from domain.naming import is_id, is_request_id
from domain.refusals import GameAlreadyExists, GameIdInvalid, Refusal, RequestIdInvalid, RequestIdReused
from domain.signing import SIGNED_EVENTS
from domain.state import NOTHING, Nothing, State
from domain.values import Value
from infra.events.evidence import Signed, first_digest
from infra.events.mapping import EventMapper, GameEvent
from infra.postgres.appending import Appended
from infra.postgres.failures import VersionConflict
from infra.postgres.store import EventStore

GAMES_MAX = 10_000
TRIES_MAX = 8


class Head(Value, frozen=True):
    """How far a game has come: its version, and the digests from its last event but rolls and rerolls on."""

    version: int
    digests: tuple[bytes, ...]

    @property
    def digest(self) -> bytes:
        """That of the last event."""
        return self.digests[-1]

    def digest_after(self, version: int) -> bytes | None:
        """That of a version, if nothing but rolls and rerolls has happened since."""
        back = self.version - version
        return self.digests[-1 - back] if 0 <= back < len(self.digests) else None

    def then(self, event: AnyEvent, digest: bytes) -> "Head":
        """The head after one more event."""
        quiet = isinstance(event, Rolled | DiceRerolled)
        return Head(self.version + 1, (*self.digests, digest) if quiet else (digest,))


Prepare: TypeAlias = Callable[[State, Head], AnyCommand]
"""Makes a command for the state and the head that it is decided on; it may refuse, as a decision may."""

Decide: TypeAlias = Callable[[State, Head], tuple[AnyEvent, ...]]
"""What is to happen to the state at the head; it may refuse."""


class Executed(Value, frozen=True):
    """What a command did, and how the game stands now: all that an answer and a watcher need to know."""

    game_id: str
    version: int
    """That of the last of the events."""
    events: tuple[AnyEvent, ...]
    digests: tuple[bytes, ...]
    """Those of the events."""
    state: State
    """The game after the events; if the same request was carried out before, the game as it is now."""
    head: Head
    """How far the game has come with that state."""
    repeated: bool = False
    """Whether the same request was carried out before."""

    @property
    def digest(self) -> bytes:
        """That of the last of the events."""
        return self.digests[-1]


class _Request(Struct, frozen=True):
    """Who asks, as the store knows it: a game's id holds no slash, so no two of them are the same."""

    game_id: str
    request_id: str
    fingerprint: bytes
    signed: Signed | None

    @property
    def key(self) -> str:
        return f"{self.game_id}/{self.request_id}"


class _Written(NamedTuple):
    """Events that were decided, as they are to be stored, and the head after them."""

    events: tuple[AnyEvent, ...]
    stored: list[StoredEvent]
    digests: tuple[bytes, ...]
    head: Head


class Game(Struct, eq=False):
    """A game that is held in memory, as of a version of the store."""

    turn: asyncio.Lock
    """Commands of one game are carried out one after the other."""
    head: Head
    state: State = NOTHING
    users: int = 0


class GameApplication:
    """Carries out commands on stored games, of which the recently used ones are kept in memory."""

    def __init__(self, store: EventStore, mapper: EventMapper, games_max: int = GAMES_MAX) -> None:
        """Use a store with a mapper that has the keys."""
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

        The fingerprint says what is asked for: the same request id with another one is refused. A signature is stored with
        the move that the command causes; `Prepare` has to say whether it is good.
        """
        return await self._carry_out(_Request(game_id, request_id, fingerprint, signed), partial(_decided, command))

    async def begin(
        self, game_id: str, events: tuple[AnyEvent, ...], request_id: str, *, fingerprint: bytes = b""
    ) -> Executed:
        """Begin a game with events that were decided elsewhere, once, however often the same request asks for it."""

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
        return tuple(self._mapper.to_domain_event(event).event for event in await self.stored(game_id, after))

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
        """Decide and append; if the store was ahead of the memory, catch up and decide again."""
        if not game.head.version:
            await self._catch_up(request.game_id, game)
        for _ in range(TRIES_MAX):
            try:
                written = self._written(game.head, deciding(game.state, game.head), request)
            except Refusal:
                if await self._catch_up(request.game_id, game):
                    continue
                done = await self._done_before(game, request)
                if done is None:
                    raise
                return done
            try:
                # If the caller goes away, what was decided is stored all the same.
                appended = await self._store.append(
                    written.stored, request.key, request.fingerprint, at_once=False, announces=False
                )
            except VersionConflict:
                await self._catch_up(request.game_id, game)
                continue
            if appended.outcome == "accepted":
                return self._applied(game, written, appended)
            await self._catch_up(request.game_id, game)
            return await self._repeated(game, request, appended)
        raise VersionConflict(streams=request.game_id)

    def _written(self, head: Head, events: tuple[AnyEvent, ...], request: _Request) -> _Written:
        """What is to be stored of events, each chained to the one before, and the head after them."""
        stored, digests, signed = [], [], request.signed
        for event in events:
            here = signed if isinstance(event, SIGNED_EVENTS) else None
            placed = GameEvent(request.game_id, head.version + 1, event, here, head.digest)
            one, digest = self._mapper.written(placed)
            assert digest is not None, "it has a digest because it names the one before"
            stored.append(one)
            digests.append(digest)
            head, signed = head.then(event, digest), None if here is not None else signed
        return _Written(events, stored, tuple(digests), head)

    def _applied(self, game: Game, written: _Written, appended: Appended) -> Executed:
        """What a command did, now that it is durable. Everybody in this process who listens hears of it here."""
        game.state, game.head = fold(written.events, game.state), written.head
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
        """The answer that a request got before: what is refused now may have been accepted then.

        A request that is accepted need not be looked up, because the store does it while appending.
        """
        known = await self._store.find_request(request.game_id, request.key)
        return None if known is None else await self._repeated(game, request, known)

    async def _repeated(self, game: Game, request: _Request, appended: Appended) -> Executed:
        stored = await self._store.read_appended(request.game_id, appended)
        of_this_game = all(notification.originator_id == request.game_id for notification in stored)
        if appended.fingerprint != request.fingerprint or not of_this_game:
            raise RequestIdReused(request_id=request.request_id)
        events = [self._mapper.to_domain_event(notification) for notification in stored]
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
        """Read what the store has beyond what is held; tell whether there was anything."""
        stored = await self.stored(game_id, game.head.version)
        for one in stored:
            event = self._mapper.to_domain_event(one)
            # What was stored before there were digests gets one here, so that the next event can be chained to it.
            digest = event.digest or self._mapper.digest(one, game.head.digest)
            game.state, game.head = evolve(game.state, event.event), game.head.then(event.event, digest)
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
        """Forget the games that were not used for longest, but none that somebody is using."""
        game.users -= 1
        excess = len(self._games) - self._games_max
        if excess <= 0:
            return
        idle = (game_id for game_id, held in self._games.items() if not held.users)
        for game_id in [found for _, found in zip(range(excess), idle, strict=False)]:
            del self._games[game_id]


def _decided(command: AnyCommand | Prepare, state: State, head: Head) -> tuple[AnyEvent, ...]:
    return decide(command(state, head) if callable(command) else command, state)
