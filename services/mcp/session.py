"""The player behind the tools: connected when a tool first needs the server, with all games that it has a seat in."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import get_args

from domain.values import Value
from domain.views import Phase
from services.client import Client, Player, Table
from services.mcp.followed_game import FollowedGame
from services.mcp.problems import not_done

PHASES_ALIVE: tuple[Phase, ...] = tuple(phase for phase in get_args(Phase) if phase != "ended")
_FOLLOWED_MAX = 50
_FIRST_UPDATE_SECONDS = 10.0


class Setup(Value, frozen=True, kw_only=True):
    """How the player sits down, and which key of the server an audit insists on."""

    own_chain: bool = True
    sign_moves: bool = False
    public_key: str | None = None


Connect = Callable[[], Awaitable[tuple[Player, Client]]]
"""Finds the server and says who the player is. It raises `NotDone` if it can't."""


class Session:
    """One player at one server, for as long as the program runs."""

    def __init__(self, connect: Connect, setup: Setup) -> None:
        self.setup = setup
        self._connect = connect
        self._connecting = asyncio.Lock()
        self._connected: tuple[Player, Client] | None = None
        self._followed: dict[str, FollowedGame] = {}

    async def client(self) -> Client:
        """The client of the server."""
        return (await self._connection())[1]

    async def player(self) -> Player:
        """The player."""
        return (await self._connection())[0]

    async def close(self) -> None:
        """Stop following games, and hang up. The seats stay the player's."""
        followed, self._followed = list(self._followed.values()), {}
        for game in followed:
            await game.close()
        if self._connected is not None:
            (_, client), self._connected = self._connected, None
            await client.close()

    async def follow(self, table: Table) -> FollowedGame:
        """Follow a game from now on, and wait for how it stands."""
        game_id = table.game_id
        if game_id not in self._followed:
            self._drop_finished()
            self._followed[game_id] = FollowedGame(table)
        followed = self._followed[game_id]
        if not await followed.until(lambda _: True, _FIRST_UPDATE_SECONDS):
            raise not_done("SERVER_UNREACHABLE", "The server does not answer. Try again in a moment.", game_id=game_id)
        return followed

    async def followed(self, game_id: str) -> FollowedGame:
        """A game in which the player has a seat; refuses any other."""
        known = await self.find(game_id)
        if known is None:
            raise not_done("NOT_SEATED", "You have no seat in this game; join_table takes one.", game_id=game_id)
        return known

    async def find(self, game_id: str) -> FollowedGame | None:
        """A game in which the player has a seat; None for any other."""
        client = await self.client()
        known = self._followed.get(game_id)
        if known is not None and known.failure is not None:
            # Raised once. The next tool follows the game anew, because what is wrong may pass.
            del self._followed[game_id]
            raise known.failure
        if known is not None:
            await known.refresh()
            return await self.follow(known.table)
        table = client.table(game_id)
        return await self.follow(table) if (await table.game()).view.viewer is not None else None

    async def forget(self, game_id: str) -> None:
        """Stop following a game in which the player has given the seat back."""
        followed = self._followed.pop(game_id, None)
        if followed is not None:
            await followed.close()

    async def _connection(self) -> tuple[Player, Client]:
        async with self._connecting:
            if self._connected is None:
                self._connected = await self._connect()
                await self._come_back(self._connected[1])
            return self._connected

    async def _come_back(self, client: Client) -> None:
        """Follow the games that an earlier run has left, so that their seats roll again."""
        async for listed in client.games(mine=True, phases=PHASES_ALIVE):
            if len(self._followed) >= _FOLLOWED_MAX:
                return
            if listed.game_id not in self._followed:
                self._followed[listed.game_id] = FollowedGame(client.table(listed.game_id))

    def _drop_finished(self) -> None:
        """Keep no more than some games that are over."""
        finished = [game_id for game_id, followed in self._followed.items() if followed.over]
        for game_id in finished[: max(0, len(self._followed) - _FOLLOWED_MAX)]:
            del self._followed[game_id]
