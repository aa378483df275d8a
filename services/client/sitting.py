"""The seats of a client whose chains it keeps: how they are taken, found again and given back."""

import asyncio
import secrets

import grpc
from liarsdice.v1 import game_service_pb2 as wire
from liarsdice.v1 import player_service_pb2 as players

from domain.fairness.chain import LINK_LENGTH
from domain.rulebooks import rules_of
from services.client.answers import Game, Update, game_of
from services.client.failures import FalseServer, KeptBack, Refused, Unreachable
from services.client.line import Line, new_request_id
from services.client.seat import CarryOut, Seat
from services.client.seats import Kept, SeatKeeper
from services.client.signing import new_signing_key


class Seats:
    """One player's seats. Those of a client without a keeper are known as long as the client lives."""

    def __init__(self, line: Line, keeper: SeatKeeper | None) -> None:
        self._line, self._keeper = line, keeper or SeatKeeper()
        self.by_default = keeper is not None
        """Whether seats are taken with an own chain if nothing else is said."""
        self._seats: dict[str, Seat | None] = {}
        self._player_id: str | None = None

    def wanted(self, *, own_chain: bool | None, sign_moves: bool) -> bool:
        """Whether a seat is to be taken with an own chain; who signs needs one."""
        if own_chain is False and sign_moves:
            raise ValueError("a seat that signs its moves needs an own chain")
        return sign_moves or (self.by_default if own_chain is None else own_chain)

    async def of(self, game_id: str) -> Seat | None:
        """The seat of a game whose chain is kept; None if there is none."""
        if game_id in self._seats or not self.by_default:
            return self._seats.get(game_id)
        kept = await self._found(game_id)
        return self._seats.setdefault(game_id, None if kept is None else Seat(self._line, self._keeper, kept))

    async def told(self, game_id: str, update: Update) -> Update:
        """Let the seat check what was told of its game; once that is over the seat is forgotten."""
        try:
            seat = await self.of(game_id)
        except (Refused, Unreachable):
            return update  # Before the seat rolls it is looked for again.
        if seat is None:
            return update
        checked = await seat.told(update)
        if seat.over:
            await self.forget(game_id)
        return checked

    async def roll(self, game_id: str, carry_out: CarryOut) -> None:
        """Roll if the game waits for it."""
        seat = await self.of(game_id)
        if seat is not None:
            await seat.roll(carry_out)

    async def take(self, game_id: str, code: str, *, sign_moves: bool) -> None:
        """Take a seat with a chain of its own, whose secrets are kept before the server hears of it."""
        asked = wire.GetGameRequest(game_id=game_id, invitation_code=code)
        game = game_of((await self._line.ask(self._line.games.GetGame, asked)).game)
        kept = await self._found(game_id)
        # One that is kept already stays: the answer to an earlier try may have been lost.
        fresh = kept is None or (game.view.viewer is None and (kept.signing_key is not None) != sign_moves)
        if kept is None or fresh:
            kept = await self._made(game, sign_moves=sign_moves)
        seat = self._seats[game_id] = Seat(self._line, self._keeper, kept)
        request = wire.JoinGameRequest(
            request_id=new_request_id(), game_id=game_id, invitation_code=code, **seat.promise
        )
        try:
            await self._line.ask(self._line.games.JoinGame, request)
        except Refused as refusal:
            if fresh and not refusal.passing:
                await self.forget(game_id)
            raise

    async def forget(self, game_id: str) -> None:
        """Forget a seat that was given back, or whose game is over."""
        seat = self._seats.pop(game_id, None)
        if seat is not None:
            await asyncio.to_thread(self._keeper.forget, seat.kept)

    async def _made(self, game: Game, *, sign_moves: bool) -> Kept:
        kept = Kept(
            server=self._line.address,
            player_id=await self._player(),
            game_id=game.view.game_id,
            length=_chain_length(game),
            seed=secrets.token_bytes(LINK_LENGTH),
            signing_key=new_signing_key() if sign_moves else None,
        )
        await asyncio.to_thread(self._keeper.keep, kept)
        return kept

    async def _found(self, game_id: str) -> Kept | None:
        return await asyncio.to_thread(self._keeper.find, self._line.address, await self._player(), game_id)

    def become(self, player_id: str) -> None:
        """Be this player from now on."""
        self._player_id = player_id
        self._seats.clear()

    async def _player(self) -> str:
        if self._player_id is None:
            answer = await self._line.ask(self._line.players.GetPlayer, players.GetPlayerRequest())
            self._player_id = answer.player.player_id
        return self._player_id


def _chain_length(game: Game) -> int:
    """How many links the chains of a game have, by its rules."""
    view = game.view
    try:
        rules = rules_of(view.rulebook, view.rulebook_version, view.options)
    except KeyError:
        raise KeptBack(
            grpc.StatusCode.UNIMPLEMENTED,
            f"This program does not know version {view.rulebook_version} of {view.rulebook} and can't count its calls.",
            "RULEBOOK_UNKNOWN",
        ) from None
    length = rules.links_max(game.seats_max)
    if game.chain_length != length:
        raise FalseServer(view.game_id, f"its chains have {length} links, not {game.chain_length}")
    return length
