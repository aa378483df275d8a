"""Who may call what: every rpc and every route, for every kind of caller. A new one without a row fails here.

The calls are about a private game where there is one to be about. In the tables, `sees` means that the answer names that
game and `ok` that there is another answer. Everything else is why there is none; with `rule` the caller was let through,
and the game or its rules refuse the call.
"""

import re
from typing import Any

import pytest

from services.audit.published_tiles import PublishedTiles
from services.http.app import application
from services.http.page.site import ASSETS, read_site
from tests.access.callers import CALLERS, Scene, fresh_game, fresh_table, outcome, rows_of, scene, word_of, written
from tests.connect.channels import PROTOCOLS
from tests.extent import extent
from tests.http.readers import API, Site, on_site
from tests.rpc.servers import METHODS, Player, channel_to

CALLS = """
                    nobody   invalid  revoked  another  auditor  admin    seated
AbandonGame         missing  invalid  invalid  scope    scope    ok       scope
AddBot              missing  invalid  invalid  owner    scope    scope    ok
AnnotateDispute     missing  invalid  invalid  scope    sees     scope    scope
Challenge           missing  invalid  invalid  seat     scope    scope    rule
ChangeClubCode      missing  invalid  invalid  club     scope    scope    ok
CloseDispute        missing  invalid  invalid  scope    sees     scope    scope
CreateClub          missing  invalid  invalid  ok       scope    scope    ok
CreateGame          missing  invalid  invalid  ok       scope    scope    ok
CreateRematch       missing  invalid  invalid  seat     scope    scope    sees
EndSeason           missing  invalid  invalid  club     scope    scope    ok
ExportClubGames     missing  invalid  invalid  club     club     club     sees
ExportPlayerDecisions ok       invalid  invalid  ok       ok       ok       ok
ExportRecords       ok       invalid  invalid  ok       sees     sees     sees
Forfeit             missing  invalid  invalid  seat     scope    scope    ok
ForkGame            missing  invalid  invalid  private  scope    scope    sees
GetAttendance       missing  invalid  invalid  club     club     club     ok
GetAudit            missing  invalid  invalid  code     sees     code     sees
GetCheckpoint       ok       ok       ok       ok       ok       ok       ok
GetClub             missing  invalid  invalid  club     club     club     ok
GetConsistencyProof ok       ok       ok       ok       ok       ok       ok
GetFreshness        ok       invalid  invalid  ok       ok       ok       ok
GetGame             missing  invalid  invalid  code     code     code     sees
GetGameStatistics   ok       invalid  invalid  ok       ok       ok       ok
GetHeadToHead       ok       invalid  invalid  ok       ok       ok       ok
GetLeaderboard      ok       invalid  invalid  ok       ok       ok       ok
GetMatrix           ok       invalid  invalid  ok       ok       ok       ok
GetPassedBids       missing  invalid  invalid  scope    ok       ok       scope
GetPlayer           missing  invalid  invalid  ok       ok       ok       ok
GetPlayerGroups     ok       invalid  invalid  ok       ok       ok       ok
GetPlayerStatistics ok       invalid  invalid  ok       ok       ok       ok
GetRatingHistory    ok       invalid  invalid  ok       ok       ok       ok
GetRecord           private  invalid  invalid  private  sees     sees     sees
GetSeasonTable      missing  invalid  invalid  club     club     club     ok
GetStep             private  invalid  invalid  private  sees     sees     sees
HandOverClub        missing  invalid  invalid  club     scope    scope    ok
JoinClub            missing  invalid  invalid  club     scope    scope    club
JoinGame            missing  invalid  invalid  code     scope    scope    rule
LeaveClub           missing  invalid  invalid  club     scope    scope    rule
LeaveGame           missing  invalid  invalid  seat     scope    scope    ok
ListClubs           missing  invalid  invalid  ok       ok       ok       ok
ListDisputes        missing  invalid  invalid  code     sees     code     sees
ListGameDecisions   private  invalid  invalid  private  sees     sees     sees
ListGames           missing  invalid  invalid  ok       ok       ok       sees
ListPastGames       ok       invalid  invalid  ok       sees     sees     sees
ListPlayerDecisions ok       invalid  invalid  ok       ok       ok       ok
ListRulebooks       ok       ok       ok       ok       ok       ok       ok
ListSteps           private  invalid  invalid  private  sees     sees     sees
OpenDispute         missing  invalid  invalid  seat     scope    scope    rule
PlaceBid            missing  invalid  invalid  seat     scope    scope    ok
Play                missing  invalid  invalid  code     code     code     sees
Register            ok       ok       ok       ok       ok       ok       ok
RemoveMember        missing  invalid  invalid  club     scope    scope    rule
ReplayGame          private  invalid  invalid  private  ok       ok       ok
RevokeToken         missing  invalid  invalid  ok       ok       ok       ok
Roll                missing  invalid  invalid  seat     scope    scope    rule
RotateToken         missing  invalid  invalid  ok       ok       ok       ok
ShowAndReroll       missing  invalid  invalid  seat     scope    scope    rule
StartGame           missing  invalid  invalid  owner    scope    scope    ok
StartSeason         missing  invalid  invalid  club     scope    scope    ok
WatchGame           missing  invalid  invalid  code     code     code     sees
WatchGames          missing  invalid  invalid  code     code     code     sees
"""

ROUTES = """
                                              nobody   invalid  revoked  another  auditor  admin    seated
/                                             ok       ok       ok       ok       ok       ok       ok
/about                                        ok       ok       ok       ok       ok       ok       ok
/api/v1/checkpoint                            ok       ok       ok       ok       ok       ok       ok
/api/v1/checkpoints/consistency               ok       ok       ok       ok       ok       ok       ok
/api/v1/checkpoints/keys                      ok       ok       ok       ok       ok       ok       ok
/api/v1/checkpoints/{size}                    ok       ok       ok       ok       ok       ok       ok
/api/v1/clubs                                 missing  invalid  invalid  ok       ok       ok       ok
/api/v1/clubs/{club_id}                       missing  invalid  invalid  club     club     club     ok
/api/v1/clubs/{club_id}/attendance            missing  invalid  invalid  club     club     club     ok
/api/v1/clubs/{club_id}/games                 missing  invalid  invalid  club     club     club     sees
/api/v1/clubs/{club_id}/table                 missing  invalid  invalid  club     club     club     ok
/api/v1/export                                ok       invalid  invalid  ok       sees     sees     sees
/api/v1/freshness                             ok       invalid  invalid  ok       ok       ok       ok
/api/v1/games                                 ok       invalid  invalid  ok       sees     sees     sees
/api/v1/games/{game_id}                       private  invalid  invalid  private  sees     sees     sees
/api/v1/games/{game_id}/audit                 private  invalid  invalid  private  sees     sees     sees
/api/v1/games/{game_id}/decisions             private  invalid  invalid  private  sees     sees     sees
/api/v1/games/{game_id}/decisions/export      private  invalid  invalid  private  sees     sees     sees
/api/v1/games/{game_id}/live                  private  invalid  invalid  private  sees     sees     sees
/api/v1/games/{game_id}/record                private  invalid  invalid  private  sees     sees     sees
/api/v1/games/{game_id}/replay                private  invalid  invalid  private  sees     sees     sees
/api/v1/games/{game_id}/rounds                private  invalid  invalid  private  sees     sees     sees
/api/v1/games/{game_id}/rounds/{number}/audit private  invalid  invalid  private  sees     sees     sees
/api/v1/games/{game_id}/steps                 private  invalid  invalid  private  sees     sees     sees
/api/v1/games/{game_id}/steps/{version}       private  invalid  invalid  private  sees     sees     sees
/api/v1/head-to-head                          ok       invalid  invalid  ok       ok       ok       ok
/api/v1/leaderboards                          ok       invalid  invalid  ok       ok       ok       ok
/api/v1/log/checkpoint                        ok       ok       ok       ok       ok       ok       ok
/api/v1/log/tile/{tile}                       ok       ok       ok       ok       ok       ok       ok
/api/v1/matrix                                ok       invalid  invalid  ok       ok       ok       ok
/api/v1/players                               ok       invalid  invalid  ok       ok       ok       ok
/api/v1/players/{player_id}                   ok       invalid  invalid  ok       ok       ok       ok
/api/v1/players/{player_id}/decisions         ok       invalid  invalid  ok       ok       ok       ok
/api/v1/players/{player_id}/decisions/export  ok       invalid  invalid  ok       ok       ok       ok
/api/v1/players/{player_id}/groups            ok       invalid  invalid  ok       ok       ok       ok
/api/v1/players/{player_id}/ratings           ok       invalid  invalid  ok       ok       ok       ok
/api/v1/players/{player_id}/statistics        ok       invalid  invalid  ok       ok       ok       ok
/api/v1/rulebooks                             ok       ok       ok       ok       ok       ok       ok
/api/v1/statistics/games                      ok       invalid  invalid  ok       ok       ok       ok
/assets/{version}/{file}                      ok       ok       ok       ok       ok       ok       ok
/clubs                                        ok       ok       ok       ok       ok       ok       ok
/clubs/{club}                                 ok       ok       ok       ok       ok       ok       ok
/compare                                      ok       ok       ok       ok       ok       ok       ok
/embed/replay.js                              ok       ok       ok       ok       ok       ok       ok
/games                                        ok       ok       ok       ok       ok       ok       ok
/games/{game}                                 ok       ok       ok       ok       ok       ok       ok
/games/{game}/rounds/{number}                 ok       ok       ok       ok       ok       ok       ok
/health/live                                  ok       ok       ok       ok       ok       ok       ok
/health/ready                                 ok       ok       ok       ok       ok       ok       ok
/join/{game}                                  ok       ok       ok       ok       ok       ok       ok
/leaderboards                                 ok       ok       ok       ok       ok       ok       ok
/metrics                                      ok       ok       ok       ok       ok       ok       ok
/play/{game}                                  ok       ok       ok       ok       ok       ok       ok
/players                                      ok       ok       ok       ok       ok       ok       ok
/players/{player}                             ok       ok       ok       ok       ok       ok       ok
/rules                                        ok       ok       ok       ok       ok       ok       ok
/rules/{book}                                 ok       ok       ok       ok       ok       ok       ok
/schema                                       ok       ok       ok       ok       ok       ok       ok
/schema/openapi.json                          ok       ok       ok       ok       ok       ok       ok
/schema/openapi.yaml                          ok       ok       ok       ok       ok       ok       ok
/schema/{path}                                ok       ok       ok       ok       ok       ok       ok
/verify                                       ok       ok       ok       ok       ok       ok       ok
/verify.html                                  ok       ok       ok       ok       ok       ok       ok
/watch/{game}                                 ok       ok       ok       ok       ok       ok       ok
"""

PAGE = read_site()
ABOUT_A_TABLE = ("JoinGame", "LeaveGame", "AddBot", "StartGame")
ABOUT_A_GAME = (
    "Roll",
    "PlaceBid",
    "ShowAndReroll",
    "Challenge",
    "Forfeit",
    "AbandonGame",
    "GetGame",
    "WatchGame",
    "WatchGames",
    "Play",
)
ABOUT_ITSELF = ("RotateToken", "RevokeToken")
EVERYBODY_KNOWS = "bot.cautious"
"""Players of private games are known to nobody else; the server's bots are known to everybody."""
WITH_TOKENS = {"another": ("player",), "auditor": ("auditor",), "admin": ("admin",), "seated": ("player",)}
FIELDS: dict[str, dict[str, Any]] = {
    "AddBot": {"strategy": "cautious"},
    "StartGame": {},
    "PlaceBid": {"quantity": 1, "face": 2},
    "ShowAndReroll": {"reroll": {"shown": [1]}},
    "AbandonGame": {"reason": "over"},
    "OpenDispute": {"round": 1, "reason": "why"},
    "AnnotateDispute": {"round": 1, "seat": 0, "text": "so"},
    "CloseDispute": {"round": 1, "seat": 0, "text": "so"},
    "GetStep": {"version": 1},
    "ForkGame": {"version": 10, "seat": 0, "strategy": "cautious"},
    "CreateGame": {"rulebook": "pirates"},
    "Register": {"name": "New"},
    "CreateClub": {"name": "Evening"},
    "JoinClub": {"code": "wrong"},
    "StartSeason": {"name": "Two"},
    "GetLeaderboard": {"measure": 1, "span": {"rulebook": "single-hand"}},
    "GetMatrix": {"player_ids": ["bot.cautious", "bot.bluffing"]},
    "GetPassedBids": {"player_ids": ["bot.cautious", "bot.bluffing"]},
    "GetPlayerGroups": {"by": 1},
    "ListPastGames": {"page_size": 100},
    "ListGames": {"page_size": 100, "phases": [1, 3, 4, 6]},
}


@pytest.mark.at_length
@pytest.mark.parametrize("protocol", ["grpc", *PROTOCOLS][:: extent(2, 1)])
def test_who_may_call_each_rpc(protocol: str) -> None:
    async def story(site: Site) -> dict[str, tuple[str, ...]]:
        async with channel_to(site.server.running, protocol) as channel:
            site.server.channel = channel
            seen = await scene(site)
            return {method: await row_of(site, seen, method) for method in METHODS}

    assert written(on_site(story)) == written(rows_of(CALLS))


async def row_of(site: Site, seen: Scene, method: str) -> tuple[str, ...]:
    game_id = seen.ended
    if method in ABOUT_A_TABLE:
        game_id = await fresh_table(site.server, seen)
    elif method in ABOUT_A_GAME:
        game_id = await fresh_game(site.server, seen)
    return tuple([await called(site, seen, method, game_id, name) for name in CALLERS])


async def called(site: Site, seen: Scene, method: str, game_id: str, name: str) -> str:
    player = seen.callers[name]
    if method in ABOUT_ITSELF and name in WITH_TOKENS:
        player = await site.server.player(scopes=WITH_TOKENS[name])  # Their tokens are needed again.
    kind = METHODS[method][1].input_type
    fields = dict(FIELDS.get(method, {}))
    if method in ("Play", "ReplayGame", "WatchGames") or "game_id" in kind.fields_by_name:
        fields["game_id"] = game_id
    if "club_id" in kind.fields_by_name:
        fields["club_id"] = seen.club
    if "season" in kind.fields_by_name:
        fields["season"] = 0  # All games, because the seasons change here.
    if "player_id" in kind.fields_by_name:
        # A club is handed over to a member.
        fields["player_id"] = seen.callers["seated"].player_id if "club_id" in fields else EVERYBODY_KNOWS
    if "other_id" in kind.fields_by_name:
        fields["other_id"] = "bot.bluffing"
    return await outcome(player, method, game_id, fields)


def test_who_may_read_each_route(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PublishedTiles, "AGE_SECONDS", 0)

    async def story(site: Site) -> dict[str, tuple[str, ...]]:
        seen = await scene(site)
        assert site.server.running.reading is not None
        app = application(site.server.running.reading.library, PAGE)
        routes = sorted({re.sub(r":\w+\}", "}", route.path) for route in app.routes} | set(PAGE.paths))
        return {route: tuple([await read(site, seen, route, name) for name in CALLERS]) for route in routes}

    assert written(on_site(story)) == written(rows_of(ROUTES))


async def read(site: Site, seen: Scene, route: str, name: str) -> str:
    """What a caller gets from a route."""
    size = (await site.get(f"{API}/checkpoint")).text.splitlines()[1]
    known = {"game_id": seen.ended, "player_id": EVERYBODY_KNOWS, "number": 1, "version": 1, "size": size, "path": "a"}
    known |= {"club_id": seen.club, "tile": "entries/000.p/1"}
    known |= {"game": "a", "player": "b", "book": "c", "club": "d"}  # The page knows none of them.
    if route.startswith(ASSETS):
        known |= {"version": PAGE.folder.removeprefix(f"{ASSETS}/"), "file": "page/main.js"}
    path = route.format(**known)
    asked = {
        f"{API}/games": {"page_size": "100"},
        f"{API}/head-to-head": {"player": EVERYBODY_KNOWS, "other": "bot.bluffing"},
        f"{API}/matrix": {"players": f"{EVERYBODY_KNOWS},bot.bluffing"},
        f"{API}/players/{{player_id}}/groups": {"by": "phase"},
        f"{API}/checkpoints/consistency": {"old_size": "1", "new_size": "1"},
        f"{API}/games/{{game_id}}/replay": {"wait_seconds_max": "0"},
    }.get(route, {})
    caller: Player = seen.callers[name]
    answer = await site.get(path, caller, params=asked)
    if answer.headers.get("content-type") == "application/problem+json":
        return word_of(answer.json()["reason"])
    return "sees" if seen.ended in answer.text else "ok"
