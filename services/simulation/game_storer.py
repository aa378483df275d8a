"""Games that were played in memory, put into the store as if they had been played there.

A table and its chains are stored first, as a host does it. Then the whole game follows in one append: nobody ever finds
it half played, so nobody tries to move in it. Both appends are named after the game, so what is stored is not stored again.
"""

import asyncio
from collections.abc import Iterable, Sequence

from eventsourcing.persistence import StoredEvent
from msgspec.structs import replace

from domain.events import AnyEvent, PlayerJoined
from domain.values import Value
from infra.events.evidence import digest_of, first_digest
from infra.events.mapping import EventMapper, EventTranscoder, GameEvent
from infra.keys.key_ring import KeyRing
from infra.postgres.store import EventStore
from services.access.table_events import TABLE_TOPICS, AnyTableEvent, ChainKept, TableOpened, table_stream
from services.simulation.memory_table import MemoryTable

GAMES_AT_ONCE = 64
_REQUEST = "simulated"


class Stored(Value, frozen=True):
    """What was stored of some games, and when they are said to have been played."""

    games: int = 0
    events: int = 0
    known: int = 0
    """Games that were in the store before."""
    began_at: int = 0
    ended_at: int = 0


class Calendar:
    """When games are said to have been played: one after the other, from a time on or until now."""

    def __init__(self, since: int | None, now: int) -> None:
        """Without `since`, each game ends where the one before began and the first one ends now: nothing is yet to come."""
        self._forward = since is not None
        self.began_at = self.ended_at = now if since is None else since

    def begin(self, milliseconds: int) -> int:
        """When a game that lasts so long begins."""
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
        """How many events were stored of each game; none of one that was there before."""

    async def store(self, tables: Iterable[MemoryTable]) -> Stored:
        """Store games that are over, each while the next ones are still played."""
        under_way: set[asyncio.Task[int]] = set()
        try:
            for table in tables:
                began_at = self._calendar.begin(table.milliseconds)
                under_way.add(asyncio.create_task(self._store_game(table, began_at)))
                # To play keeps this thread busy; in between, what waits gets a turn.
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
        """Store a game and tell how many events that took."""
        stream = table_stream(table.game_id)
        around = [
            # The mapper knows the topics of tables, and its signature only those of games.
            self._table_mapper.to_stored_event(GameEvent(stream, version, event))  # type: ignore[arg-type]
            for version, event in enumerate(_table_events(table, began_at), 1)
        ]
        await self._store.append(around, f"{stream}:open", at_once=False)
        events = self._chained(table.game_id, [replace(event, at=event.at + began_at) for event in table.events])
        appended = await self._store.append(events, f"{table.game_id}/{_REQUEST}", at_once=False)
        return len(events) if appended.outcome == "accepted" else 0

    def _chained(self, game_id: str, events: Sequence[AnyEvent]) -> list[StoredEvent]:
        """What is stored of a whole game, each event with a digest over the one before."""
        digest, stored = first_digest(game_id), []
        for version, event in enumerate(events, 1):
            stored.append(self._mapper.to_stored_event(GameEvent(game_id, version, event, previous=digest)))
            digest = digest_of(stored[-1].state) or b""
        return stored

    def _stored(self) -> Stored:
        known = self._events.count(0)
        span = (self._calendar.began_at, self._calendar.ended_at)
        return Stored(len(self._events) - known, sum(self._events), known, *span)


def _table_events(table: MemoryTable, at: int) -> list[AnyTableEvent]:
    """A public table of its first player's, and the chains of all who leave theirs to the server."""
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
