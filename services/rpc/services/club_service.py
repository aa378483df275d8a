"""ClubService: players found and join clubs, and look at their seasons."""

from typing import Any

from liarsdice.v1 import club_service_pb2 as wire
from msgspec.structs import replace

from domain.freshness import CURRENT
from domain.naming import is_id
from services.access.caller import PLAYER
from services.access.rate_limit import RateLimit
from services.access.refusals import FieldInvalid
from services.access.sight import Sight
from services.archive.exports import Course, Part
from services.clubs.club import Club
from services.clubs.club_rules import NewClub
from services.clubs.clubs import ClubAsked, Clubs
from services.desk import club_reads
from services.desk.desk import Desk
from services.live.pulse import Pulse
from services.projector.watermarks import Watermarks
from services.rpc.gate import Call, Gate
from services.rpc.method import AnyMethod, Served, server_stream, unary
from services.rpc.parsing import asked_of
from services.rpc.replay_encoding import freshness_message
from services.rpc.services.record_stream import RecordStream
from services.tables.host import GameHost
from services.wire.translation import to_message

SERVICE = wire.DESCRIPTOR.services_by_name["ClubService"].full_name
SEASON_DEFAULT = "Season 1"
_JOINS_A_SECOND, _JOINS_SECONDS = 0.1, 100.0
"""Ten attempts to join at once, then one in ten seconds: people mistype a code, and nobody guesses one that way."""
_ADDRESS_SHARES = 10
"""A whole club that meets at one address joins within a minute."""


class ClubService:
    """The calls of ClubService."""

    def __init__(
        self, gate: Gate, host: GameHost, clubs: Clubs, desk: Desk, pulse: Pulse, *, marks: Watermarks
    ) -> None:
        self._gate, self._host, self._clubs, self._desk, self._pulse = gate, host, clubs, desk, pulse
        self._marks = marks
        self._joins_of_player = RateLimit(_JOINS_A_SECOND, _JOINS_SECONDS, what="attempts to join a club")
        # Behind a proxy all callers have the same address, and then addresses have no limit.
        rate = _JOINS_A_SECOND * _ADDRESS_SHARES if gate.of_address.rate else 0.0
        self._joins_of_address = RateLimit(rate, _JOINS_SECONDS, what="attempts to join a club")

    def served(self) -> Served:
        """The methods of this service."""
        gate = self._gate
        methods: dict[str, AnyMethod] = {
            "CreateClub": unary(gate, wire.CreateClubRequest, self._create, in_steps=True, scope=PLAYER),
            "JoinClub": unary(gate, wire.JoinClubRequest, self._join, in_steps=True, scope=PLAYER),
            "LeaveClub": unary(gate, wire.LeaveClubRequest, self._leave, scope=PLAYER),
            "RemoveMember": unary(gate, wire.RemoveMemberRequest, self._remove, scope=PLAYER),
            "HandOverClub": unary(gate, wire.HandOverClubRequest, self._hand_over, scope=PLAYER),
            "ChangeClubCode": unary(gate, wire.ChangeClubCodeRequest, self._change_code, scope=PLAYER),
            "StartSeason": unary(gate, wire.StartSeasonRequest, self._start_season, scope=PLAYER),
            "EndSeason": unary(gate, wire.EndSeasonRequest, self._end_season, scope=PLAYER),
            "ListClubs": unary(gate, wire.ListClubsRequest, self._list),
            "GetClub": unary(gate, wire.GetClubRequest, self._get),
            "GetSeasonTable": unary(gate, wire.GetSeasonTableRequest, self._table),
            "GetAttendance": unary(gate, wire.GetAttendanceRequest, self._attendance),
            "ExportClubGames": server_stream(gate, wire.ExportClubGamesRequest, self._export),
        }
        return Served(SERVICE, methods)

    async def _create(self, request: wire.CreateClubRequest, call: Call) -> wire.CreateClubResponse:
        club_id = self._host.marks.game_id(call.caller.player_id, request.request_id, "club")
        wanted = NewClub(
            name=request.name,
            season=request.season_name or SEASON_DEFAULT,
            time_zone=request.time_zone or "UTC",
            counts_bots=request.counts_bots,
        )
        club = await self._clubs.found(self._asked(request, call, club_id), wanted)
        return wire.CreateClubResponse(club=_club_message(club), code=club.code or "")

    async def _join(self, request: wire.JoinClubRequest, call: Call) -> wire.JoinClubResponse:
        self._joins_of_player.check(call.caller.player_id)
        self._joins_of_address.check(call.address)
        club = await self._clubs.join(self._asked(request, call), request.code)
        return wire.JoinClubResponse(club=_club_message(club))

    async def _leave(self, request: wire.LeaveClubRequest, call: Call) -> wire.LeaveClubResponse:
        await self._clubs.leave(self._asked(request, call))
        return wire.LeaveClubResponse()

    async def _remove(self, request: wire.RemoveMemberRequest, call: Call) -> wire.RemoveMemberResponse:
        club = await self._clubs.remove(self._asked(request, call), request.player_id)
        return wire.RemoveMemberResponse(club=_club_message(club))

    async def _hand_over(self, request: wire.HandOverClubRequest, call: Call) -> wire.HandOverClubResponse:
        club = await self._clubs.hand_over(self._asked(request, call), request.player_id)
        return wire.HandOverClubResponse(club=_club_message(club))

    async def _change_code(self, request: wire.ChangeClubCodeRequest, call: Call) -> wire.ChangeClubCodeResponse:
        club = await self._clubs.change_code(self._asked(request, call))
        return wire.ChangeClubCodeResponse(code=club.code or "")

    async def _start_season(self, request: wire.StartSeasonRequest, call: Call) -> wire.StartSeasonResponse:
        club = await self._clubs.start_season(self._asked(request, call), request.name)
        return wire.StartSeasonResponse(club=_club_message(club))

    async def _end_season(self, request: wire.EndSeasonRequest, call: Call) -> wire.EndSeasonResponse:
        club = await self._clubs.end_season(self._asked(request, call))
        return wire.EndSeasonResponse(club=_club_message(club))

    async def _list(self, _request: wire.ListClubsRequest, call: Call) -> wire.ListClubsResponse:
        freshness = await self._marks.of("clubs")  # Before the read, which then has at least so much.
        found = await self._desk.ask(call.payer, call.caller.player_id, club_reads.clubs, self._sight(call))
        clubs = [to_message(club, wire.ClubListing) for club in found]
        return wire.ListClubsResponse(clubs=clubs, freshness=freshness_message(freshness))

    async def _get(self, request: wire.GetClubRequest, call: Call) -> wire.GetClubResponse:
        club_id = _club_id_of(request)
        club = await self._desk.ask(call.payer, club_id, club_reads.club, club_id, self._sight(call))
        code = await self._clubs.code_of(club_id, call.caller)
        found = to_message(club, wire.Club)
        return wire.GetClubResponse(club=found, code=code or "", freshness=freshness_message(CURRENT))

    async def _table(self, request: wire.GetSeasonTableRequest, call: Call) -> wire.GetSeasonTableResponse:
        asked, freshness = self._asked_for(request, call), await self._marks.of("statistics")
        found = await self._desk.ask(call.payer, request.club_id, club_reads.season_table, *asked)
        return to_message(replace(found, freshness=freshness), wire.GetSeasonTableResponse)

    async def _attendance(self, request: wire.GetAttendanceRequest, call: Call) -> wire.GetAttendanceResponse:
        asked, freshness = self._asked_for(request, call), await self._marks.of("statistics")
        found = await self._desk.ask(call.payer, request.club_id, club_reads.attendance, *asked)
        return to_message(replace(found, freshness=freshness), wire.GetAttendanceResponse)

    async def _export(self, request: wire.ExportClubGamesRequest, call: Call) -> None:
        club_id, season, sight = self._asked_for(request, call)
        ask, payer = self._desk.ask_patiently, call.payer
        freshness = await self._marks.of(*club_reads.EXPORTED_FROM)
        number = await ask(payer, club_id, club_reads.season_number, club_id, season, sight)
        course = await ask(payer, club_id, club_reads.export_begun, club_id, number, sight, request.after)
        await call.begin()  # A stranger was refused before the stream is open.

        async def part_of(course: Course) -> Part:
            return await ask(payer, club_id, club_reads.exported, club_id, number, sight, course)

        await RecordStream(call, self._pulse, wire.ExportClubGamesResponse, freshness).run(course, part_of)

    def _asked(self, request: Any, call: Call, club_id: str | None = None) -> ClubAsked:
        asked = asked_of(request, call.caller, self._host.marks, club_id or _club_id_of(request))
        return ClubAsked(asked.caller, asked.game_id, asked.request_id, asked.fingerprint)

    def _asked_for(self, request: Any, call: Call) -> tuple[str, int | None, Sight]:
        """The club, the season and the sight of a read."""
        if request.season < 0:
            raise FieldInvalid(field="season", problem="must be the number of a season, or 0 for all games")
        return _club_id_of(request), request.season if request.HasField("season") else None, self._sight(call)

    def _sight(self, call: Call) -> Sight:
        return Sight(call.caller, self._host.now())


def _club_id_of(request: Any) -> str:
    """The club that a request is about."""
    if not is_id(request.club_id):
        problem = "must be the id of a club: 1 to 64 letters, digits, dots, hyphens or underscores"
        raise FieldInvalid(field="club_id", problem=problem)
    return str(request.club_id)


def _club_message(club: Club) -> wire.Club:
    return to_message(club.answer(), wire.Club)
