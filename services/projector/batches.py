"""Making the rows of games anew, with the database and this process working at the same time.

Games go through in groups, like in a pipeline: while the database writes the rows of one group and reads the events of
the group after the next, this process makes the rows of the group between them.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import asyncpg

from infra.postgres.connections import Connection
from infra.postgres.generations import Generation
from infra.postgres.lanes import lane_name
from infra.postgres.queries import query
from services.projector.game_loader import Streams, clubs_of, games_of, streams_of
from services.projector.projection import Projection

_GAMES_AT_ONCE = 48
"""Each table takes a round trip for each group of games, and this process answers only between the rows of two games."""

Place = tuple[str, str]
"""A schema and a table of it."""
Changes = Mapping[str, Collection[str]]
"""The games that changed, each with the topics of the events that changed it."""
KeyedPlace = tuple[str, str, str]
"""The same, with the column of the id."""
NewRows = Mapping[Place, Sequence[tuple[Any, ...]]]


class Work(NamedTuple):
    """A generation, and the projection that makes its rows."""

    projection: Projection
    generation: Generation

    @property
    def places(self) -> list[KeyedPlace]:
        """The tables with rows of single games or clubs."""
        return [(self.generation.schema, table, self.projection.KEY) for table in self.projection.TABLES]

    def is_changed(self, topics: Collection[str]) -> bool:
        """Whether events with these topics change the rows of their game.

        A game may be further by the time that it is read. Its rows are made anew for the events of a batch only, so that
        the end of a game is taken in once.
        """
        return not self.projection.TRIGGERS.isdisjoint(topics)


async def replace_rows(connection: Connection, works: Sequence[Work], lane: int, changes: Changes) -> None:
    """Replace the rows of games and clubs in the models that their changes matter to, within the caller's transaction."""
    if not changes:
        return
    game_ids = list(changes)
    changed = [[game_id for game_id, topics in changes.items() if work.is_changed(topics)] for work in works]
    await connection.execute(_forgetting(tuple(tuple(work.places) for work in works)), *changed)
    parts = [game_ids[start : start + _GAMES_AT_ONCE] for start in range(0, len(game_ids), _GAMES_AT_ONCE)]
    rows: NewRows = {}
    exchange = asyncio.ensure_future(_exchange(connection, lane, rows, parts[0]))
    try:
        for part, following in zip(parts, (*parts[1:], ()), strict=True):
            streams = await exchange
            exchange = asyncio.ensure_future(_exchange(connection, lane, rows, following))
            rows = await _rows(works, lane, part, streams, changes)
        await exchange
        await _write(connection, rows)
    finally:
        # After a fault the caller rolls back, so no task may use the connection any more by then.
        exchange.cancel()
        await asyncio.gather(exchange, return_exceptions=True)


async def _exchange(connection: Connection, lane: int, rows: NewRows, game_ids: Sequence[str]) -> Streams:
    """Write rows to the database, and return the events of the games that come next."""
    await _write(connection, rows)
    if not game_ids:
        return {}
    found: dict[str, list[asyncpg.Record]] = {}
    for row in await connection.fetch(query("read_games", lane_name(lane)), streams_of(game_ids)):
        found.setdefault(row["originator_id"], []).append(row)
    return found


async def _write(connection: Connection, rows: NewRows) -> None:
    for (schema, table), records in rows.items():
        if records:
            await connection.copy_records_to_table(table, schema_name=schema, records=records)


async def _rows(
    works: Sequence[Work], lane: int, game_ids: Sequence[str], streams: Streams, changes: Changes
) -> NewRows:
    rows: dict[Place, list[tuple[Any, ...]]] = {place[:2]: [] for work in works for place in work.places}
    for game in games_of(game_ids, streams, lane):
        for work in works:
            if not work.is_changed(changes[game.game_id]):
                continue
            for table, of_game in work.projection.rows(game).items():
                rows[work.generation.schema, table] += of_game
            # Let the event loop read the database's answer, and give games that this process serves their turn.
            await asyncio.sleep(0)
    for club in clubs_of(game_ids, streams):
        for work in works:
            for table, of_club in work.projection.club_rows(club).items():
                rows[work.generation.schema, table] += of_club
    return rows


@cache
def _forgetting(places: tuple[tuple[KeyedPlace, ...], ...]) -> str:
    """The one statement that deletes the rows of games and clubs from all tables; each model has its own of them."""
    deletes = [
        f"gone_{schema}_{table} AS (DELETE FROM {schema}.{table} WHERE {key} = ANY (${number}))"  # noqa: S608 - names of ours
        for number, of_work in enumerate(places, 1)
        for schema, table, key in of_work
    ]
    return f"WITH {', '.join(deletes)} SELECT"
