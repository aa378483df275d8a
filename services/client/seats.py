"""The player's seats whose chains the client keeps: it takes them, finds them again and gives them back."""

import asyncio
import secrets

import grpc
from liarsdice.v1 import game_service_pb2 as wire
from liarsdice.v1 import player_service_pb2 as players

from domain.fairness.chain import LINK_LENGTH
from domain.rulebooks import rules_of
from services.client.answers import Done, Game, Update, game_of
from services.client.channel import Channel, new_request_id
from services.client.errors import FalseServer, KeptBack, Refused, Unreachable
from services.client.receipts import Receipts
from services.client.seat import CarryOut, Seat
from services.client.seat_keeper import Kept, SeatKeeper
from services.client.signer import new_signing_key


class Seats:
    """One player's seats. A client without a keeper knows them as long as it lives."""

    def __init__(self, channel: Channel, keeper: SeatKeeper | None) -> None:
        self._channel, self._keeper = channel, keeper or SeatKeeper()
        self.by_default = keeper is not None
        """Whether the client brings a chain to a seat if the caller does not say."""
        self._seats: dict[str, Seat | None] = {}
        self._receipts = Receipts(channel)
        self._player_id: str | None = None

    def brings_chain(self, *, own_chain: bool | None, sign_moves: bool) -> bool:
        """Whether to bring a chain to a new seat, as the caller says; a seat that signs needs one."""
        if own_chain is False and sign_moves:
            raise ValueError("a seat that signs its moves needs an own chain")
        return sign_moves or (self.by_default if own_chain is None else own_chain)

    async def of(self, game_id: str) -> Seat | None:
        """The seat in a game whose chain the client keeps; None if there is none."""
        if game_id in self._seats or not self.by_default:
            return self._seats.get(game_id)
        kept = await self._kept(game_id)
        return self._seats.setdefault(game_id, None if kept is None else Seat(self._channel, self._keeper, kept))

    async def checked(self, game_id: str, update: Update) -> Update:
        """An update as the seat has checked it; once the game is over the seat is forgotten."""
        try:
            seat = await self.of(game_id)
        except (Refused, Unreachable):
            return update  # The client looks for the seat again before it rolls.
        if seat is None:
            return update
        checked = await seat.checked(update)
        if seat.over:
            await asyncio.to_thread(self._keeper.remember, seat.played)
            await self.forget(game_id)
        return checked

    async def accepted(self, game_id: str, receipt: bytes, done: Done | None = None) -> None:
        """Check and keep the receipt for a command that the server says it has carried out."""
        if not receipt:
            return  # An older server gives none.
        await self._receipts.check(game_id, receipt, done)
        # Without a keeper nobody looks for them after the end of this program, so the name of the player is not needed.
        player_id = await self._player() if self.by_default else ""
        await asyncio.to_thread(self._keeper.add_receipt, self._channel.address, player_id, game_id, receipt)

    async def receipts(self, game_id: str) -> bytes:
        """The kept receipts of a game, as a file for `liarsdice verify --receipts`."""
        player_id = await self._player() if self.by_default else ""
        return await asyncio.to_thread(self._keeper.receipts, self._channel.address, player_id, game_id)

    async def roll(self, game_id: str, carry_out: CarryOut) -> None:
        """Roll if the game waits for it."""
        seat = await self.of(game_id)
        if seat is not None:
            await seat.roll(carry_out)

    async def take(self, game_id: str, code: str, *, sign_moves: bool) -> None:
        """Take a seat with a chain of its own, whose secrets are kept before the server hears of it."""
        asked = wire.GetGameRequest(game_id=game_id, invitation_code=code)
        game = game_of((await self._channel.ask(self._channel.games.GetGame, asked)).game)
        kept = await self._kept(game_id)
        # Secrets that are kept already stay: the seat may be taken, and only the answer to that was lost.
        fresh = kept is None or (game.view.viewer is None and (kept.signing_key is not None) != sign_moves)
        if kept is None or fresh:
            kept = await self._new_secrets(game, sign_moves=sign_moves)
        seat = self._seats[game_id] = Seat(self._channel, self._keeper, kept)
        request = wire.JoinGameRequest(
            request_id=new_request_id(), game_id=game_id, invitation_code=code, **seat.promise
        )
        try:
            answer = await self._channel.ask(self._channel.games.JoinGame, request)
        except Refused as refusal:
            if fresh and not refusal.passing:
                await self.forget(game_id)
            raise
        await self.accepted(game_id, answer.receipt)

    async def forget(self, game_id: str) -> None:
        """Forget a seat that was given back, or whose game is over."""
        seat = self._seats.pop(game_id, None)
        if seat is not None:
            await asyncio.to_thread(self._keeper.forget, seat.kept)

    def become(self, player_id: str) -> None:
        """Be this player from now on."""
        self._player_id = player_id
        self._seats.clear()

    async def _new_secrets(self, game: Game, *, sign_moves: bool) -> Kept:
        kept = Kept(
            server=self._channel.address,
            player_id=await self._player(),
            game_id=game.view.game_id,
            length=_chain_length(game),
            seed=secrets.token_bytes(LINK_LENGTH),
            signing_key=new_signing_key() if sign_moves else None,
        )
        await asyncio.to_thread(self._keeper.keep, kept)
        return kept

    async def _kept(self, game_id: str) -> Kept | None:
        return await asyncio.to_thread(self._keeper.find, self._channel.address, await self._player(), game_id)

    async def _player(self) -> str:
        if self._player_id is None:
            answer = await self._channel.ask(self._channel.players.GetPlayer, players.GetPlayerRequest())
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
