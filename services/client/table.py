"""A table at the server: what the player does there, and what happens."""

from collections.abc import AsyncIterator
from typing import Any

from liarsdice.v1 import game_service_pb2 as wire

from services.client.answers import Done, Game, Update, done_of, game_of
from services.client.line import Line
from services.client.moves import Moves
from services.client.watching import ConnectionTold, Watching


class Table(Moves):
    """One table, and the moves of its game, each by a call of its own."""

    def __init__(self, line: Line, game_id: str, code: str = "") -> None:
        """Use `Client.table`, `create` or `join`."""
        super().__init__(game_id, self._called)
        self._line, self._code = line, code

    async def game(self) -> Game:
        """How the game stands."""
        request = wire.GetGameRequest(game_id=self.game_id, invitation_code=self._code)
        return game_of((await self._line.ask(self._line.games.GetGame, request)).game)

    def watch(self, *, after: int | None = None, on_connection: ConnectionTold | None = None) -> AsyncIterator[Update]:
        """How the game stands, and then all that happens, until it is over; each event once, whatever becomes of the line.

        With `after` it begins with what happened after that version. `on_connection` is called with False when the line
        is lost, and with True when it is there.
        """
        return Watching(self._line, self.game_id, self._code, after, on_connection).updates()

    async def add_bot(self, strategy: str = "", *, expected_version: int | None = None) -> Done:
        """Let a bot of the server take the next free seat."""
        return await self._called(wire.AddBotRequest(**self._command(expected_version), strategy=strategy))

    async def leave(self, *, bot_seat: int | None = None, expected_version: int | None = None) -> Done:
        """Give the seat back before the start; or send a bot away."""
        return await self._called(wire.LeaveGameRequest(**self._command(expected_version), bot_seat=bot_seat))

    async def rematch(self) -> "Table":
        """Another table of the same kind once the game is over; whoever asks gets a seat, and so do the same bots."""
        request = wire.CreateRematchRequest(game_id=self.game_id)
        answer = await self._line.ask(self._line.games.CreateRematch, request)
        return Table(self._line, answer.game.view.game_id)

    async def _called(self, request: Any) -> Done:
        """Carry out a command by the call that its request is named after."""
        method = getattr(self._line.games, request.DESCRIPTOR.name.removesuffix("Request"))
        return done_of((await self._line.ask(method, request)).result)
