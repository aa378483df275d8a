"""The moves of a player in a game, over a call for each or over one Play call."""

from collections.abc import Sequence
from typing import Any

from liarsdice.v1 import game_service_pb2 as wire

from services.client.answers import Done
from services.client.channel import new_request_id
from services.client.seat import CarryOut
from services.client.seats import Seats


class Moves:
    """The commands of play. Each has a request id of its own, and keeps it when it is tried again.

    `expected_version` is the version of the game that a command was made for: if the game has moved on, the server refuses
    it with the reason VERSION_MOVED. For a seat whose secrets the client keeps, it adds links and signatures by itself.
    Only a player who keeps the chain in another way gives a `link`: the one that the game waits for.
    """

    def __init__(self, game_id: str, carry_out: CarryOut, seats: Seats) -> None:
        self.game_id, self._carry_out, self._seats = game_id, carry_out, seats

    async def start(self, *, opener: int | None = None, expected_version: int | None = None) -> Done:
        """Close the table to joiners and begin."""
        return await self._carry_out(wire.StartGameRequest(**self._command(expected_version), opener=opener))

    async def roll(self, *, link: bytes = b"", expected_version: int | None = None) -> Done:
        """Roll. A seat whose chain the client keeps rolls by itself while the game is watched."""
        return await self._move(wire.RollRequest(**self._command(expected_version), link=link))

    async def bid(
        self,
        quantity: int,
        face: int,
        show: Sequence[int] = (),
        *,
        link: bytes = b"",
        expected_version: int | None = None,
    ) -> Done:
        """Open or raise and, where the rulebook allows it, show some dice and reroll the others in the same step."""
        reroll = wire.Reroll(shown=show, link=link) if show else None
        request = wire.PlaceBidRequest(**self._command(expected_version), quantity=quantity, face=face, reroll=reroll)
        return await self._move(request)

    async def show_and_reroll(
        self, shown: Sequence[int], *, link: bytes = b"", expected_version: int | None = None
    ) -> Done:
        """Show some dice and reroll the others, right after your bid."""
        reroll = wire.Reroll(shown=shown, link=link)
        return await self._move(wire.ShowAndRerollRequest(**self._command(expected_version), reroll=reroll))

    async def challenge(self, *, expected_version: int | None = None) -> Done:
        """Doubt the standing bid."""
        return await self._move(wire.ChallengeRequest(**self._command(expected_version)))

    async def forfeit(self, *, expected_version: int | None = None) -> Done:
        """Give up the game."""
        return await self._move(wire.ForfeitRequest(**self._command(expected_version)))

    async def _move(self, request: Any) -> Done:
        """What a move did; a seat whose secrets the client keeps adds its link and its signature."""
        seat = await self._seats.of(self.game_id)
        return await (self._carry_out(request) if seat is None else seat.moved(request, self._carry_out))

    def _command(self, expected_version: int | None = None) -> Any:
        """The fields that all requests of commands have."""
        command: dict[str, Any] = {"request_id": new_request_id(), "game_id": self.game_id}
        return command if expected_version is None else command | {"expected_version": expected_version}
