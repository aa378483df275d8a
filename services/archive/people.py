"""Players as lists show them, and who of them a caller may know.

Everybody may know a player from a public game of which everybody may know the end. Until then nobody else can tell a new
player, or one who plays only at private tables, from an id that nobody has. The bots of the server with one strategy are one
player, whom everybody knows.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import asyncpg

from domain.commands import Kind
from domain.freshness import Freshness
from domain.naming import is_id
from domain.values import Value
from infra.postgres.connections import Connection
from infra.postgres.queries import query
from services.access.refusals import FieldInvalid
from services.access.sight import Sight
from services.archive.archive import Archive, Wanted
from services.archive.refusals import NoSuchPlayer, PlayerNotKnownYet
from services.archive.sums import VIEWS
from services.bots.names import counted_id, strategy_of

NO_PLAYER_ID = "must be the id of a player: 1 to 64 letters, digits, dots, hyphens or underscores"
_LAST_CHARACTER = "\U0010ffff"


class Person(Value, frozen=True):
    """A player, with the player's newest name."""

    player_id: str
    name: str
    kind: Kind
    games: int
    """The number of public games of the player that have ended."""


class Named(NamedTuple):
    """A player whom the caller may know; without a name if no game tells one."""

    player_id: str
    name: str | None
    kind: Kind | None


async def known_player(
    connection: "Connection | asyncpg.Pool[Any]", player_id: str, sight: Sight, field: str = "player_id"
) -> Named:
    """The player that an id counts for; refused if the caller may not know that there is one."""
    if not is_id(player_id):
        raise FieldInvalid(field=field, problem=NO_PLAYER_ID)
    counted, own = counted_id(player_id), sight.caller.player_id == player_id
    row = await connection.fetchrow(query("newest_name", schema=VIEWS), counted, sight.now, own)
    if row is not None:
        return Named(counted, row["name"], row["kind"])
    strategy = strategy_of(counted)
    if strategy is not None:
        return Named(counted, strategy, "bot")
    if own:
        return Named(counted, None, None)
    raise NoSuchPlayer(player_id=player_id)


@contextmanager
def unless_behind(freshness: Freshness) -> Iterator[None]:
    """Only who has read everything may say that nobody knows a player; others say that they are behind."""
    try:
        yield
    except NoSuchPlayer as refusal:
        if freshness.complete:
            raise
        raise PlayerNotKnownYet(**refusal.fields) from None


async def check_player(archive: Archive, wanted: Wanted, sight: Sight, freshness: Freshness) -> None:
    """Refuse a filter by a player of whom the caller may see no game and know nothing: the id is mistyped, most likely."""
    if wanted.player_id is None or await archive.games(Wanted(player_id=wanted.player_id, practice=None), sight, 1):
        return
    with unless_behind(freshness):
        await known_player(archive.pool, wanted.player_id, sight)


class People:
    """Everybody whom everybody may know."""

    def __init__(self, pool: "asyncpg.Pool[Any]") -> None:
        self._pool = pool

    async def named(
        self, beginning: str, sight: Sight, limit: int, after: tuple[str, str] | None = None
    ) -> list[Person]:
        """Players whose names begin with `beginning`, in the order of their names, after the name and id in `after`."""
        rows = await self._pool.fetch(
            query("list_people", schema=VIEWS), beginning, _LAST_CHARACTER, *(after or (None, None)), sight.now, limit
        )
        return [Person(*row) for row in rows]

    async def find(self, player_id: str, sight: Sight) -> Person:
        """One player."""
        found = await known_player(self._pool, player_id, sight)
        games = await self._pool.fetchval(query("count_tables", schema=VIEWS), found.player_id)
        return Person(found.player_id, found.name or sight.caller.name, found.kind or "human", games or 0)
