"""How many clubs one player may organise and join.

The read model has the numbers. It is some moments behind, so each process adds the clubs that it has allowed itself a
short time ago. With several processes a player who asks all of them at the same moment may get a little more.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import asyncpg

from infra.postgres.queries import query
from services.clubs.refusals import TooManyClubs

ORGANISED_MAX = 10
JOINED_MAX = 50
_LISTED_SECONDS = 10.0
"""After this time the model has a club that was allowed, unless there is trouble with the database."""
_PLAYERS_MAX = 10_000


class ClubAllowance:
    """Allows players to found or to join another club, or refuses it."""

    def __init__(self, pool: "asyncpg.Pool[Any]", clock: Callable[[], float] = time.monotonic) -> None:
        self._pool, self._clock = pool, clock
        self._recent: OrderedDict[str, dict[str, tuple[float, bool]]] = OrderedDict()
        """By player and club: when it was allowed, and whether the player organises it."""

    async def allow(self, player_id: str, club_id: str, *, organises: bool = False) -> None:
        """Refuse one more club if the player has too many. If the command fails afterwards, call `forget`."""
        recent = self._recent_of(player_id)
        recent[club_id] = (self._clock(), organises)
        others = [one for other, (_, one) in recent.items() if other != club_id]
        try:
            row = await self._pool.fetchrow(query("count_clubs"), player_id, list(recent))
            assert row is not None, "an aggregate always returns a row"
            _check(row["organised"] + sum(others) if organises else 0, row["joined"] + len(others))
        except BaseException:
            self.forget(player_id, club_id)
            raise

    def forget(self, player_id: str, club_id: str) -> None:
        """Take back what was allowed."""
        self._recent.get(player_id, {}).pop(club_id, None)

    def _recent_of(self, player_id: str) -> dict[str, tuple[float, bool]]:
        since = self._clock() - _LISTED_SECONDS
        kept = {club: one for club, one in self._recent.get(player_id, {}).items() if one[0] >= since}
        self._recent[player_id] = kept
        self._recent.move_to_end(player_id)
        if len(self._recent) > _PLAYERS_MAX:
            self._recent.popitem(last=False)
        return kept


def _check(organised: int, joined: int) -> None:
    """Refuse one more than this."""
    if organised >= ORGANISED_MAX or joined >= JOINED_MAX:
        raise TooManyClubs(organised=ORGANISED_MAX, joined=JOINED_MAX)
