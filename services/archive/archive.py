"""Reading games: lists, records and replays, from the read models for ended games and from the events for others.

A read model may not have a game yet, because the game goes on or because the projector is behind. Then the archive reads
the game from its events, so that an answer about a single game is never out of date.
"""

from contextlib import suppress
from typing import Any, NamedTuple, Self

import asyncpg
import msgspec
from eventsourcing.persistence import StoredEvent

from domain.history.record import encode_record
from domain.history.replaying import replay_of
from domain.naming import is_id
from domain.refusals import NoSuchGame
from domain.values import Value
from infra.events.mapping import EventMapper, EventTranscoder
from infra.portions import collected
from infra.postgres.connections import PASSING, open_pool
from infra.postgres.lanes import lane_name, lane_of
from infra.postgres.queries import query
from infra.workers.job import ServerNeeded
from infra.workers.meter import touched
from services.access.sight import Protection, Sight
from services.access.table_events import TABLE_TOPICS, TableOpened, table_stream
from services.archive.kept_replays import KeptReplays, Replayed
from services.archive.listing import GameListing, Outcome, listing_of, recorded
from services.archive.seen import events_for, listed_for, with_covered_hands
from services.archive.steps import StoredSteps, decode_replay

_READERS_MAX = 8
_LISTINGS = msgspec.json.Decoder(GameListing)


class Wanted(Value, frozen=True, kw_only=True):
    """The filter for games. In lists the times are those of the creation, in exports those of the end."""

    player_id: str | None = None
    rulebook: str | None = None
    result: Outcome | None = None
    since: int | None = None
    until: int | None = None
    practice: bool | None = False
    """True for practice games only, False for none of them, None for all games."""


class Place(NamedTuple):
    """Where a page ended: the time and the id of its last game."""

    at: int
    game_id: str


class Record(Value, frozen=True):
    """A record as readers get it."""

    json: bytes
    final: bool
    """Whether it can't change any more."""
    public: bool = False
    """Whether every reader gets the same."""


class Archive:
    """The games of a store, for reading."""

    def __init__(
        self, pool: "asyncpg.Pool[Any]", lanes: int, mapper: EventMapper | None = None, rest_seconds: float = 0.0
    ) -> None:
        """Use `open`."""
        self.pool, self.lanes, self._rest_seconds = pool, lanes, rest_seconds
        self._has_keys, self._mapper = mapper is not None, mapper or EventMapper(EventTranscoder())
        self._tables = EventMapper(EventTranscoder(topics=TABLE_TOPICS))
        self._kept = KeptReplays()

    @classmethod
    async def open(
        cls,
        url: str,
        lanes: int,
        mapper: EventMapper | None = None,
        *,
        readers_max: int = _READERS_MAX,
        rest_seconds: float = 0.0,
    ) -> Self:
        """Read a store. With a mapper that has the keys, players also see their own dice of the current round.

        After each portion of a long game it rests so long, for the sake of others on the same event loop.
        """
        return cls(await open_pool(url, "liarsdice_reader", size_max=readers_max), lanes, mapper, rest_seconds)

    async def close(self) -> None:
        """Disconnect."""
        with suppress(*PASSING):
            await self.pool.close()

    async def games(self, wanted: Wanted, sight: Sight, limit: int, after: Place | None = None) -> list[GameListing]:
        """Games as lists show them, the newest first."""
        rows = await self.pool.fetch(query("list_games"), *parameters(wanted, sight, after), limit)
        return [listed_for(sight, _LISTINGS.decode(row["listing"])) for row in rows]

    async def game(self, game_id: str, sight: Sight) -> GameListing:
        """One game as lists show it."""
        stored = await self.pool.fetchval(query("find_listing"), _valid_id(game_id))
        listing = None if stored is None else _LISTINGS.decode(stored)
        if listing is None or listing.ended_at is None:  # The list may be behind; for one game we read the events.
            listing = (await self._read(game_id)).listing
        sight.check(listing.protection)
        return listed_for(sight, listing)

    async def record(self, game_id: str, sight: Sight) -> Record:
        """The record of a game: all of it if the game is over, otherwise its ended rounds."""
        row = await self.pool.fetchrow(query("find_record"), _valid_id(game_id))
        if row is not None and (game := _ended_protection(row, game_id, sight)):
            return Record(row["record"], final=True, public=game.is_public(sight.now))
        stored = await self._read(game_id)
        game = stored.listing.protection
        sight.check(game)
        json = encode_record(recorded(events_for(sight, stored.events, stored.listing), stored.listing))
        return Record(json, sight.sees_end(game), game.is_public(sight.now))

    async def replay(self, game_id: str, sight: Sight, *, own_dice: bool = False) -> Replayed:
        """The steps of a game, as far as the caller may see them; with `own_dice` also the caller's in the current round.

        A worker has no keys to those dice, and leaves such a replay to the server.
        """
        ended = await self._ended_replay(game_id, sight)
        if ended is not None:
            return ended
        kept = self._kept.find(game_id, sight, own_dice=own_dice)
        if kept is not None:
            return kept
        stored = await self._read(game_id)
        game = stored.listing.protection
        sight.check(game)
        needs_keys = own_dice and not self._has_keys
        if needs_keys and sight.seat_in(game) is not None and game.shown_at is None:
            raise ServerNeeded
        events = events_for(sight, stored.events, stored.listing)
        if needs_keys:
            events = with_covered_hands(events, len(stored.listing.seats))
        replay = replay_of(game_id, events, stored.digests[: len(events)])
        replayed = Replayed(replay, sight.sees_end(game), game.is_public(sight.now))
        return self._kept.keep(replayed, sight, own_dice=own_dice)

    async def _ended_replay(self, game_id: str, sight: Sight) -> Replayed | None:
        """The replay of an ended game; None if the caller may not know yet that it has ended."""
        kept = self._kept.find(_valid_id(game_id))
        row = await self.pool.fetchrow(query("find_replay" if kept is None else "find_replay_protection"), game_id)
        if row is None or not (game := _ended_protection(row, game_id, sight)):
            return None
        if kept is not None:
            return Replayed(kept.replay, final=True, public=game.is_public(sight.now))
        replay = decode_replay(game_id, StoredSteps(row["events"], row["digests"], row["odds"]))
        touched(len(replay.events))
        return self._kept.keep(Replayed(replay, final=True, public=game.is_public(sight.now)))

    async def known_until(self, game_id: str, sight: Sight) -> int | None:
        """The time up to which the caller may know what happened around a game; None if the caller may know all of it."""
        listing = await self.game(game_id, sight)
        return listing.delay.known_until(sight.seat_in(listing.protection), sight.now)

    async def stored(self, game_id: str) -> "ReadGame":
        """A game from its events, for those who check themselves who may see what of it."""
        return await self._read(_valid_id(game_id))

    async def _read(self, game_id: str) -> "ReadGame":
        streams = [game_id, table_stream(game_id)]
        rows = await self.pool.fetch(query("read_streams", lane_name(lane_of(game_id, self.lanes))), streams)
        touched(len(rows))
        of_game = [StoredEvent(*row) for row in rows if row["originator_id"] == game_id]
        events = await collected(map(self._mapper.to_domain_event, of_game), self._rest_seconds)
        opened = [
            self._tables.to_domain_event(StoredEvent(*row)).event for row in rows if row["originator_id"] != game_id
        ]
        if not events:
            raise NoSuchGame
        table = opened[0] if opened and isinstance(opened[0], TableOpened) else None
        plain = tuple(one.event for one in events)
        return ReadGame(plain, tuple(one.digest for one in events), listing_of(plain, table))


class ReadGame(NamedTuple):
    """A game as its events tell it, and as lists show it."""

    events: tuple[Any, ...]
    digests: tuple[bytes | None, ...]
    listing: GameListing


def _valid_id(game_id: str) -> str:
    if not is_id(game_id):
        raise NoSuchGame
    return game_id


def _ended_protection(row: asyncpg.Record, game_id: str, sight: Sight) -> Protection | None:
    """The protection of an ended game; None if the caller may not know yet that it has ended."""
    game = Protection(game_id, row["private"], row["owner_id"], tuple(row["player_ids"]), row["shown_at"])
    sight.check(game)
    return game if sight.sees_end(game) else None


def parameters(wanted: Wanted, sight: Sight, after: Place | None) -> tuple[Any, ...]:
    """What all queries for lists take first: the reader, the place where the page before ended, and the filters."""
    return (
        sight.caller.player_id,
        sight.reads_all,
        sight.now,
        *(after or (None, None)),
        wanted.player_id,
        wanted.rulebook,
        wanted.result,
        wanted.since,
        wanted.until,
        wanted.practice,
    )
