"""A table at the server: what the player does there, and what happens."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from liarsdice.v1 import game_service_pb2 as wire

from services.client.answers import Done, Game, Update, done_of, game_of
from services.client.line import Line, new_request_id
from services.client.watching import ConnectionTold, Watching


class Table:
    """One table. Every command has a request id of its own, under which it is made again until it is answered.

    `expected_version` is the version of the game that a command was made for: if the game has moved on, it is refused
    with the reason VERSION_MOVED.
    """

    def __init__(self, line: Line, game_id: str, code: str = "") -> None:
        """Use `Client.table`, `create` or `join`."""
        self._line, self.game_id, self._code = line, game_id, code

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

    async def add_bot(self, strategy: str = "") -> Done:
        """Let a bot of the server take the next free seat."""
        request = wire.AddBotRequest(**self._command(), strategy=strategy)
        return done_of((await self._line.ask(self._line.games.AddBot, request)).result)

    async def start(self, *, opener: int | None = None) -> Done:
        """Close the table to joiners and begin."""
        request = wire.StartGameRequest(**self._command(), opener=opener)
        return done_of((await self._line.ask(self._line.games.StartGame, request)).result)

    async def roll(self, *, link: bytes = b"") -> Done:
        """Roll; only a player who keeps the chain of the seat has to, with the link that the game waits for."""
        request = wire.RollRequest(**self._command(), link=link)
        return done_of((await self._line.ask(self._line.games.Roll, request)).result)

    async def bid(
        self, quantity: int, face: int, show: Sequence[int] = (), *, expected_version: int | None = None
    ) -> Done:
        """Open or raise and, where the rulebook allows it, show some dice and reroll the others in the same step."""
        reroll = wire.Reroll(shown=show) if show else None
        request = wire.PlaceBidRequest(**self._command(expected_version), quantity=quantity, face=face, reroll=reroll)
        return done_of((await self._line.ask(self._line.games.PlaceBid, request)).result)

    async def show_and_reroll(self, shown: Sequence[int], *, expected_version: int | None = None) -> Done:
        """Show some dice and reroll the others, right after the own bid."""
        request = wire.ShowAndRerollRequest(**self._command(expected_version), reroll=wire.Reroll(shown=shown))
        return done_of((await self._line.ask(self._line.games.ShowAndReroll, request)).result)

    async def challenge(self, *, expected_version: int | None = None) -> Done:
        """Doubt the standing bid."""
        request = wire.ChallengeRequest(**self._command(expected_version))
        return done_of((await self._line.ask(self._line.games.Challenge, request)).result)

    async def forfeit(self) -> Done:
        """Give up the game."""
        return done_of((await self._line.ask(self._line.games.Forfeit, wire.ForfeitRequest(**self._command()))).result)

    async def leave(self, *, bot_seat: int | None = None) -> Done:
        """Give the seat back before the start; or send a bot away."""
        request = wire.LeaveGameRequest(**self._command(), bot_seat=bot_seat)
        return done_of((await self._line.ask(self._line.games.LeaveGame, request)).result)

    async def rematch(self) -> "Table":
        """Another table of the same kind once the game is over; whoever asks gets a seat, and so do the same bots."""
        request = wire.CreateRematchRequest(game_id=self.game_id)
        answer = await self._line.ask(self._line.games.CreateRematch, request)
        return Table(self._line, answer.game.view.game_id)

    def _command(self, expected_version: int | None = None) -> Any:
        """What every command says about itself; the fields are those of each of the requests."""
        command: dict[str, Any] = {"request_id": new_request_id(), "game_id": self.game_id}
        return command if expected_version is None else command | {"expected_version": expected_version}
