"""GameService: turns requests into moves, and what the moves did into answers. No rule lives here."""

from typing import Any

from liarsdice.v1 import game_pb2
from liarsdice.v1 import game_service_pb2 as wire

from domain.events import PlayerJoined
from domain.freshness import Freshness
from domain.views import Viewer
from infra.keys.log_keys import SignerRing
from infra.workers.meter import metered
from infra.workers.turns import Turns
from services.access.caller import PLAYER, Caller
from services.audit.receipts import Receipts
from services.live.game import WatchedGame
from services.live.hub import Hub
from services.live.mailbox import Mailbox
from services.live.pulse import Pulse
from services.live.refusals import ServerDraining
from services.live.table_source import watched_table
from services.live.watching import Leave, Watching
from services.rpc.encoding import events_fields, game_message, rulebook_messages, summary_message
from services.rpc.gate import LIST_CALLS, Call, Gate, check_scope
from services.rpc.live_encoder import heartbeat
from services.rpc.method import AnyMethod, Served, both_streams, server_stream, unary
from services.rpc.page_tokens import place_in_list, token_in_list
from services.rpc.parsing import (
    asked_of,
    game_id_of,
    move_of,
    page_token,
    practice_of_request,
    table_of_request,
    wanted_of,
)
from services.rpc.replay_encoding import freshness_message
from services.rpc.services.play_stream import PlaySession
from services.rpc.services.watch_stream import WatchSession
from services.rpc.wrapping import WATCH, StreamWrapping, wrapped
from services.tables.application import Executed
from services.tables.host import GameHost
from services.tables.lobby import Lobby
from services.tables.moves import Abandon, LeaveTable, RemoveBot
from services.tables.practice import fork
from services.tables.seats import viewer_of
from services.tables.table_store import HostedTable

SERVICE = wire.DESCRIPTOR.services_by_name["GameService"].full_name
_RESULT = wire.PlaceBidResponse.RESULT_FIELD_NUMBER
_HEARTBEAT = wire.WatchGameResponse.HEARTBEAT_FIELD_NUMBER
FORK_UNITS = 5
"""To copy an event into a practice game costs as much as to read so many."""
LIST_UNITS = 50
"""What a look into the list of tables costs."""


class GameService:
    """The calls of GameService."""

    def __init__(
        self, gate: Gate, host: GameHost, lobby: Lobby, hub: Hub[HostedTable], pulse: Pulse, *, signers: SignerRing
    ) -> None:
        self._gate, self._host, self._lobby, self._pulse = gate, host, lobby, pulse
        self._watching, self._forking, self._receipts = Watching(hub, gate.budget), Turns(), Receipts(signers)

    def served(self) -> Served:
        """The methods of this service."""
        gate = self._gate
        methods: dict[str, AnyMethod] = {
            "ListRulebooks": unary(gate, wire.ListRulebooksRequest, self._list_rulebooks, same_for_all=True),
            "CreateGame": unary(gate, wire.CreateGameRequest, self._create, in_steps=True, scope=PLAYER),
            "JoinGame": unary(gate, wire.JoinGameRequest, self._join, in_steps=True, scope=PLAYER),
            "LeaveGame": unary(gate, wire.LeaveGameRequest, self._leave, scope=PLAYER),
            "AddBot": unary(gate, wire.AddBotRequest, self._add_bot, scope=PLAYER),
            "AbandonGame": unary(gate, wire.AbandonGameRequest, self._abandon, scope="admin"),
            "CreateRematch": unary(gate, wire.CreateRematchRequest, self._rematch, in_steps=True, scope=PLAYER),
            "ForkGame": unary(gate, wire.ForkGameRequest, self._fork, in_steps=True, scope=PLAYER),
            "GetGame": unary(gate, wire.GetGameRequest, self._get),
            "ListGames": unary(gate, wire.ListGamesRequest, self._list),
            "StartGame": unary(gate, wire.StartGameRequest, self._move),
            "Roll": unary(gate, wire.RollRequest, self._move),
            "PlaceBid": unary(gate, wire.PlaceBidRequest, self._move),
            "ShowAndReroll": unary(gate, wire.ShowAndRerollRequest, self._move),
            "Challenge": unary(gate, wire.ChallengeRequest, self._move),
            "Forfeit": unary(gate, wire.ForfeitRequest, self._move),
            "WatchGame": server_stream(gate, wire.WatchGameRequest, self._watch),
            "WatchGames": server_stream(gate, wire.WatchGamesRequest, self._watch_games),
            "Play": both_streams(gate, wire.PlayRequest, self._play),
        }
        return Served(SERVICE, methods)

    async def command(self, request: Any, call: Call) -> bytes:
        """Make a move, and return the bytes of its `CommandResult`, for a unary answer or for a Play stream."""
        caller = call.caller
        check_scope(caller, PLAYER)  # Checked here, because on a Play call a caller without this scope may still watch.
        executed = await self._host.play(asked_of(request, caller, self._host.marks), move_of(request))
        result = await self._result(executed, caller)
        if request.include_game:
            result.game.CopyFrom(await self._game_after(executed, call))
        return result.SerializeToString()

    async def enter(
        self, request: wire.WatchGameRequest, call: Call, mailbox: Mailbox, wrapping: StreamWrapping
    ) -> Leave:
        """Send a game and its updates into a mailbox; returns the function that ends it."""
        if self._pulse.draining:
            raise ServerDraining(version=request.after_version)
        caller = call.caller
        table, state, head, viewer = await self._host.visible(game_id_of(request), caller, request.invitation_code)
        return await self._watching.enter(
            watched_table(table, state, head),
            viewer,
            caller.player_id,
            mailbox,
            wrapping,
            payer=call.payer,
            after=request.after_version if request.HasField("after_version") else None,
            include_game=request.include_game,
        )

    async def _move(self, request: Any, call: Call) -> bytes:
        # The answers to all moves have one field, with the same number, for the result.
        return wrapped(_RESULT, await self.command(request, call))

    async def _play(self, requests: Any, call: Call) -> None:
        await PlaySession(self, self._gate, self._pulse, call).run(requests)

    async def _watch(self, request: wire.WatchGameRequest, call: Call) -> None:
        """Send a game and its updates until the caller leaves."""
        mailbox = Mailbox()
        leave = await self.enter(request, call, mailbox, WATCH)
        # The pulse begins after `enter`, because the game must come before any heartbeat.
        with self._pulse.attending(mailbox, lambda now: wrapped(_HEARTBEAT, heartbeat(now, mailbox.told)), call.renew):
            try:
                await call.begin()  # The caller sees at once that the stream is open.
                while (letter := await mailbox.take()) is not None:
                    await call.send(letter)
            finally:
                leave()

    async def _watch_games(self, request: wire.WatchGamesRequest, call: Call) -> None:
        """Send several games and their updates until the caller leaves."""
        await WatchSession(self, self._gate, self._pulse, call).run(request)

    async def _list_rulebooks(self, _request: Any, _call: Call) -> wire.ListRulebooksResponse:
        return wire.ListRulebooksResponse(rulebooks=rulebook_messages())

    async def _create(self, request: wire.CreateGameRequest, call: Call) -> wire.CreateGameResponse:
        self._gate.count_table(call)
        marks = self._host.marks
        asked = asked_of(request, call.caller, marks, marks.game_id(call.caller.player_id, request.request_id))
        executed = await self._host.create(asked, table_of_request(request))
        return wire.CreateGameResponse(
            game=await self._game_after(executed, call), receipt=await self._receipt(executed)
        )

    async def _join(self, request: wire.JoinGameRequest, call: Call) -> wire.JoinGameResponse:
        asked = asked_of(request, call.caller, self._host.marks)
        executed = await self._host.join(
            asked, code=request.invitation_code, anchor=request.anchor, signing_key=request.signing_key
        )
        return wire.JoinGameResponse(
            seat=_seat_taken(executed),
            game=await self._game_after(executed, call),
            receipt=await self._receipt(executed),
        )

    async def _leave(self, request: wire.LeaveGameRequest, call: Call) -> wire.LeaveGameResponse:
        move = RemoveBot(request.bot_seat) if request.HasField("bot_seat") else LeaveTable()
        executed = await self._host.play(asked_of(request, call.caller, self._host.marks), move)
        return wire.LeaveGameResponse(result=await self._result(executed, call.caller))

    async def _add_bot(self, request: wire.AddBotRequest, call: Call) -> wire.AddBotResponse:
        executed = await self._host.add_bot(asked_of(request, call.caller, self._host.marks), request.strategy)
        return wire.AddBotResponse(seat=_seat_taken(executed), result=await self._result(executed, call.caller))

    async def _abandon(self, request: wire.AbandonGameRequest, call: Call) -> wire.AbandonGameResponse:
        executed = await self._host.play(asked_of(request, call.caller, self._host.marks), Abandon(request.reason))
        return wire.AbandonGameResponse(result=await self._result(executed, call.caller))

    async def _rematch(self, request: wire.CreateRematchRequest, call: Call) -> wire.CreateRematchResponse:
        self._gate.count_table(call)
        done = await self._host.rematch(call.caller, game_id_of(request), without_seat=request.without_seat)
        code = (await self._host.tables.load(done.game_id)).opened.invitation_code or ""
        game = await self._game(done.game_id, call, code)
        game.invitation_code = code  # The players of the game before are all invited.
        return wire.CreateRematchResponse(game=game, receipt=await self._receipt(done))

    async def _fork(self, request: wire.ForkGameRequest, call: Call) -> wire.ForkGameResponse:
        self._gate.count_table(call)
        marks = self._host.marks
        asked = asked_of(request, call.caller, marks, marks.game_id(call.caller.player_id, request.request_id, "fork"))
        wanted = practice_of_request(request)
        self._gate.budget.check(call.payer)
        # One at a time: the past of a long game is a lot of work, and each part of it holds up everybody else.
        await self._forking.take(call.payer.caller)
        with metered() as meter:
            try:
                executed = await fork(self._host, asked, wanted)
            finally:
                self._gate.budget.charge(call.payer, meter.units * FORK_UNITS)
                self._forking.give_back()
        return wire.ForkGameResponse(game=await self._game_after(executed, call), receipt=await self._receipt(executed))

    async def _get(self, request: wire.GetGameRequest, call: Call) -> wire.GetGameResponse:
        return wire.GetGameResponse(game=await self._game(game_id_of(request), call, request.invitation_code))

    async def _list(self, request: wire.ListGamesRequest, call: Call) -> wire.ListGamesResponse:
        wanted = wanted_of(place_in_list(request), call.caller)
        self._gate.budget.check(call.payer)
        self._gate.budget.charge(call.payer, LIST_UNITS)
        self._gate.charge(call, LIST_CALLS)
        listings, is_complete = await self._lobby.find(wanted)
        page = listings[: wanted.limit - 1]
        place = page_token(page[-1]) if len(listings) == wanted.limit else ""
        return wire.ListGamesResponse(
            games=[summary_message(listing) for listing in page],
            next_page_token=token_in_list(place, request),
            freshness=freshness_message(Freshness(complete=is_complete)),
        )

    async def _result(self, executed: Executed, caller: Caller) -> wire.CommandResult:
        """What a command did, as the caller may see it."""
        viewer = viewer_of(executed.state, caller.player_id)
        return wire.CommandResult(
            version=executed.version,
            events=events_fields(executed.events, executed.version, viewer),
            repeated_answer=executed.repeated,
            digest=executed.digest,
            receipt=await self._receipt(executed),
        )

    async def _receipt(self, executed: Executed) -> bytes:
        """The receipt for a command. It tells nothing that its answer does not: the version and the digest."""
        return await self._receipts.receipt(executed.game_id, executed.version, executed.digest)

    async def _game(self, game_id: str, call: Call, code: str = "") -> game_pb2.Game:
        """The game as the caller sees it now."""
        table, state, head, viewer = await self._host.visible(game_id, call.caller, code)
        return await self._shown(watched_table(table, state, head), viewer, call)

    async def _game_after(self, executed: Executed, call: Call) -> game_pb2.Game:
        """The game as the caller sees it after a command, from the state in hand."""
        table = await self._host.tables.load(executed.game_id)
        viewer = viewer_of(executed.state, call.caller.player_id)
        return await self._shown(watched_table(table, executed.state, executed.head), viewer, call)

    async def _shown(self, game: WatchedGame[HostedTable], viewer: Viewer, call: Call) -> game_pb2.Game:
        seen = await self._watching.seen(game, viewer, call.payer)
        message = game_message(seen, viewer, now=self._host.now())
        opened = game.about.opened
        if call.caller.player_id == opened.owner_id:
            message.invitation_code = opened.invitation_code or ""  # Without a seat the owner still invites.
        return message


def _seat_taken(executed: Executed) -> int:
    """The seat that the request took; a repeated request gets it even if the player has left since."""
    (joined,) = executed.events
    assert isinstance(joined, PlayerJoined), "a request for a seat causes this event and no other"
    return joined.seat
