"""A table at the server: what the player does there, and what happens."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import grpc
from liarsdice.v1 import game_service_pb2 as wire

from domain.events import PlayerJoined
from domain.fairness.findings import Findings
from services.client.answers import Done, Game, Update, done_of, game_of
from services.client.channel import Channel, new_request_id
from services.client.checked_game import proven
from services.client.errors import Refused, practice_game
from services.client.game_stream import Cursor, GameStream, OnConnection, whole_game
from services.client.moves import Moves
from services.client.seats import Seats


class Table(Moves):
    """One table, and the moves of its game, each by a call of its own."""

    def __init__(self, channel: Channel, seats: Seats, game_id: str, code: str = "") -> None:
        """Use `Client.table`, `create` or `join`."""
        super().__init__(game_id, self._called, seats)
        self._channel, self._code = channel, code

    async def game(self) -> Game:
        """How the game stands."""
        request = wire.GetGameRequest(game_id=self.game_id, invitation_code=self._code)
        game = game_of((await self._channel.ask(self._channel.games.GetGame, request)).game)
        seat = await self._seats.of(self.game_id)
        if seat is not None:
            seat.note_version(game)
        return game

    async def receipts(self) -> bytes:
        """The receipts for the player's commands in this game, as a file for `liarsdice verify --receipts`."""
        return await self._seats.receipts(self.game_id)

    async def keeps_chain(self) -> bool:
        """Whether the client keeps the chain of the player's seat, so that the seat can roll from here."""
        return await self._seats.of(self.game_id) is not None

    async def check_dice(self) -> Findings:
        """What the events so far prove about the dice; raises FalseServer if something does not hold.

        A practice game is refused, because its past was copied. A server gains nothing by calling a game one: a game with a
        seat whose chain is kept here never is, and is checked all the same.
        """
        seat = await self._seats.of(self.game_id)
        if seat is not None:
            await seat.read_game()
            return seat.proven()
        seen = await whole_game(self._channel, self.game_id, self._code)
        if seen.game.forked_from is not None:
            raise practice_game(self.game_id, seen.game.forked_from)
        return proven(self.game_id, [one.event for one in seen.events])

    def watch(self, *, after: int | None = None, on_connection: OnConnection | None = None) -> AsyncIterator[Update]:
        """How the game stands, and then all that happens, until it is over; each event once, whatever becomes of the channel.

        With `after` it begins with what happened after that version. `on_connection` is called with False when the line
        is lost, and with True when it is there. A seat whose chain the client keeps rolls by itself when it is called.
        """
        cursor = Cursor(self.game_id, self._code, after)
        check = partial(self._seats.checked, self.game_id)
        roll = partial(self._seats.roll, self.game_id, self._called)
        return GameStream(self._channel, cursor, check, roll, on_connection).updates()

    async def add_bot(self, strategy: str = "", *, expected_version: int | None = None) -> Done:
        """Let a bot of the server take the next free seat."""
        return await self._called(wire.AddBotRequest(**self._command(expected_version), strategy=strategy))

    async def leave(self, *, bot_seat: int | None = None, expected_version: int | None = None) -> Done:
        """Give the seat back before the start; or send a bot away."""
        done = await self._called(wire.LeaveGameRequest(**self._command(expected_version), bot_seat=bot_seat))
        if bot_seat is None:
            await self._seats.forget(self.game_id)
        return done

    async def rematch(self, *, own_chain: bool | None = None, sign_moves: bool | None = None) -> "Table":
        """Another table of the same kind, once the game is over, with a seat for the player and for the same bots.

        The new seat is as safe as the old one unless the caller says otherwise: with a chain of the client if the player
        had one, and signing its moves if it did before.
        """
        if sign_moves is None or own_chain is None:
            joined = await self._joined_before()
            sign_moves = joined.signing_key is not None and own_chain is not False if sign_moves is None else sign_moves
            own_chain = own_chain if own_chain is not None or joined.chain_held_by == "server" else True
        own = self._seats.brings_chain(own_chain=own_chain, sign_moves=sign_moves)
        request = wire.CreateRematchRequest(game_id=self.game_id, without_seat=own)
        answer = await self._channel.ask(self._channel.games.CreateRematch, request)
        game = game_of(answer.game)
        await self._seats.accepted(game.view.game_id, answer.receipt)
        table = Table(self._channel, self._seats, game.view.game_id, game.invitation_code)
        await table._sit_down(game, own_chain=own, sign_moves=sign_moves)
        return table

    async def fork(self, version: int, seat: int, *, strategy: str = "") -> "Table":
        """A practice game from a step of this game, which is over: the player takes a seat, bots take all others."""
        request = wire.ForkGameRequest(
            request_id=new_request_id(),
            game_id=self.game_id,
            version=version,
            seat=seat,
            strategy=strategy,
        )
        answer = await self._channel.ask(self._channel.games.ForkGame, request)
        game = game_of(answer.game)
        await self._seats.accepted(game.view.game_id, answer.receipt)
        return Table(self._channel, self._seats, game.view.game_id, game.invitation_code)

    async def _joined_before(self) -> PlayerJoined:
        """The event with which the player took the seat in this game."""
        seen = await whole_game(self._channel, self.game_id, self._code)
        view = seen.game.view
        me = None if view.viewer is None else view.seats[view.viewer].player_id
        joined = [one.event for one in seen.events if isinstance(one.event, PlayerJoined) and one.event.player_id == me]
        if not joined:
            raise Refused(
                grpc.StatusCode.PERMISSION_DENIED,
                f"You have no seat at the table of game {self.game_id}.",
                "NOT_SEATED",
            )
        return joined[-1]

    async def _sit_down(self, game: Game, *, own_chain: bool, sign_moves: bool) -> None:
        """Take a seat at a rematch that has not begun, with a chain of the client or without."""
        view = game.view
        if view.phase != "gathering":
            return
        if own_chain and view.viewer is not None and view.seats[view.viewer].chain_held_by == "server":
            await self.leave()  # The player sat down there before, without a chain.
        elif view.viewer is not None:
            return
        if own_chain:
            await self._seats.take(self.game_id, self._code, sign_moves=sign_moves)
        else:
            request = wire.JoinGameRequest(
                request_id=new_request_id(), game_id=self.game_id, invitation_code=self._code
            )
            answer = await self._channel.ask(self._channel.games.JoinGame, request)
            await self._seats.accepted(self.game_id, answer.receipt)

    async def _called(self, request: Any) -> Done:
        """What a command did, over the call that its request is named after."""
        method = getattr(self._channel.games, request.DESCRIPTOR.name.removesuffix("Request"))
        done = done_of((await self._channel.ask(method, request)).result)
        await self._seats.accepted(self.game_id, done.receipt, done)
        return done
