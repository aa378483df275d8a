"""StatisticsService: numbers about players."""

from collections.abc import Awaitable, Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from liarsdice.v1 import statistics_service_pb2 as wire
from msgspec import structs
from msgspec.structs import replace

from domain.freshness import CURRENT, Freshness
from domain.statistics.answers import DecisionsWanted, GameGrouping, PlayerGroups, Span
from services.access.refusals import FieldInvalid, ScopeMissing
from services.access.sight import Sight
from services.archive.bounds import after_of, check_decisions
from services.archive.decision_exports import PlayerDecisions
from services.archive.decisions import mark_of, mark_token
from services.archive.paging import page_size_of, token_of
from services.archive.people import unless_behind
from services.archive.refusals import ExportInterrupted
from services.archive.statistics import LIMIT_DEFAULT, LIMIT_MAX, Board
from services.desk import figures
from services.desk.desk import Desk
from services.desk.figures import Page
from services.desk.sources import Sources
from services.live.pulse import Pulse
from services.projector.watermarks import Watermarks
from services.rpc import decision_jobs
from services.rpc.gate import Call, Gate
from services.rpc.method import AnyMethod, Served, server_stream, unary
from services.rpc.page_tokens import place_in_list, token_in_list
from services.rpc.replay_encoding import freshness_message
from services.rpc.replay_parsing import times_of
from services.tables.host import GameHost
from services.wire.translation import enum_names, timestamp, to_message

SERVICE = wire.DESCRIPTOR.services_by_name["StatisticsService"].full_name
AFTER_MAX = 10_000
Asked = ParamSpec("Asked")
Found = TypeVar("Found")
_AUDITORS = {"auditor", "admin"}
"""Each of these scopes is enough for what is for auditors alone."""
_PLAYED = {name: number for number, name in enum_names(wire.Played.DESCRIPTOR).items()}


class _PagedGroups(PlayerGroups, frozen=True, kw_only=True):
    """The groups of a player with the token of the next page."""

    next_page_token: str


class StatisticsService:
    """The calls of StatisticsService."""

    def __init__(self, gate: Gate, host: GameHost, pulse: Pulse, desk: Desk, *, marks: Watermarks) -> None:
        self._gate, self._host, self._pulse = gate, host, pulse
        self._desk, self._marks = desk, marks

    def served(self) -> Served:
        """The methods of this service."""
        gate = self._gate
        methods: dict[str, AnyMethod] = {
            "GetPlayerStatistics": unary(gate, wire.GetPlayerStatisticsRequest, self._player, open_to_all=True),
            "GetLeaderboard": unary(gate, wire.GetLeaderboardRequest, self._leaderboard, open_to_all=True),
            "GetHeadToHead": unary(gate, wire.GetHeadToHeadRequest, self._head_to_head, open_to_all=True),
            "GetRatingHistory": unary(gate, wire.GetRatingHistoryRequest, self._ratings, open_to_all=True),
            "GetPlayerGroups": unary(gate, wire.GetPlayerGroupsRequest, self._groups, open_to_all=True),
            "GetMatrix": unary(gate, wire.GetMatrixRequest, self._matrix, open_to_all=True),
            "GetPassedBids": unary(gate, wire.GetPassedBidsRequest, self._passed_bids),
            "GetGameStatistics": unary(gate, wire.GetGameStatisticsRequest, self._games, open_to_all=True),
            "ListPlayerDecisions": unary(gate, wire.ListPlayerDecisionsRequest, self._decisions, open_to_all=True),
            "ListGameDecisions": unary(gate, wire.ListGameDecisionsRequest, self._of_game, open_to_all=True),
            "ExportPlayerDecisions": server_stream(
                gate, wire.ExportPlayerDecisionsRequest, self._export, open_to_all=True
            ),
        }
        return Served(SERVICE, methods)

    async def _player(self, request: wire.GetPlayerStatisticsRequest, call: Call) -> wire.GetPlayerStatisticsResponse:
        asked = request.player_id, self._sight(call), _span(request.span)
        found, freshness = await self._read(call, request.player_id, figures.player, *asked)
        return wire.GetPlayerStatisticsResponse(
            statistics=to_message(found, wire.PlayerStatistics), freshness=freshness_message(freshness)
        )

    async def _leaderboard(self, request: wire.GetLeaderboardRequest, call: Call) -> wire.GetLeaderboardResponse:
        if not 0 <= request.after <= AFTER_MAX:
            raise FieldInvalid(field="after", problem=f"must be 0 to {AFTER_MAX}")
        if request.games_min < 0:
            raise FieldInvalid(field="games_min", problem="must be 1 or more")
        board = Board(
            measure=_named(request, "measure") or "rating",
            kind=_named(request, "kind"),
            games_min=request.games_min or 1,
            limit=page_size_of(request.page_size, LIMIT_MAX, LIMIT_DEFAULT),
            after=request.after,
        )
        asked = self._sight(call), _span(request.span), board
        found, freshness = await self._read(call, board.measure, figures.leaderboard, *asked)
        return to_message(replace(found, freshness=freshness), wire.GetLeaderboardResponse)

    async def _head_to_head(self, request: wire.GetHeadToHeadRequest, call: Call) -> wire.GetHeadToHeadResponse:
        asked = request.player_id, request.other_id, self._sight(call), _span(request.span)
        found, freshness = await self._read(call, request.player_id, figures.head_to_head, *asked)
        return to_message(replace(found, freshness=freshness), wire.GetHeadToHeadResponse)

    async def _ratings(self, request: wire.GetRatingHistoryRequest, call: Call) -> wire.GetRatingHistoryResponse:
        page = Page(
            page_size_of(request.page_size, LIMIT_MAX, LIMIT_DEFAULT),
            after_of(place_in_list(request).page_token, "page_token"),
        )
        asked = request.player_id, self._sight(call), _span(request.span), page
        found, freshness = await self._read(call, request.player_id, figures.rating_history, *asked)
        place = token_of(found.points[-1].at, found.points[-1].game_id) if found.more else ""
        return wire.GetRatingHistoryResponse(
            player_id=found.player_id,
            rulebook=found.rulebook,
            since=None if found.since is None else timestamp(found.since),
            until=None if found.until is None else timestamp(found.until),
            played=_PLAYED[found.played],  # type: ignore[arg-type]  # the stubs want their own integers
            points=[to_message(point, wire.RatingPoint) for point in found.points],
            next_page_token=token_in_list(place, request),
            freshness=freshness_message(freshness),
        )

    async def _groups(self, request: wire.GetPlayerGroupsRequest, call: Call) -> wire.GetPlayerGroupsResponse:
        by = _named(request, "by")
        if by is None:
            raise FieldInvalid(field="by", problem="must be set")
        page = Page(
            page_size_of(request.page_size, LIMIT_MAX, LIMIT_DEFAULT),
            after_of(place_in_list(request).page_token, "page_token"),
        )
        asked = request.player_id, by, self._sight(call), (_span(request.span), page)
        found, freshness = await self._read(call, request.player_id, figures.groups, *asked)
        place = token_of(found.groups[-1].at or 0, found.groups[-1].group) if found.more else ""
        fields = {**structs.asdict(found), "freshness": freshness}
        paged = _PagedGroups(**fields, next_page_token=token_in_list(place, request))
        return to_message(paged, wire.GetPlayerGroupsResponse)

    async def _matrix(self, request: wire.GetMatrixRequest, call: Call) -> wire.GetMatrixResponse:
        asked = tuple(request.player_ids), self._sight(call), _span(request.span), "player_ids"
        found, freshness = await self._read(call, "matrix", figures.matrix, *asked)
        return to_message(replace(found, freshness=freshness), wire.GetMatrixResponse)

    async def _passed_bids(self, request: wire.GetPassedBidsRequest, call: Call) -> wire.GetPassedBidsResponse:
        if not _AUDITORS & set(call.caller.scopes):
            raise ScopeMissing(scope="auditor")
        asked = tuple(request.player_ids), self._sight(call), _span(request.span), "player_ids"
        found, freshness = await self._read(call, "passed bids", figures.passed_bids, *asked)
        return to_message(replace(found, freshness=freshness), wire.GetPassedBidsResponse)

    async def _games(self, request: wire.GetGameStatisticsRequest, call: Call) -> wire.GetGameStatisticsResponse:
        by: GameGrouping = _named(request, "by") or "rulebook"
        found, freshness = await self._read(call, by, figures.games, by, self._sight(call), _span(request.span))
        return to_message(replace(found, freshness=freshness), wire.GetGameStatisticsResponse)

    async def _decisions(
        self, request: wire.ListPlayerDecisionsRequest, call: Call
    ) -> wire.ListPlayerDecisionsResponse:
        asked = figures.Asked(
            span=_span(request.span),
            wanted=_wanted(request),
            limit=page_size_of(request.page_size, LIMIT_MAX, LIMIT_DEFAULT),
            after=mark_of(place_in_list(request).page_token),
        )
        found, freshness = await self._read(
            call, request.player_id, figures.player_decisions, request.player_id, self._sight(call), asked
        )
        return wire.ListPlayerDecisionsResponse(
            decisions=[to_message(one, wire.DecisionMade) for one in found.decisions],
            next_page_token=token_in_list(mark_token(found.last), request),
            freshness=freshness_message(freshness),
        )

    async def _of_game(self, request: wire.ListGameDecisionsRequest, call: Call) -> wire.ListGameDecisionsResponse:
        asked = request.game_id, self._sight(call)
        found = await self._desk.ask(call.payer, request.game_id, figures.game_decisions, *asked)
        decisions = [to_message(one, wire.DecisionMade) for one in found]
        return wire.ListGameDecisionsResponse(decisions=decisions, freshness=freshness_message(CURRENT))

    async def _export(self, request: wire.ExportPlayerDecisionsRequest, call: Call) -> None:
        wanted = PlayerDecisions(request.player_id, _span(request.span), _wanted(request))
        ask, asked = self._desk.ask_patiently, (wanted, self._sight(call))
        freshness = await self._marks.of("history", "statistics")  # Before the read, which then has at least so much.
        with unless_behind(freshness):
            course = await self._desk.ask(call.payer, request.player_id, decision_jobs.begun, *asked, request.after)
        await call.begin()  # The caller sees at once that the stream is open.
        first = wire.ExportPlayerDecisionsResponse(freshness=freshness_message(freshness)).SerializeToString()
        while first or not course.is_over:
            await call.renew()
            message, course = await ask(call.payer, request.player_id, decision_jobs.exported, *asked, course)
            await call.send(message + first)  # Two messages one after the other are one with the fields of both.
            first = b""
            if self._pulse.draining:
                raise ExportInterrupted

    async def _read(
        self,
        call: Call,
        subject: str,
        read: Callable[Concatenate[Sources, Asked], Awaitable[Found]],
        *asked: Asked.args,
        **none: Asked.kwargs,
    ) -> tuple[Found, Freshness]:
        """An answer of the desk, and how fresh it is."""
        freshness = await self._marks.of("statistics")  # Before the read, which then has at least so much.
        with unless_behind(freshness):
            return await self._desk.ask(call.payer, subject, read, *asked, **none), freshness

    def _sight(self, call: Call) -> Sight:
        return Sight(call.caller, self._host.now())


def _wanted(request: wire.ListPlayerDecisionsRequest | wire.ExportPlayerDecisionsRequest) -> DecisionsWanted:
    if not 0 <= request.regret_min <= 1:
        raise FieldInvalid(field="regret_min", problem="must be 0 to 1")
    wanted = DecisionsWanted(
        action=_named(request, "action"),
        regret_min=request.regret_min,
        dice_left=request.dice_left if request.HasField("dice_left") else None,
        players_left=request.players_left if request.HasField("players_left") else None,
        phase=_named(request, "phase"),
        bluff=request.bluff if request.HasField("bluff") else None,
        order=_named(request, "order") or "newest",
    )
    check_decisions(wanted)
    return wanted


def _span(message: wire.Span) -> Span:
    since, until = times_of("span", message)
    return Span(
        rulebook=message.rulebook or None,
        since=since,
        until=until,
        played=_named(message, "played") or "ended",
    )


def _named(message: Any, field: str) -> Any:
    """The name of a field's enum value; None if the field is not set."""
    return enum_names(message.DESCRIPTOR.fields_by_name[field].enum_type)[getattr(message, field)]
