"""Puts games that were played in memory into the store, as if they had been played there.

It stores the table and its chains first, as a host does. Then the whole game follows in one append, so that nobody ever
finds a half-played game and tries to move in it. The request ids of both appends follow from the game's id, so that a
game is never stored twice.
"""

import asyncio
from collections.abc import Iterable, Sequence

from eventsourcing.persistence import StoredEvent

from domain.events import AnyEvent, PlayerJoined
from domain.values import Value
from infra.events.evidence import first_digest
from infra.events.mapping import EventMapper, EventTranscoder, GameEvent
from infra.keys.key_ring import KeyRing
from infra.postgres.store import EventStore
from services.access.table_events import TABLE_TOPICS, AnyTableEvent, ChainKept, TableOpened, table_stream
from services.simulation.memory_table import MemoryTable

GAMES_AT_ONCE = 64
_REQUEST = "simulated"


class Stored(Value, frozen=True):
    """How many games and events were stored, and the times that the games got."""

    games: int = 0
    events: int = 0
    known: int = 0
    """Games that were in the store before."""
    began_at: int = 0
    ended_at: int = 0


class Calendar:
    """Gives times to games: one game after the other, from a time on or until now."""

    def __init__(self, since: int | None, now: int) -> None:
        """Without `since` the games go backwards from now: the first ends now, the next ends where the first began."""
        self._forward = since is not None
        self.began_at = self.ended_at = now if since is None else since

    def date(self, table: MemoryTable) -> int:
        """The time at which a game began. A game that has none yet is the next one."""
        if table.began_at is None:
            table.began_at = self._begin(table.milliseconds)
        return table.began_at

    def _begin(self, milliseconds: int) -> int:
        if self._forward:
            self.ended_at += milliseconds
            return self.ended_at - milliseconds
        self.began_at -= milliseconds
        return self.began_at


class GameStorer:
    """Puts games into a store, many at a time."""

    def __init__(self, store: EventStore, keys: KeyRing, calendar: Calendar) -> None:
        self._store, self._calendar = store, calendar
        self._mapper = EventMapper(EventTranscoder(keys, must_open=True))
        self._table_mapper = EventMapper(EventTranscoder(keys, must_open=True, topics=TABLE_TOPICS))
        self._events: list[int] = []
        """How many events of each game were stored; 0 for a game that the store had before."""

    async def store(self, tables: Iterable[MemoryTable]) -> Stored:
        """Store ended games; each is stored while the next ones are being played."""
        under_way: set[asyncio.Task[int]] = set()
        try:
            for table in tables:
                under_way.add(asyncio.create_task(self._store_game(table, self._calendar.date(table))))
                # Playing keeps this thread busy, so give the waiting appends a turn.
                await asyncio.sleep(0)
                if len(under_way) >= GAMES_AT_ONCE:
                    done, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                    self._events += [task.result() for task in done]
            self._events += await asyncio.gather(*under_way)
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
        return self._stored()

    async def _store_game(self, table: MemoryTable, began_at: int) -> int:
        """Store a game, and return the number of its events."""
        stream = table_stream(table.game_id)
        around = [
            # This mapper is for the events of tables, but the type of the library's mapper says events of games.
            self._table_mapper.to_stored_event(GameEvent(stream, version, event))  # type: ignore[arg-type]
            for version, event in enumerate(_table_events(table, began_at), 1)
        ]
        await self._store.append(around, f"{stream}:open", at_once=False)
        events = self._chained(table.game_id, table.dated_events)
        appended = await self._store.append(events, f"{table.game_id}/{_REQUEST}", at_once=False)
        return len(events) if appended.outcome == "accepted" else 0

    def _chained(self, game_id: str, events: Sequence[AnyEvent]) -> list[StoredEvent]:
        """The stored events of a whole game, each with a digest that includes the digest before it."""
        digest, stored = first_digest(game_id), []
        for version, event in enumerate(events, 1):
            one, written = self._mapper.written(GameEvent(game_id, version, event, previous=digest))
            assert written is not None, "it names the digest before it"
            stored.append(one)
            digest = written
        return stored

    def _stored(self) -> Stored:
        known = self._events.count(0)
        span = (self._calendar.began_at, self._calendar.ended_at)
        return Stored(len(self._events) - known, sum(self._events), known, *span)


def _table_events(table: MemoryTable, at: int) -> list[AnyTableEvent]:
    """The events of a public table that its first player owns, with the chains of all players; the server keeps them."""
    players = [event for event in table.events if isinstance(event, PlayerJoined)]
    opened = TableOpened(
        at=at,
        owner_id=players[0].player_id,
        private=False,
        spectator_delay_seconds=0,
        rematch_of=None,
        seed=table.seeds[0],
        invitation_code=None,
    )
    seeds = zip(players, table.seeds[1:], strict=True)
    return [opened, *(ChainKept(at=at, player_id=player.player_id, seed=seed) for player, seed in seeds)]
