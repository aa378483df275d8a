"""Access over HTTP: what each reader may read, how fast, from which web pages; and the answers to those who may not."""

import asyncio

import httpx
import pytest
from msgspec.structs import replace

from services.access.rate_limit import LINGER_SECONDS
from services.http.problems import STATUSES
from services.reasons.problem import FAULT
from services.rpc.status import STATUS_CODES
from tests.error_table import reasons
from tests.http.readers import API, HTTP_SETTINGS, Site, on_site

OF_A_GAME = ("", "/record", "/steps", "/steps/1", "/rounds", "/live", "/replay", "/audit", "/rounds/1/audit")


def test_a_token_is_not_needed_but_one_that_is_sent_must_be_worth_something() -> None:
    async def story(site: Site) -> None:
        ann = await site.server.player()
        assert (await site.get(f"{API}/games", ann)).status_code == 200
        for header in ("Bearer ldt_made-up", "Bearer", "Basic YTpi", "nonsense", "Bearer \xff"):
            answer = await site.client.get(f"{API}/games", headers={b"Authorization": header.encode("latin-1")})
            assert (answer.status_code, answer.json()["reason"]) == (401, "TOKEN_INVALID")
            assert answer.headers["www-authenticate"].startswith("Bearer")
        await ann.ask("RevokeToken")
        assert (await site.refused("games", ann))["reason"] == "TOKEN_INVALID"

    on_site(story)


def test_a_private_game_is_read_only_by_those_who_have_to_do_with_it() -> None:
    async def story(site: Site) -> None:
        game_id, clients = await site.played(private=True)
        auditor = await site.server.player("Judge", scopes=("player", "auditor"))
        eve = await site.server.player("Eve")
        for part in OF_A_GAME:
            path = f"{API}/games/{game_id}{part}"
            for stranger in (None, eve):
                problem = await site.refused(path, stranger)
                assert (problem["status"], problem["reason"]) == (403, "GAME_PRIVATE")
                assert problem["metadata"] == {"game_id": game_id}
            for reader in (clients[0].player, auditor):
                asked = {"speed": 1_000, "wait_seconds_max": 0} if part == "/replay" else {}
                assert (await site.get(path, reader, params=asked)).status_code == 200
        nobody = site.server.stranger
        for reader, sees in ((nobody, False), (eve, False), (clients[1].player, True), (auditor, True)):
            listed = (await site.read("/games?page_size=100", reader))["games"]
            assert (game_id in {game["game_id"] for game in listed}) == sees
            for form in ("ndjson", "csv", "notation"):
                assert (game_id in (await site.get(f"{API}/export?format={form}", reader)).text) == sees

    on_site(story)


def test_a_table_that_spectators_see_late_is_read_that_late() -> None:
    async def story(site: Site) -> None:
        game_id, clients = await site.played(spectator_delay_seconds=600)
        seated = clients[0].player
        assert (await site.read(f"/games/{game_id}", seated))["result"] == "ended"
        late = await site.read(f"/games/{game_id}")
        assert (late["result"], late["winner"], late["ended_at"]) == ("running", None, None)
        steps = await site.read(f"/games/{game_id}/steps")
        assert {step["event"]["type"] for step in steps["steps"]} == {"game_created", "player_joined"}
        assert len((await site.read(f"/games/{game_id}/steps", seated))["steps"]) > 20
        assert (await site.read(f"/games/{game_id}/rounds"))["rounds"] == []
        assert (await site.refused(f"games/{game_id}/steps/20"))["reason"] == "NO_SUCH_STEP"
        assert (await site.refused(f"games/{game_id}/rounds/1/audit"))["reason"] == "ROUND_NOT_OVER"
        assert game_id not in (await site.get(f"{API}/export")).text
        now = site.server.running.host.now
        site.server.running.host.now = lambda: now() + 600_000
        assert (await site.read(f"/games/{game_id}"))["result"] == "ended"
        assert game_id in (await site.get(f"{API}/export")).text

    on_site(story, own=True)


def test_who_asks_too_fast_is_told_when_to_come_back() -> None:
    async def story(site: Site) -> None:
        asked = [site.get(f"{API}/rulebooks") for _ in range(20)]
        answers = await asyncio.gather(*asked)
        refused = [answer for answer in answers if answer.status_code == 429]
        assert 0 < len(refused) < 20
        assert refused[0].json()["reason"] == "TOO_FAST"
        assert int(refused[0].headers["retry-after"]) >= 1
        assert (await site.get("/health/live")).status_code == 200

    on_site(story, replace(HTTP_SETTINGS, address_rate=25.0))


def test_an_address_that_asks_on_although_it_is_refused_waits_for_its_answers() -> None:
    async def story(site: Site) -> None:
        status = 200
        while status != 429:  # A slow machine may take so long that the address is admitted again.
            await asyncio.gather(*[site.get(f"{API}/rulebooks") for _ in range(60)])
            began = asyncio.get_running_loop().time()
            status = (await site.get(f"{API}/rulebooks")).status_code
        assert asyncio.get_running_loop().time() - began >= LINGER_SECONDS
        assert (await site.get("/health/live")).status_code == 200

    on_site(story, replace(HTTP_SETTINGS, address_rate=2.0))


def test_the_rate_of_one_player_is_not_that_of_another() -> None:
    async def story(site: Site) -> None:
        fast, slow = await site.server.player("Fast"), await site.server.player("Slow")
        answers = await asyncio.gather(*[site.get(f"{API}/rulebooks", fast) for _ in range(30)])
        assert {answer.status_code for answer in answers} == {200, 429}
        assert (await site.get(f"{API}/rulebooks", slow)).status_code == 200
        assert (await site.get(f"{API}/rulebooks")).status_code == 200

    on_site(story, replace(HTTP_SETTINGS, player_rate=5.0))


@pytest.mark.parametrize("origins", [("https://dice.example",), ("*",)])
def test_pages_of_the_named_origins_may_read(origins: tuple[str, ...]) -> None:
    async def story(site: Site) -> None:
        asked = {"Origin": "https://dice.example", "Access-Control-Request-Method": "GET"}
        preflight = await site.client.options(
            f"{API}/games", headers={**asked, "Access-Control-Request-Headers": "authorization"}
        )
        assert preflight.is_success
        assert "authorization" in preflight.headers["access-control-allow-headers"].lower()
        answer = await site.get(f"{API}/games", headers={"Origin": "https://dice.example"})
        assert answer.headers["access-control-allow-origin"] in ("https://dice.example", "*")
        assert {"etag", "link"} <= {
            name.strip().lower() for name in answer.headers["access-control-expose-headers"].split(",")
        }
        problem = await site.get(f"{API}/games/nothing", headers={"Origin": "https://dice.example"})
        assert "access-control-allow-origin" in problem.headers
        other = await site.get(f"{API}/games", headers={"Origin": "https://elsewhere.example"})
        assert (other.headers.get("access-control-allow-origin") == "*") == (origins == ("*",))

    on_site(story, replace(HTTP_SETTINGS, cors_origins=origins))


def test_pages_of_others_may_not_read_if_nobody_says_so() -> None:
    async def story(site: Site) -> None:
        answer = await site.get(f"{API}/games", headers={"Origin": "https://dice.example"})
        assert not [name for name in answer.headers if name.startswith("access-control")]

    on_site(story)


SENSELESS = [
    ("/nothing", 404, "NO_SUCH_PATH", None),
    ("/api/v1", 404, "NO_SUCH_PATH", None),
    ("games/nothing", 404, "NO_SUCH_GAME", None),
    ("games/nothing/record", 404, "NO_SUCH_GAME", None),
    ("games/not%20an%20id/steps", 400, "FIELD_INVALID", "game_id"),
    ("games/nothing/steps/x", 400, "FIELD_INVALID", "version"),
    ("games?page_size=0", 400, "FIELD_INVALID", "page_size"),
    ("games?page_size=1000", 400, "FIELD_INVALID", "page_size"),
    ("games?page_size=many", 400, "FIELD_INVALID", "page_size"),
    ("games?page_token=x", 400, "FIELD_INVALID", "page_token"),
    ("players?page_token=WzEsICJhIl0=", 400, "FIELD_INVALID", "page_token"),
    ("players?page_token=WyJcdTAwMDAiLCJhIl0=", 400, "FIELD_INVALID", "page_token"),
    ("games?player=%00", 400, "FIELD_INVALID", "player"),
    ("games?result=lost", 400, "FIELD_INVALID", "result"),
    ("games?practice=maybe", 400, "FIELD_INVALID", "practice"),
    ("games?rulebook=chess", 400, "NO_SUCH_RULEBOOK", "rulebook"),
    ("games?rulebook=%00", 400, "NO_SUCH_RULEBOOK", "rulebook"),
    ("games?since=yesterday", 400, "FIELD_INVALID", "since"),
    ("games?since=2026", 400, "FIELD_INVALID", "since"),
    ("games?since=1767312000", 400, "FIELD_INVALID", "since"),
    ("games?until=20261302", 400, "FIELD_INVALID", "until"),
    ("games?until=-1", 400, "FIELD_INVALID", "until"),
    ("games?since=99999999999999999999", 400, "FIELD_INVALID", "since"),
    ("players?name=%00", 400, "FIELD_INVALID", "name"),
    ("export?palyer=ann", 400, "FIELD_INVALID", "palyer"),
    ("games?Since=2026-01-01", 400, "FIELD_INVALID", "Since"),
    ("games?since", 400, "FIELD_INVALID", "since"),
    ("games/nothing?seat=1", 400, "FIELD_INVALID", "seat"),
    ("games/nothing/live?include_view=true", 400, "FIELD_INVALID", "include_view"),
    ("rulebooks?a=1&b=2", 400, "FIELD_INVALID", "a"),
    ("export?format=parquet", 400, "FIELD_INVALID", "format"),
    ("checkpoints/consistency?old_size=1", 400, "FIELD_INVALID", "new_size"),
    ("checkpoints/99999999999999999999", 400, "FIELD_INVALID", "size"),
    ("leaderboards?measure=luck", 400, "FIELD_INVALID", "measure"),
    ("leaderboards?played=practice", 400, "FIELD_INVALID", "played"),
    ("players/ann/ratings?played=abandoned", 400, "FIELD_INVALID", "played"),
    ("head-to-head?player=ann&other=ann", 400, "FIELD_INVALID", "other"),
    ("games/nothing/replay?speed=0", 400, "FIELD_INVALID", "speed"),
    ("games/nothing/replay?speed=nan", 400, "FIELD_INVALID", "speed"),
    ("games/nothing/replay?seat=0&everything=true", 400, "FIELD_INVALID", "seat"),
]


@pytest.mark.parametrize(("path", "status", "reason", "field"), SENSELESS)
def test_a_request_that_makes_no_sense_is_told_why(path: str, status: int, reason: str, field: str | None) -> None:
    problem = on_site(lambda site: site.refused(path))

    assert (problem["status"], problem["reason"], problem["domain"]) == (status, reason, "liarsdice")
    assert problem["type"] == f"urn:liarsdice:{reason}"
    assert problem["title"]
    assert problem["detail"]
    assert [one["field"] for one in problem["violations"]] == ([] if field is None else [field])


def test_violations_name_parameters_as_the_request_had_them() -> None:
    async def story(site: Site) -> None:
        game_id, _ = await site.played()
        ahead = await site.refused(f"games/{game_id}/live", headers={"Last-Event-ID": "9999"})
        sizes = await site.refused("checkpoints/consistency?old_size=1&new_size=999999")
        for problem, reason, fields in (
            (ahead, "VERSION_AHEAD", ["Last-Event-ID"]),
            (sizes, "SIZES_NOT_IN_LOG", ["old_size", "new_size"]),
        ):
            assert (problem["status"], problem["reason"]) == (400, reason)
            assert [one["field"] for one in problem["violations"]] == fields

    on_site(story)


def test_every_parameter_that_the_schema_has_is_known() -> None:
    async def story(site: Site) -> None:
        paths = (await site.get("/schema/openapi.json")).json()["paths"]
        for path, operation in paths.items():
            declared = [one["name"] for one in operation["get"].get("parameters", []) if one["in"] == "query"]
            if path.startswith(API):
                where = path.format(game_id="x", player_id="x", club_id="x", number=1, version=1, size=1, tile="0/000")
                problem = await site.refused(f"{where}?slip=1")
                told = problem["detail"].rstrip(".").partition("which has: ")[2]
                assert told == (", ".join(sorted(declared)) or "none")

    on_site(story)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_nothing_can_be_written(method: str) -> None:
    async def story(site: Site) -> httpx.Response:
        return await site.client.request(method, f"{API}/games", content=b"{}")

    answer = on_site(story)

    assert (answer.status_code, answer.json()["reason"]) == (405, "METHOD_NOT_ALLOWED")
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS"


def test_steps_and_seats_that_there_are_not_are_not_found() -> None:
    async def story(site: Site) -> None:
        game_id, _ = await site.played()
        for path in ("steps/9999", "replay?from=9999", "steps/1?seat=7", "replay?seat=7"):
            problem = await site.refused(f"games/{game_id}/{path}")
            assert (problem["status"], problem["reason"]) in ((404, "NO_SUCH_STEP"), (404, "NO_SUCH_SEAT"))

    on_site(story)


def test_a_database_that_is_away_is_told_as_something_that_passes() -> None:
    async def story(site: Site) -> None:
        assert site.server.running.reading is not None
        await site.server.running.reading.library.archive.pool.close()
        reasons = dict.fromkeys(("games", "players", "games/nothing/live"), "STORE_UNREACHABLE")
        reasons["games/nothing"] = "STORE_UNREADABLE"  # The desk knows that it only reads.
        for path in reasons:
            answer = await site.get(f"{API}/{path}")
            assert (answer.status_code, answer.json()["reason"]) == (503, reasons[path])
            assert answer.headers["retry-after"] == "1"
        ready = await site.get("/health/ready")
        assert (ready.status_code, ready.json()["status"]) == (503, "not ready")
        assert (await site.get("/metrics")).status_code == 200

    on_site(story, own=True)


def test_a_fault_of_the_program_tells_nothing_of_itself(caplog: pytest.LogCaptureFixture) -> None:
    async def story(site: Site) -> httpx.Response:
        assert site.server.running.reading is not None
        site.server.running.reading.library.archive.games = None  # type: ignore[method-assign,assignment]  # a fault
        return await site.get(f"{API}/games")

    answer = on_site(story, own=True)

    assert (answer.status_code, answer.json()["reason"]) == (500, "INTERNAL")
    assert answer.json()["detail"] == FAULT.message
    assert "NoneType" not in answer.text
    assert "a request for /api/v1/games failed" in caplog.text


def test_every_reason_has_a_status() -> None:
    assert {reason.status for reason in reasons()} | {STATUS_CODES[FAULT.kind]} == {
        STATUS_CODES[kind] for kind in STATUSES
    }


@pytest.mark.parametrize(
    "path", ["/nothing", "/assets/x/page/main.js", "/schema/openapi.json", "/metrics", f"{API}/{'a' * 500}"]
)
def test_requests_outside_the_interface_count_against_the_rate_of_the_address_too(path: str) -> None:
    async def story(site: Site) -> None:
        answers = await asyncio.gather(
            *[site.client.get(path, headers={"Origin": "https://a.example"}) for _ in range(9)]
        )
        refused = [answer for answer in answers if answer.status_code == 429]
        assert refused
        assert {answer.json()["reason"] for answer in refused} == {"TOO_FAST"}
        assert {answer.headers["access-control-allow-origin"] for answer in refused} == {"*"}
        assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)

    on_site(story, replace(HTTP_SETTINGS, address_rate=10.0, cors_origins=("*",)))
