"""Every list, statistic, replay, record and export says how fresh it is, over every protocol."""

import asyncio
import re
from typing import Any

from liarsdice.v1 import club_service_pb2, replay_service_pb2, statistics_service_pb2
from msgspec.structs import replace

from services.http.app import application
from services.http.page.site import read_site
from services.http.responses import CAUGHT_UP_TO, COMPLETE
from services.projector import watermarks
from tests.archive.stored import Made, store
from tests.http.readers import API, HTTP_SETTINGS, Site, on_site
from tests.infra.postgres.databases import new_database
from tests.projector.models import Models, on_models
from tests.rpc.servers import Told

GAMES = [Made(game_id=f"game-{number}", players=("ann", "bob"), ended_at=1_000_000 * number) for number in (1, 2, 3)]
KNOWN = "bot.cautious"
"""A player whom everybody knows, also before any game is counted."""
WITHOUT_PROJECTOR = replace(HTTP_SETTINGS, projects=False)
BEHIND = {"games", "history", "replays", "statistics"}
OTHERS = {"clubs": True}
"""A game changes nothing in this model, so it lacks nothing."""
FROM_MODELS: dict[str, dict[str, Any]] = {
    "ListPastGames": {},
    "GetPlayerStatistics": {"player_id": KNOWN},
    "GetLeaderboard": {},
    "GetHeadToHead": {"player_id": KNOWN, "other_id": "bot.bluffing"},
    "GetRatingHistory": {"player_id": KNOWN},
    "GetPlayerGroups": {"player_id": KNOWN, "by": 9},
    "GetMatrix": {"player_ids": [KNOWN, "bot.bluffing"]},
    "GetGameStatistics": {},
    "ListPlayerDecisions": {"player_id": KNOWN},
}
FROM_EVENTS: dict[str, dict[str, Any]] = {
    "GetRecord": {"game_id": "game-1"},
    "ListSteps": {"game_id": "game-1"},
    "GetStep": {"game_id": "game-1"},
    "ListGameDecisions": {"game_id": "game-1"},
}
PATHS = {
    "/games": "games",
    "/players": "players",
    f"/players/{KNOWN}/statistics": "statistics",
    f"/players/{KNOWN}/ratings": "ratings",
    f"/players/{KNOWN}/groups?by=week": "groups",
    f"/players/{KNOWN}/decisions": "decisions",
    "/leaderboards": "leaderboards",
    f"/head-to-head?player={KNOWN}&other=bot.bluffing": "head-to-head",
    f"/matrix?players={KNOWN},bot.bluffing": "matrix",
    "/statistics/games": "statistics/games",
}
ABOUT_A_PLAYER: dict[str, dict[str, Any]] = {
    "GetPlayerStatistics": {},
    "GetHeadToHead": {"other_id": KNOWN},
    "GetRatingHistory": {},
    "GetPlayerGroups": {"by": 9},
    "GetMatrix": {},
    "ListPlayerDecisions": {},
}
PATHS_ABOUT = (
    *("/players/{0}", "/players/{0}/statistics", "/players/{0}/ratings", "/players/{0}/groups?by=week"),
    *(
        "/players/{0}/decisions",
        "/players/{0}/decisions/export",
        "/head-to-head?player={0}&other=bot.bluffing",
        "/matrix?players={0},bot.bluffing",
    ),
)
PATHS_OF_CLUB = ("", "/table", "/attendance", "/games")
EXPORTS = ("/export", f"/players/{KNOWN}/decisions/export")
PATHS_OF_GAME = (
    *("", "/steps", "/steps/3", "/rounds", "/record", "/decisions", "/decisions/export"),
    "/replay?wait_seconds_max=0&from=20",
)
WITHOUT_FRESHNESS = {
    *("/rulebooks", "/checkpoint", "/checkpoints/keys", "/checkpoints/consistency", "/checkpoints/{size}"),
    *("/log/checkpoint", "/log/tile/{tile}"),
    *("/games/{game_id}/live", "/games/{game_id}/audit", "/games/{game_id}/rounds/{number}/audit", "/freshness"),
}
"""What is no list, statistic, replay, record or export; `/freshness` says it of all."""


def behind() -> str:
    """A store with games that no read model has taken in."""
    url = new_database(lanes=2)
    on_models(url, lambda models: store(models, GAMES))
    return url


def test_while_models_are_behind_every_answer_from_them_says_so_and_afterwards_that_it_is_complete() -> None:
    url = behind()

    async def story(site: Site) -> None:
        await check_calls(site, complete=False)
        await check_paths(site, complete=False)
        assert not (await site.read("/games"))["games"]
        ready = await site.get("/health/ready")
        assert (ready.status_code, ready.json()["status"]) == (200, "ready")
        assert set(ready.json()["catching_up"]) == BEHIND
        await asyncio.to_thread(on_models, url, Models.caught_up)
        await asyncio.sleep(watermarks.LOOK_SECONDS)
        await check_calls(site, complete=True)
        await check_paths(site, complete=True)
        assert len((await site.read("/games"))["games"]) == len(GAMES)
        assert (await site.get("/health/ready")).json() == {"status": "ready"}

    on_site(story, WITHOUT_PROJECTOR, url)


def test_while_models_are_behind_a_player_whom_nobody_knows_may_be_missing_and_every_answer_says_so() -> None:
    url = behind()

    async def refusals(site: Site, player_id: str) -> set[str]:
        found = set()
        for method, fields in ABOUT_A_PLAYER.items():
            who = {"player_ids": [player_id, KNOWN]} if method == "GetMatrix" else {"player_id": player_id}
            found.add(await reason(site, method, **who, **fields))
        for path in PATHS_ABOUT:
            answer = await site.get(API + path.format(player_id))
            assert answer.status_code in (200, 404), path
            found.add("" if answer.status_code == 200 else answer.json()["reason"])  # An export is lines of JSON.
        return found

    async def story(site: Site) -> None:
        assert await refusals(site, "ann") == {"PLAYER_NOT_KNOWN_YET"}
        assert await refusals(site, "nobody") == {"PLAYER_NOT_KNOWN_YET"}
        await asyncio.to_thread(on_models, url, Models.caught_up)
        await asyncio.sleep(watermarks.LOOK_SECONDS)
        assert await refusals(site, "ann") == {""}
        assert await refusals(site, "nobody") == {"NO_SUCH_PLAYER"}

    on_site(story, WITHOUT_PROJECTOR, url)


async def reason(site: Site, method: str, **fields: Any) -> str:
    """Why a call fails; nothing if it does not."""
    try:
        await site.server.stranger.ask(method, **fields)
    except Told as told:
        return f"{told.code.name} {told.reason}".removeprefix("NOT_FOUND ")
    return ""


async def check_calls(site: Site, *, complete: bool) -> None:
    stranger = site.server.stranger
    for method, fields in FROM_MODELS.items():
        answer = await stranger.ask(method, **fields)
        assert answer.HasField("freshness"), method
        assert answer.freshness.complete == complete, method
        assert answer.freshness.HasField("caught_up_to") == complete, "they have never caught up"
    for method, fields in FROM_EVENTS.items():
        assert (await stranger.ask(method, **fields)).freshness.complete, method
    exported = [part async for part in stranger.export()]
    assert [part.HasField("freshness") for part in exported] == [True, *[False] * (len(exported) - 1)]
    assert exported[0].freshness.complete == complete
    assert sum(len(part.records) for part in exported) == (len(GAMES) if complete else 0)
    replay = await stranger.replay("game-1", wait_seconds_max=0)
    assert (await replay.next("position")).freshness.complete
    replay.call.cancel()
    told = await stranger.ask("GetFreshness")
    assert {one.model: one.freshness.complete for one in told.models} == OTHERS | dict.fromkeys(BEHIND, complete)
    assert all(one.percent == (100 if one.freshness.complete else 0) and not one.stopped for one in told.models)


async def check_paths(site: Site, *, complete: bool) -> None:
    word = str(complete).lower()
    for path in PATHS:
        answer = await site.get(f"{API}{path}")
        assert answer.headers[COMPLETE] == word, path
        assert (CAUGHT_UP_TO in answer.headers) == complete, path
        assert answer.json()["freshness"] == {"complete": complete, "caught_up_to": None}, path
    for path in EXPORTS:
        assert (await site.get(f"{API}{path}")).headers[COMPLETE] == word, path
    for part in PATHS_OF_GAME:
        answer = await site.get(f"{API}/games/game-1{part}")
        assert (answer.status_code, answer.headers[COMPLETE]) == (200, "true"), part
    told = await site.read("/freshness")
    models = {one["model"]: one["freshness"]["complete"] for one in told["models"]}
    assert models == OTHERS | dict.fromkeys(BEHIND, complete)


def test_answers_about_clubs_say_how_fresh_the_models_are_that_they_come_from() -> None:
    url = behind()

    async def story(site: Site) -> None:
        ann = await site.server.player("Ann")
        club_id = (await ann.ask("CreateClub", name="Thursday")).club.club_id
        await asyncio.sleep(watermarks.LOOK_SECONDS)
        told = {part: (await site.get(f"{API}/clubs/{club_id}{part}", ann)).headers[COMPLETE] for part in PATHS_OF_CLUB}
        assert told == {"": "true", "/table": "false", "/attendance": "false", "/games": "false"}
        calls = {"GetClub": True, "GetSeasonTable": False, "GetAttendance": False}
        assert {method: (await ann.ask(method, club_id=club_id)).freshness.complete for method in calls} == calls
        (exported,) = [part async for part in ann.export("ExportClubGames", club_id=club_id)]
        assert (exported.HasField("freshness"), exported.freshness.complete) == (True, False)
        await asyncio.to_thread(on_models, url, Models.caught_up)
        await asyncio.sleep(watermarks.LOOK_SECONDS)
        for path in ("/clubs", *(f"/clubs/{club_id}{part}" for part in PATHS_OF_CLUB)):
            assert (await site.get(f"{API}{path}", ann)).headers[COMPLETE] == "true", path
        assert (await site.read("/clubs", ann))["freshness"] == {"complete": True, "caught_up_to": None}
        assert (await ann.ask("ListClubs")).freshness.HasField("caught_up_to")

    on_site(story, WITHOUT_PROJECTOR, url)


def test_every_answer_of_the_services_has_a_place_for_it() -> None:
    files = (replay_service_pb2.DESCRIPTOR, statistics_service_pb2.DESCRIPTOR, club_service_pb2.DESCRIPTOR)
    answers = {
        method.name: method.output_type
        for file in files
        for service in file.services_by_name.values()
        for method in service.methods
        if not method.input_type.fields_by_name.get("request_id")  # It changes a club.
    }
    assert "models" in answers.pop("GetFreshness").fields_by_name
    replayed = answers.pop("ReplayGame").fields_by_name["position"].message_type
    assert replayed is not None
    for name, answer in {**answers, "ReplayGame": replayed}.items():
        assert answer.fields_by_name["freshness"].number == 15, name


def test_every_route_is_tried_here_or_tells_nothing_from_a_model() -> None:
    async def story(site: Site) -> set[str]:
        assert site.server.running.reading is not None
        routes = application(site.server.running.reading.library, read_site()).routes
        return {re.sub(r":\w+\}", "}", route.path).removeprefix(API) for route in routes if route.path.startswith(API)}

    tried = {re.sub(KNOWN, "{player_id}", path.partition("?")[0]) for path in (*PATHS, *EXPORTS)}
    tried |= {"/players/{player_id}"}  # Its answer is one of `/players`.
    tried |= {"/clubs", *(f"/clubs/{{club_id}}{part}" for part in PATHS_OF_CLUB)}
    tried |= {f"/games/{{game_id}}{part.partition('?')[0].replace('/3', '/{version}')}" for part in PATHS_OF_GAME}
    assert on_site(story) == tried | WITHOUT_FRESHNESS


def test_a_list_that_has_not_changed_is_not_sent_again_although_time_has_passed() -> None:
    async def story(site: Site) -> None:
        clock = [1_900_000_000_000]
        site.server.running.host.now = lambda: clock[0]
        for path in PATHS:
            first = await site.get(f"{API}{path}")
            clock[0] += 10_000
            again = await site.get(f"{API}{path}", headers={"If-None-Match": first.headers["etag"]})
            assert (again.status_code, again.headers[COMPLETE]) == (304, "true"), path
            assert again.headers[CAUGHT_UP_TO] > first.headers[CAUGHT_UP_TO], (
                "a cache must not go on telling the old time"
            )

    url = behind()
    on_models(url, Models.caught_up)
    on_site(story, WITHOUT_PROJECTOR, url)


def test_a_list_that_has_the_same_games_but_is_not_complete_is_sent_again() -> None:
    url = new_database(lanes=1)

    async def story(site: Site) -> None:
        empty = await site.get(f"{API}/games?rulebook=pirates")
        assert empty.headers[COMPLETE] == "true"
        await asyncio.to_thread(on_models, url, lambda models: store(models, GAMES))
        while (answer := await site.get(f"{API}/games?rulebook=pirates")).headers[COMPLETE] == "true":  # noqa: ASYNC110 - as time passes
            await asyncio.sleep(0.1)
        assert answer.headers["etag"] != empty.headers["etag"]
        assert answer.json()["freshness"]["caught_up_to"] is not None

    on_site(story, WITHOUT_PROJECTOR, url)
