"""Reading whole games for the projector, many at a time and without any key."""

from collections.abc import Sequence

import asyncpg

from domain.replaying import revealed
from infra.mapping import read_without_keys
from infra.postgres.connecting import Connection
from infra.postgres.lanes import lane_name
from infra.postgres.queries import query
from services.archive.listing import listing_of
from services.hosting.events import TABLE_TOPICS, TableOpened, table_stream
from services.projecting.projection import StoredGame


async def load_games(connection: Connection, lane: int, game_ids: Sequence[str]) -> list[StoredGame]:
    """Games in the order of their ids, as they are stored now; what is no game of ours is left out."""
    if not game_ids:
        return []
    streams = [stream for game_id in game_ids for stream in (game_id, table_stream(game_id))]
    by_stream: dict[str, list[asyncpg.Record]] = {}
    for row in await connection.fetch(query("read_streams", lane_name(lane)), streams):
        by_stream.setdefault(row["originator_id"], []).append(row)
    return [
        game_of(game_id, by_stream[game_id], by_stream.get(table_stream(game_id), ()))
        for game_id in game_ids
        if game_id in by_stream
    ]


def game_of(game_id: str, stored: Sequence[asyncpg.Record], table: Sequence[asyncpg.Record]) -> StoredGame:
    """A game from the rows of its streams."""
    read = [read_without_keys(topic, state) for _, _, topic, state in stored]
    events = revealed([event for event, _ in read])
    return StoredGame(game_id, events, tuple([digest for _, digest in read]), listing_of(events, opened_of(table)))


def opened_of(table: Sequence[asyncpg.Record]) -> TableOpened | None:
    """How a table was set up, from the rows of its stream."""
    if not table:
        return None
    opened, _ = read_without_keys(table[0]["topic"], table[0]["state"], TABLE_TOPICS)
    assert isinstance(opened, TableOpened), "a table's stream begins with its opening"
    return opened
