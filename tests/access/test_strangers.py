"""What private and delayed games do inside changes nothing that a stranger gets: lists, reads, metrics and logs.

While the clock stands still, a private game and a delayed one are played to their ends. After every move a stranger asks
everything that there is to ask, over every rpc that reads and over every route, with a token and without one. All answers
must stay the same, byte for byte. What stays out of the comparison stands in a list, each with its reason.
"""

import asyncio
import logging
import re
from functools import cache
from typing import Any

import pytest
from liarsdice.v1 import game_pb2

from domain.values import Value
from services.http.app import application
from services.http.page.site import read_site
from tests.access.test_who_may_call import FIELDS
from tests.http.readers import API, Site, on_site
from tests.http.test_late_spectators import move
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import METHODS, Player, Told
from tests.servers import projected

NOW = 1_900_000_000_000
DELAY_SECONDS = 600
COMMANDS = {
    *("CreateGame", "JoinGame", "LeaveGame", "AddBot", "StartGame", "Roll", "PlaceBid", "ShowAndReroll", "Challenge"),
    *("Forfeit", "AbandonGame", "CreateRematch", "ForkGame", "OpenDispute", "AnnotateDispute", "CloseDispute"),
    *("Register", "RotateToken", "RevokeToken"),
    *(
        "CreateClub",
        "JoinClub",
        "LeaveClub",
        "RemoveMember",
        "HandOverClub",
        "ChangeClubCode",
        "StartSeason",
        "EndSeason",
    ),
}
"""What a stranger is told about commands is the subject of other tests."""
LOG_OF_ALL = {
    *("GetCheckpoint", "GetConsistencyProof", f"{API}/checkpoint", f"{API}/checkpoints/consistency"),
    f"{API}/checkpoints/{{size}}",
}
"""The signed log has a leaf for every round of every game, and everybody may read how many there are. It would prove nothing
if games could stay out of it. On a quiet server its size tells that some round has ended, and not where. The published log,
with its entries, comes an hour later, so it is asked here like everything else."""
METRICS_OF_ALL = (
    "liarsdice_http_",  # The stranger's own requests.
    "liarsdice_rpc_calls_total",
    "liarsdice_events_seen_total",
    "liarsdice_appends_waiting",
    "liarsdice_command",
    "liarsdice_commit",
    "liarsdice_follower_lag_events",
    "liarsdice_lane_position",
    "liarsdice_refusals_total",
    "liarsdice_steward_",
    "process_",
    "python_",
)
"""Counts of everything that the server does. They are for its operator; a proxy keeps `/metrics` inside."""


def test_what_private_and_delayed_games_do_inside_tells_a_stranger_nothing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    caplog.set_level(logging.WARNING, "httpx")  # The stranger's own log.

    async def story(site: Site) -> tuple[list[dict[str, Any]], list[int], dict[str, Any]]:
        server, clock = site.server, [NOW]
        server.running.host.now = lambda: clock[0]
        ann, bob, eve = await server.players(3)
        private = await begun(site, ann, bob, private=True)
        delayed = await begun(site, ann, bob, spectator_delay_seconds=DELAY_SECONDS)
        founded = await ann.ask("CreateClub", name="Evening")  # Both games count in this club.
        await bob.ask("JoinClub", club_id=founded.club.club_id, code=founded.code)
        games, scene = (private, delayed), Scene(ann, bob, eve, private, delayed, founded.club.club_id)
        clock[0] += DELAY_SECONDS * 1_000
        await settled(site)
        told, logged = [await everything(site, scene)], [len(caplog.records)]
        # A bid; then two more, a doubt and new dice; then the end.
        for moves in (1, 3, 1):
            for game_id in games:
                await moved(game_id, ann, bob, moves, last=len(told) == 3)
            await settled(site)
            told.append(await everything(site, scene))
            logged.append(len(caplog.records))
        for game_id in games:
            await projected(server.running, game_id)
        await ann.ask("CreateRematch", game_id=private)
        await ann.ask("OpenDispute", game_id=private, round=1, reason="why")
        await settled(site)
        told.append(await everything(site, scene))
        clock[0] += DELAY_SECONDS * 1_000
        return told, logged, await everything(site, scene)

    told, logged, later = on_site(story, url=new_database(lanes=2))

    for one in told[1:]:
        assert [what for what in told[0] if told[0][what] != one[what]] == []
    assert {what for what in told[0] if told[0][what] != later[what]} > {
        "eve GetGame delayed",
        "nobody GetRecord delayed",
    }
    assert len(set(logged)) == 1
    assert len(told[0]) > 80


def test_every_rpc_is_asked_or_is_a_command() -> None:
    assert set(METHODS) > COMMANDS
    assert {name for name in METHODS if name.startswith(("Get", "List", "Watch", "Replay", "Export"))} == set(
        METHODS
    ) - COMMANDS - {"Play"}


async def begun(site: Site, ann: Player, bob: Player, **fields: Any) -> str:
    """A game in which the dice have fallen, which the read models know of."""
    game_id = await site.server.bidding([ann, bob], **fields)
    await projected(site.server.running, game_id, over=False)
    return game_id


async def moved(game_id: str, ann: Player, bob: Player, moves: int, *, last: bool) -> None:
    """Make some moves; the last one ends the game."""
    for _ in range(moves):
        game = (await ann.ask("GetGame", game_id=game_id)).game
        while game.view.phase != game_pb2.PHASE_BIDDING:
            game = (await ann.ask("GetGame", game_id=game_id)).game
        await move((ann, bob)[game.view.waiting[0]], game_id, last=last)


async def settled(site: Site) -> None:
    """Wait until the log and the read models have everything, so that it is not chance who is behind."""
    await site.server.running.logbook.caught_up(30)
    lag = re.compile(r"model_lag_events\{[^}]*\} (\S+)")
    while any(map(float, lag.findall((await site.get("/metrics")).text))):  # noqa: ASYNC110 - nobody tells when
        await asyncio.sleep(0.02)


class Scene(Value, frozen=True):
    """Two who play, one who looks on, and the games."""

    ann: Player
    bob: Player
    eve: Player
    private: str
    delayed: str
    club: str


async def everything(site: Site, scene: Scene) -> dict[str, Any]:
    """Every answer to a stranger, by what was asked; what is about a game is asked about both."""
    found: dict[str, Any] = {}
    for who, player in (("nobody", site.server.stranger), ("eve", scene.eve)):
        for what in (*sorted(set(METHODS) - COMMANDS - LOG_OF_ALL), *routes_of(site)):
            for name in ("private", "delayed") if is_about_a_game(what) else ("private",):
                game_id = getattr(scene, name)
                asking = (
                    called(player, what, game_id, scene)
                    if what in METHODS
                    else read(site, player, what, game_id, scene)
                )
                found[f"{who} {what} {name}"] = await asking
    found["metrics"] = [
        line for line in (await site.get("/metrics")).text.splitlines() if not line.startswith((*METRICS_OF_ALL, "#"))
    ]
    return found


def is_about_a_game(what: str) -> bool:
    """Whether an rpc or a route names a game."""
    if what not in METHODS:
        return "{game_id}" in what
    return what in ("Play", "ReplayGame") or "game_id" in METHODS[what][1].input_type.fields_by_name


@cache
def routes_of(site: Site) -> list[str]:
    """Every route but those that are the same for every server, and those that tell of the whole log."""
    assert site.server.running.reading is not None
    app = application(site.server.running.reading.library, read_site())
    routes = {re.sub(r":\w+\}", "}", route.path) for route in app.routes}
    return sorted(route for route in routes - LOG_OF_ALL if route.startswith((API, "/health")))


async def called(player: Player, method: str, game_id: str, scene: Scene) -> object:
    """The bytes of an answer, or of a refusal; of a stream those of its first answer."""
    kind = METHODS[method][1].input_type
    fields = dict(FIELDS.get(method, {}))
    if is_about_a_game(method):
        fields["game_id"] = game_id
    known = {"player_id": scene.ann.player_id, "other_id": scene.bob.player_id, "club_id": scene.club}
    fields |= {name: value for name, value in known.items() if name in kind.fields_by_name}
    heard = len(player.heard)
    try:
        match method:
            case "WatchGame":
                stream = player.watch(**fields)
                await anext(stream)
                stream.call.cancel()
            case "ExportRecords" | "ExportClubGames" | "ExportPlayerDecisions":
                async for _ in player.export(method, **fields):
                    pass
            case "Play":
                stream = player.play()
                await stream.send(watch=fields)
                await anext(stream)
                stream.call.cancel()
            case "ReplayGame":
                stream = await player.replay(**fields, wait_seconds_max=0)
                await anext(stream)
                stream.call.cancel()
            case _:
                await player.ask(method, **fields)
    except Told as told:
        return told.code, told.message, told.raw
    return [one.raw for one in player.heard[heard:]]


async def read(site: Site, player: Player, route: str, game_id: str, scene: Scene) -> object:
    """The answer of a route: its status, its headers and its bytes; of a stream only what comes at once."""
    ann, bob = scene.ann.player_id, scene.bob.player_id
    path = route.format(game_id=game_id, player_id=ann, number=1, version=4, club_id=scene.club, tile="entries/000.p/1")
    asked = {
        f"{API}/head-to-head": {"player": ann, "other": bob},
        f"{API}/games/{{game_id}}/replay": {"wait_seconds_max": "0"},
    }.get(route, {})
    if route.endswith("/live"):
        return await first_event(site, player, path)
    answer = await site.get(path, player, params=asked)
    kept = {name: value for name, value in answer.headers.items() if name != "date"}
    return answer.status_code, kept, answer.content


async def first_event(site: Site, player: Player, path: str) -> object:
    headers = {"Authorization": f"Bearer {player.token}"} if player.token else {}
    async with site.client.stream("GET", path, headers=headers) as answer:
        if answer.status_code != 200:
            return answer.status_code, await answer.aread()
        async for line in answer.aiter_lines():
            if line.startswith("data:"):
                return line
    return None
