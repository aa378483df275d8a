"""ReplayService: past games, their records and steps, timed replays and export."""

from typing import Any

from liarsdice.v1 import replay_service_pb2 as wire
from liarsdice.v1.freshness_pb2 import ModelFreshness

from services.access.refusals import FieldInvalid
from services.access.sight import Sight
from services.archive.archive import Archive
from services.archive.bounds import STEPS_MAX, after_of
from services.archive.exports import Course, Part
from services.archive.paging import page_size_of, token_of
from services.archive.people import check_player
from services.desk.desk import Desk
from services.desk.film import Reader
from services.live.pulse import Pulse
from services.projector.watermarks import Watermarks
from services.rpc import replay_jobs
from services.rpc.gate import LIST_CALLS, Call, Gate
from services.rpc.method import AnyMethod, Served, both_streams, server_stream, unary
from services.rpc.page_tokens import place_in_list, token_in_list
from services.rpc.parsing import game_id_of
from services.rpc.replay_encoding import freshness_message, past_game_message
from services.rpc.replay_parsing import over_of, viewpoint_of, wanted_of
from services.rpc.services.record_stream import RecordStream
from services.rpc.services.replay_stream import ReplayStream
from services.tables.host import GameHost
from services.wire.translation import timestamp, to_message

SERVICE = wire.DESCRIPTOR.services_by_name["ReplayService"].full_name


class ReplayService:
    """The calls of ReplayService."""

    def __init__(
        self, gate: Gate, host: GameHost, pulse: Pulse, archive: Archive, desk: Desk, *, marks: Watermarks
    ) -> None:
        self._gate, self._host, self._pulse = gate, host, pulse
        self._archive, self._desk, self._marks = archive, desk, marks

    def served(self) -> Served:
        """The methods of this service."""
        gate = self._gate
        methods: dict[str, AnyMethod] = {
            "ListPastGames": unary(gate, wire.ListPastGamesRequest, self._list, open_to_all=True),
            "GetRecord": unary(gate, wire.GetRecordRequest, self._record, open_to_all=True),
            "ListSteps": unary(gate, wire.ListStepsRequest, self._steps, open_to_all=True),
            "GetStep": unary(gate, wire.GetStepRequest, self._step, open_to_all=True),
            "ReplayGame": both_streams(gate, wire.ReplayGameRequest, self._replay, open_to_all=True),
            "ExportRecords": server_stream(gate, wire.ExportRecordsRequest, self._export, open_to_all=True),
            "GetFreshness": unary(gate, wire.GetFreshnessRequest, self._freshness, open_to_all=True),
        }
        return Served(SERVICE, methods)

    async def _list(self, request: wire.ListPastGamesRequest, call: Call) -> wire.ListPastGamesResponse:
        size = page_size_of(request.page_size)
        after = after_of(place_in_list(request).page_token, "page_token")
        self._gate.charge(call, LIST_CALLS)
        freshness = await self._marks.of("games")  # Before the read, which then has at least so much.
        # We ask for one more than the page holds: if it comes, there is another page.
        wanted, sight = wanted_of(request.filter), self._sight(call)
        found = await self._archive.games(wanted, sight, size + 1, after)
        if not found:
            await check_player(self._archive, wanted, sight, await self._marks.of("games", "statistics"))
        page = found[:size]
        place = token_of(page[-1].created_at, page[-1].game_id) if len(found) > size else ""
        return wire.ListPastGamesResponse(
            games=[past_game_message(listing) for listing in page],
            next_page_token=token_in_list(place, request),
            freshness=freshness_message(freshness),
        )

    async def _record(self, request: wire.GetRecordRequest, call: Call) -> bytes:
        game_id = game_id_of(request)
        return await self._desk.ask(call.payer, game_id, replay_jobs.record, game_id, self._sight(call))

    async def _steps(self, request: wire.ListStepsRequest, call: Call) -> bytes:
        game_id, size = game_id_of(request), page_size_of(request.page_size, STEPS_MAX, STEPS_MAX)
        if request.after_version < 0:
            raise FieldInvalid(field="after_version", problem="must be a step, or 0")
        asked = game_id, self._sight(call), request.after_version, size
        return await self._desk.ask(call.payer, game_id, replay_jobs.steps, *asked)

    async def _step(self, request: wire.GetStepRequest, call: Call) -> bytes:
        reader = Reader(game_id_of(request), self._sight(call), viewpoint_of(request.viewpoint), own_dice=True)
        version = request.version if request.HasField("version") else None
        return await self._desk.ask(call.payer, reader.game_id, replay_jobs.step, reader, version)

    async def _replay(self, requests: Any, call: Call) -> None:
        await ReplayStream(self._gate, self._pulse, call).run(requests, self._desk, self._sight(call))

    async def _export(self, request: wire.ExportRecordsRequest, call: Call) -> None:
        wanted, sight = over_of(request.filter), self._sight(call)
        freshness = await self._marks.of("history")  # Before the read, which then has at least so much.
        await check_player(self._archive, wanted, sight, await self._marks.of("games", "statistics"))
        course = await self._desk.ask(call.payer, "export", replay_jobs.export_begun, wanted, sight, request.after)
        await call.begin()  # The caller sees at once that the stream is open.

        async def part_of(course: Course) -> Part:
            return await self._desk.ask_patiently(call.payer, "export", replay_jobs.records, wanted, sight, course)

        await RecordStream(call, self._pulse, wire.ExportRecordsResponse, freshness).run(course, part_of)

    async def _freshness(self, _request: wire.GetFreshnessRequest, _call: Call) -> wire.GetFreshnessResponse:
        # The time comes first: what was committed before it is not promised before a watermark has reached it.
        now = timestamp(self._host.now())
        models = [to_message(one, ModelFreshness) for one in await self._marks.every()]
        return wire.GetFreshnessResponse(now=now, models=models)

    def _sight(self, call: Call) -> Sight:
        return Sight(call.caller, self._host.now())
