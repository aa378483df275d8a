"""Players as lists show them. Only seats at public tables count, so that a private game reveals nobody."""

from typing import Any

import asyncpg

from domain.commands import Kind
from domain.naming import is_id
from domain.values import Value
from infra.postgres.queries import query
from services.archive.refusals import NoSuchPlayer


class Person(Value, frozen=True):
    """A player, with the player's newest name."""

    player_id: str
    name: str
    kind: Kind
    games: int
    """The number of public tables at which the player has sat."""


class People:
    """Everybody who has sat at a public table."""

    def __init__(self, pool: "asyncpg.Pool[Any]") -> None:
        self._pool = pool

    async def named(self, beginning: str, limit: int, after: tuple[str, str] | None = None) -> list[Person]:
        """Players whose names begin with `beginning`, in the order of their names, after the name and id in `after`."""
        literal = beginning.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        rows = await self._pool.fetch(query("list_players"), f"{literal}%", *(after or (None, None)), limit)
        return [Person(*row) for row in rows]

    async def find(self, player_id: str) -> Person:
        """One player."""
        row = await self._pool.fetchrow(query("find_player"), player_id) if is_id(player_id) else None
        if row is None:
            raise NoSuchPlayer(player_id=player_id)
        return Person(*row)
