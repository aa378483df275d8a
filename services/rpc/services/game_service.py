"""GameService: requests become commands, and what they did becomes answers. No rule lives here."""

from collections.abc import Awaitable, Callable
from typing import Any

import grpc
from liarsdice.v1 import game_service_pb2 as wire

from domain.events import PlayerJoined
from domain.ids import new_game_id
from domain.values import Bid
from services.access.caller import PLAYER, Caller
from services.rpc.broadcast import Hub
from services.rpc.encoding import event_messages, rulebook_messages, summary_message
from services.rpc.gate import Call, Gate, both_streams, check_scope, server_stream, unary
from services.rpc.page_tokens import place_in_list, token_in_list
from services.rpc.parsing import (
    asked_of,
    game_id_of,
    page_token,
    practice_of_request,
    shown_of,
    table_of_request,
    wanted_of,
)
from services.rpc.services.play_stream import PlaySession
from services.rpc.watching import Watching
from services.tables.application import Executed
from services.tables.host import GameHost, viewer_of
from services.tables.lobby import Lobby
from services.tables.practice import fork
from services.tables.requests import Asked

SERVICE = wire.DESCRIPTOR.services_by_name["GameService"].full_name

Command = Callable[[Any, Asked], Awaitable[Executed]]


class GameService:
    """The calls of GameService."""

    def __init__(self, gate: Gate, host: GameHost, lobby: Lobby, hub: Hub) -> None:
        self._gate, self._host, self._lobby, self._hub = gate, host, lobby, hub
        self.watching = Watching(host, hub)
        self._commands: dict[type[Any], Command] = {
            wire.StartGameRequest: self._start,
            wire.RollRequest: self._roll,
            wire.PlaceBidRequest: self._place_bid,
            wire.ShowAndRerollRequest: self._show_and_reroll,
            wire.ChallengeRequest: lambda _request, asked: host.challenge(asked),
            wire.ForfeitRequest: lambda _request, asked: host.forfeit(asked),
        }

    def handler(self) -> grpc.GenericRpcHandler:
        """What the server calls."""
        gate = self._gate
        methods = {
            "ListRulebooks": unary(gate, wire.ListRulebooksRequest, self._list_rulebooks, open_to_all=True),
            "CreateGame": unary(gate, wire.CreateGameRequest, self._create, in_steps=True, scope=PLAYER),
            "JoinGame": unary(gate, wire.JoinGameRequest, self._join, in_steps=True, scope=PLAYER),
            "LeaveGame": unary(gate, wire.LeaveGameRequest, self._leave, scope=PLAYER),
            "AddBot": unary(gate, wire.AddBotRequest, self._add_bot, scope=PLAYER),
            "AbandonGame": unary(gate, wire.AbandonGameRequest, self._abandon, scope="admin"),
            "CreateRematch": unary(gate, wire.CreateRematchRequest, self._rematch, in_steps=True, scope=PLAYER),
            "ForkGame": unary(gate, wire.ForkGameRequest, self._fork, in_steps=True, scope=PLAYER),
            "GetGame": unary(gate, wire.GetGameRequest, self._get),
            "ListGames": unary(gate, wire.ListGamesRequest, self._list),
            "StartGame": self._command_call(wire.StartGameRequest, wire.StartGameResponse),
            "Roll": self._command_call(wire.RollRequest, wire.RollResponse),
            "PlaceBid": self._command_call(wire.PlaceBidRequest, wire.PlaceBidResponse),
            "ShowAndReroll": self._command_call(wire.ShowAndRerollRequest, wire.ShowAndRerollResponse),
            "Challenge": self._command_call(wire.ChallengeRequest, wire.ChallengeResponse),
            "Forfeit": self._command_call(wire.ForfeitRequest, wire.ForfeitResponse),
            "WatchGame": server_stream(gate, wire.WatchGameRequest, self.watching.watch),
            "Play": both_streams(gate, wire.PlayRequest, self._play),
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    async def command(self, request: Any, caller: Caller) -> wire.CommandResult:
        """Carry out a command of play and tell what it did."""
        check_scope(caller, PLAYER)  # Here, because on a Play call one without it may watch.
        asked = asked_of(request, caller)
        executed = await self._commands[type(request)](request, asked)
        return await self._result(executed, asked, include_game=request.include_game)

    def _command_call(self, request_type: type[Any], response_type: type[Any]) -> Any:
        async def answer(request: Any, call: Call) -> Any:
            return response_type(result=await self.command(request, call.caller))

        return unary(self._gate, request_type, answer)

    async def _play(self, requests: Any, call: Call) -> None:
        await PlaySession(self, self._gate, self._hub, call).run(requests)

    async def _list_rulebooks(self, _request: Any, _call: Call) -> wire.ListRulebooksResponse:
        return wire.ListRulebooksResponse(rulebooks=rulebook_messages())

    async def _create(self, request: wire.CreateGameRequest, call: Call) -> wire.CreateGameResponse:
        asked = asked_of(request, call.caller, new_game_id(call.caller.player_id, request.request_id))
        await self._host.create(asked, table_of_request(request))
        return wire.CreateGameResponse(game=await self.watching.game(asked.game_id, call.caller))

    async def _join(self, request: wire.JoinGameRequest, call: Call) -> wire.JoinGameResponse:
        asked = asked_of(request, call.caller)
        executed = await self._host.join(
            asked, code=request.invitation_code, anchor=request.anchor, signing_key=request.signing_key
        )
        game = await self.watching.game(asked.game_id, call.caller, request.invitation_code)
        return wire.JoinGameResponse(seat=_seat_taken(executed), game=game)

    async def _leave(self, request: wire.LeaveGameRequest, call: Call) -> wire.LeaveGameResponse:
        asked = asked_of(request, call.caller)
        executed = await self._host.leave(asked, request.bot_seat if request.HasField("bot_seat") else None)
        return wire.LeaveGameResponse(result=await self._result(executed, asked))

    async def _add_bot(self, request: wire.AddBotRequest, call: Call) -> wire.AddBotResponse:
        asked = asked_of(request, call.caller)
        executed = await self._host.add_bot(asked, request.strategy)
        return wire.AddBotResponse(seat=_seat_taken(executed), result=await self._result(executed, asked))

    async def _abandon(self, request: wire.AbandonGameRequest, call: Call) -> wire.AbandonGameResponse:
        asked = asked_of(request, call.caller)
        executed = await self._host.abandon(asked, request.reason)
        return wire.AbandonGameResponse(result=await self._result(executed, asked))

    async def _rematch(self, request: wire.CreateRematchRequest, call: Call) -> wire.CreateRematchResponse:
        rematch_id = await self._host.rematch(call.caller, game_id_of(request))
        return wire.CreateRematchResponse(game=await self.watching.game(rematch_id, call.caller))

    async def _fork(self, request: wire.ForkGameRequest, call: Call) -> wire.ForkGameResponse:
        asked = asked_of(request, call.caller, new_game_id(call.caller.player_id, request.request_id, "fork"))
        await fork(self._host, asked, practice_of_request(request))
        return wire.ForkGameResponse(game=await self.watching.game(asked.game_id, call.caller))

    async def _get(self, request: wire.GetGameRequest, call: Call) -> wire.GetGameResponse:
        game = await self.watching.game(game_id_of(request), call.caller, request.invitation_code)
        return wire.GetGameResponse(game=game)

    async def _list(self, request: wire.ListGamesRequest, call: Call) -> wire.ListGamesResponse:
        wanted = wanted_of(place_in_list(request), call.caller)
        listings = await self._lobby.find(wanted)
        page = listings[: wanted.limit - 1]
        place = page_token(page[-1]) if len(listings) == wanted.limit else ""
        return wire.ListGamesResponse(
            games=[summary_message(listing) for listing in page],
            next_page_token=token_in_list(place, request),
        )

    def _start(self, request: wire.StartGameRequest, asked: Asked) -> Awaitable[Executed]:
        return self._host.start(asked, request.opener if request.HasField("opener") else None)

    def _roll(self, request: wire.RollRequest, asked: Asked) -> Awaitable[Executed]:
        return self._host.roll(asked, request.link)

    def _place_bid(self, request: wire.PlaceBidRequest, asked: Asked) -> Awaitable[Executed]:
        bid = Bid(request.quantity, request.face)
        if not request.HasField("reroll"):
            return self._host.bid(asked, bid)
        return self._host.bid(asked, bid, shown_of(request.reroll), request.reroll.link)

    def _show_and_reroll(self, request: wire.ShowAndRerollRequest, asked: Asked) -> Awaitable[Executed]:
        return self._host.show_and_reroll(asked, shown_of(request.reroll), request.reroll.link)

    async def _result(self, executed: Executed, asked: Asked, *, include_game: bool = False) -> wire.CommandResult:
        viewer = viewer_of(executed.state, asked.caller.player_id)
        return wire.CommandResult(
            version=executed.version,
            events=event_messages(executed.events, executed.version, viewer),
            repeated_answer=executed.repeated,
            digest=executed.digest,
            game=await self.watching.game(asked.game_id, asked.caller) if include_game else None,
        )


def _seat_taken(executed: Executed) -> int:
    """The seat that was taken, also if it has been given back since."""
    (joined,) = executed.events
    assert isinstance(joined, PlayerJoined), "whoever takes a seat has joined"
    return joined.seat
