"""How many tables, practice games and running games with bots one player may have at the same time.

The list of tables has the numbers, for all processes together and over restarts. It is some moments behind, so each
process adds the games that it has allowed itself a short time ago. In one process the limits are exact; with several,
a player who asks all of them at the same moment may get a little more.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable

from msgspec import Struct

from domain.state import Ended
from domain.values import Value
from infra.postgres.event_reader import EventReader, Owned
from services.bots.names import BOT_PREFIX
from services.tables.application import GameApplication
from services.tables.refusals import TooManyBotGames, TooManyPracticeGames, TooManyTables

_LISTED_SECONDS = 10.0
"""After this time the list has a game that was allowed, unless there is trouble with the database."""
_BEHIND_SECONDS = 0.4
"""The list is rarely further behind than this: a player who has just ended a game may set up the next."""
_OWNERS_MAX = 10_000


class Limits(Value, frozen=True, kw_only=True):
    """The limits for each player; 0 is no limit."""

    tables: int = 0
    """Tables that are not over, practice games included."""
    practice_games: int = 0
    """Practice games that are not over."""
    bot_games: int = 0
    """Running games in which a bot of the server has a seat."""


class _Allowed(Struct, frozen=True):
    """A game that was allowed a short time ago."""

    at: float
    practice: bool
    with_bots: bool


class Allowance:
    """Allows players to have another table or game, or refuses it."""

    def __init__(
        self,
        store: EventReader,
        games: GameApplication,
        limits: Limits,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._games, self._limits, self._clock = store, games, limits, clock
        self._recent: OrderedDict[str, dict[str, _Allowed]] = OrderedDict()
        """By owner and game id, in the order in which they asked."""

    async def allow_table(self, owner_id: str, game_id: str) -> None:
        """Refuse a table if its owner has too many."""
        if self._limits.tables:
            await self._allow(owner_id, game_id, Limits(tables=self._limits.tables))

    async def allow_bots(self, owner_id: str, game_id: str) -> None:
        """Refuse to start a game with bots if the owner of the table has too many of them."""
        if self._limits.bot_games:
            await self._allow(owner_id, game_id, Limits(bot_games=self._limits.bot_games), with_bots=True)

    async def allow_practice(self, owner_id: str, game_id: str) -> None:
        """Refuse a practice game, which is a table and has bots, if its owner has too many of any of these."""
        if self._limits != Limits():
            await self._allow(owner_id, game_id, self._limits, practice=True, with_bots=True)

    async def _allow(
        self, owner_id: str, game_id: str, limits: Limits, *, practice: bool = False, with_bots: bool = False
    ) -> None:
        recent = self._recent_of(owner_id)
        known = recent.pop(game_id, None)
        if known is not None and known.practice >= practice and known.with_bots >= with_bots:
            recent[game_id] = known
            return  # The same request again.
        # It counts from here on, so that of several calls at the same moment each sees those before it.
        recent[game_id] = allowed = _Allowed(self._clock(), practice, with_bots)
        try:
            try:
                _check(limits, await self._others(owner_id, game_id))
            except (TooManyTables, TooManyPracticeGames, TooManyBotGames):
                await asyncio.sleep(_BEHIND_SECONDS)
                _check(limits, await self._others(owner_id, game_id))
        except BaseException:
            if recent.get(game_id) is allowed:
                del recent[game_id]
                if known is not None:
                    recent[game_id] = known
            raise

    async def _others(self, owner_id: str, game_id: str) -> Owned:
        """What the owner has beside this game; of what was asked for at the same time, what came before it."""
        recent = self._recent.get(owner_id, {})
        tables, practice_games, bot_games = await self._store.count_owned(owner_id, BOT_PREFIX, list(recent))
        for other_id, other in recent.items():
            if other_id == game_id:
                break
            held = self._games.held(other_id)
            if held is None or not isinstance(held[0], Ended):
                tables += 1
                practice_games += other.practice
                bot_games += other.with_bots
        return Owned(tables, practice_games, bot_games)

    def _recent_of(self, owner_id: str) -> dict[str, _Allowed]:
        since = self._clock() - _LISTED_SECONDS
        recent = self._recent.setdefault(owner_id, {})
        for game_id in [game_id for game_id, allowed in recent.items() if allowed.at < since]:
            del recent[game_id]
        self._recent.move_to_end(owner_id)
        if len(self._recent) > _OWNERS_MAX:
            self._recent.popitem(last=False)
        return recent


def _check(limits: Limits, others: Owned) -> None:
    """Refuse one more than the limits allow."""
    if limits.tables and others.tables >= limits.tables:
        raise TooManyTables(limit=limits.tables)
    if limits.practice_games and others.practice_games >= limits.practice_games:
        raise TooManyPracticeGames(limit=limits.practice_games)
    if limits.bot_games and others.bot_games >= limits.bot_games:
        raise TooManyBotGames(limit=limits.bot_games)
