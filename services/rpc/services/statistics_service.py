"""StatisticsService: numbers about players."""

from typing import Any

from liarsdice.v1 import statistics_service_pb2 as wire
from msgspec.structs import replace

from domain.freshness import Freshness
from domain.statistics.answers import Span
from services.access.refusals import FieldInvalid
from services.access.sight import Sight
from services.archive.bounds import after_of
from services.archive.paging import page_size_of, token_of
from services.archive.statistics import LIMIT_DEFAULT, LIMIT_MAX
from services.desk import figures
from services.desk.desk import Desk
from services.desk.figures import Board, Page
from services.projector.watermarks import Watermarks
from services.rpc.gate import Call, Gate
from services.rpc.method import Served, unary
from services.rpc.page_tokens import place_in_list, token_in_list
from services.rpc.replay_encoding import freshness_message
from services.rpc.replay_parsing import times_of
from services.tables.host import GameHost
from services.wire.translation import enum_names, timestamp, to_message

SERVICE = wire.DESCRIPTOR.services_by_name["StatisticsService"].full_name
AFTER_MAX = 10_000
_PLAYED = {name: number for number, name in enum_names(wire.Played.DESCRIPTOR).items()}


class StatisticsService:
    """The calls of StatisticsService."""

    def __init__(self, gate: Gate, host: GameHost, desk: Desk, marks: Watermarks) -> None:
        self._gate, self._host, self._desk, self._marks = gate, host, desk, marks

    def served(self) -> Served:
        """The methods of this service."""
        gate = self._gate
        methods = {
            "GetPlayerStatistics": unary(gate, wire.GetPlayerStatisticsRequest, self._player, open_to_all=True),
            "GetLeaderboard": unary(gate, wire.GetLeaderboardRequest, self._leaderboard, open_to_all=True),
            "GetHeadToHead": unary(gate, wire.GetHeadToHeadRequest, self._head_to_head, open_to_all=True),
            "GetRatingHistory": unary(gate, wire.GetRatingHistoryRequest, self._ratings, open_to_all=True),
        }
        return Served(SERVICE, methods)

    async def _player(self, request: wire.GetPlayerStatisticsRequest, call: Call) -> wire.GetPlayerStatisticsResponse:
        asked = request.player_id, self._sight(call), _span(request.span)
        freshness = await self._freshness()
        found = await self._desk.ask(call.payer, request.player_id, figures.player, *asked)
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
        freshness = await self._freshness()
        found = await self._desk.ask(call.payer, board.measure, figures.leaderboard, *asked)
        return to_message(replace(found, freshness=freshness), wire.GetLeaderboardResponse)

    async def _head_to_head(self, request: wire.GetHeadToHeadRequest, call: Call) -> wire.GetHeadToHeadResponse:
        asked = request.player_id, request.other_id, self._sight(call), _span(request.span)
        freshness = await self._freshness()
        found = await self._desk.ask(call.payer, request.player_id, figures.head_to_head, *asked)
        return to_message(replace(found, freshness=freshness), wire.GetHeadToHeadResponse)

    async def _ratings(self, request: wire.GetRatingHistoryRequest, call: Call) -> wire.GetRatingHistoryResponse:
        page = Page(
            page_size_of(request.page_size, LIMIT_MAX, LIMIT_DEFAULT),
            after_of(place_in_list(request).page_token, "page_token"),
        )
        asked = request.player_id, self._sight(call), _span(request.span), page
        freshness = await self._freshness()
        found = await self._desk.ask(call.payer, request.player_id, figures.rating_history, *asked)
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

    async def _freshness(self) -> Freshness:
        """How fresh what is read after this is."""
        return await self._marks.of("statistics")

    def _sight(self, call: Call) -> Sight:
        return Sight(call.caller, self._host.now())


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
