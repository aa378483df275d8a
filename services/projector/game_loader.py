"""Loads whole games and clubs for the projector, from the rows of their events and without any key."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import asyncpg

from domain.history.replaying import revealed
from infra.events.mapping import read_without_keys
from services.access.table_events import TABLE_TOPICS, TableOpened, table_stream
from services.archive.listing import listing_of
from services.clubs.club import Club, club_of
from services.clubs.club_events import CLUB_TOPICS, club_stream
from services.projector.projection import StoredGame

Streams = Mapping[str, Sequence[asyncpg.Record]]
"""The rows of streams, by the names of the streams."""


def streams_of(game_ids: Iterable[str]) -> list[str]:
    """The streams with the events of games, or of clubs that have these ids."""
    return [stream for game_id in game_ids for stream in (game_id, table_stream(game_id), club_stream(game_id))]


def games_of(game_ids: Iterable[str], streams: Streams, lane: int) -> Iterator[StoredGame]:
    """Games in the order of their ids, without those that are not games of this program."""
    for game_id in game_ids:
        if game_id in streams:
            yield _game(game_id, streams[game_id], streams.get(table_stream(game_id), ()), lane)


def clubs_of(club_ids: Iterable[str], streams: Streams) -> Iterator[Club]:
    """Clubs in the order of their ids, without those that are games."""
    for club_id in club_ids:
        stored = streams.get(club_stream(club_id), ())
        events = [read_without_keys(topic, state, CLUB_TOPICS)[0] for _, _, topic, state, _ in stored]
        club = club_of(club_id, events)  # type: ignore[arg-type]  # these topics are those of clubs
        if club is not None:
            yield club


def _game(game_id: str, stored: Sequence[asyncpg.Record], table: Sequence[asyncpg.Record], lane: int) -> StoredGame:
    """A game from the rows of its streams."""
    read = [read_without_keys(topic, state) for _, _, topic, state, _ in stored]
    events = revealed([event for event, _ in read])
    digests, listing = tuple([digest for _, digest in read]), listing_of(events, opened_of(table))
    return StoredGame(game_id, events, digests, listing, lane, stored[-1]["notification_id"])


def opened_of(table: Sequence[asyncpg.Record]) -> TableOpened | None:
    """How a table was set up, from the rows of its stream."""
    if not table:
        return None
    opened, _ = read_without_keys(table[0]["topic"], table[0]["state"], TABLE_TOPICS)
    assert isinstance(opened, TableOpened), "a table's stream begins with its opening"
    return opened
