"""Every answer tells browsers how little to do with it: no frames, no guessing of types, no referrer, and scripts only in the page."""

import re

import httpx
from msgspec.structs import replace

from tests.http.readers import API, HTTP_SETTINGS, Site, on_site


def check_secured(answer: httpx.Response) -> None:
    """The headers are there once each, and a page may load its look from here, and nothing else."""
    policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    (told,) = answer.headers.get_list("content-security-policy")
    assert told.startswith(policy)
    is_page = answer.headers.get("content-type", "").startswith("text/html")
    assert told.removeprefix(policy) == ("; style-src 'self'; img-src 'self'" if is_page else "")
    assert not is_page or not re.search(r"<style|<script|\bstyle=|\bon\w+=", answer.text)
    assert answer.headers.get_list("x-content-type-options") == ["nosniff"]
    assert answer.headers.get_list("referrer-policy") == ["no-referrer"]
    assert answer.headers.get_list("cross-origin-resource-policy") == ["same-origin"]


def test_every_route_has_them_in_all_its_answers() -> None:
    async def story(site: Site) -> None:
        game_id, clients = await site.played()
        paths = (await site.get("/schema/openapi.json")).json()["paths"]
        known = {
            "game_id": game_id,
            "player_id": clients[0].player.player_id,
            "version": "1",
            "number": "1",
            "size": "1",
        }
        asked = {"speed": "1000", "wait_seconds_max": "0"}
        statuses = set()
        for path, operation in paths.items():
            filled = re.sub(r"\{(\w+)\}", lambda found: known.get(found[1], "1"), path)
            names = {one["name"] for one in operation["get"].get("parameters", [])}
            given = {name: value for name, value in asked.items() if name in names}
            for wanted, reader, method in (
                (filled, None, "GET"),
                (filled, clients[0].player, "GET"),
                (filled, None, "HEAD"),
                (filled, None, "POST"),
                (f"{filled}?nonsense=1", None, "GET"),
                (path.replace("{game_id}", "nothing").replace("{player_id}", "nobody"), None, "GET"),
            ):
                headers = {} if reader is None else {"Authorization": f"Bearer {reader.token}"}
                answer = await site.client.request(
                    method, wanted, params=None if "?" in wanted else given, headers=headers
                )
                check_secured(answer)
                statuses.add(answer.status_code)
        for path in ("/schema", "/schema/openapi.yaml", "/schema/nothing", "/nothing", "/%00", f"{API}/games/%ff"):
            check_secured(await site.get(path))
        page = await site.get("/schema")
        same = await site.get("/schema", headers={"If-None-Match": page.headers["etag"]})
        assert same.status_code == 304
        # A browser takes the headers of this answer for the page that it has.
        assert same.headers["content-security-policy"] == page.headers["content-security-policy"]
        check_secured(await site.get(f"{API}/games", headers={"Authorization": "Bearer wrong"}))
        assert {200, 400, 404, 405} <= statuses

    on_site(story)


USUAL = {
    "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
OF_PAGE = USUAL | {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; font-src 'self'; manifest-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(),"
    " hid=(), idle-detection=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=(),"
    " xr-spatial-tracking=()",
}
OF_FILE = USUAL | {"cross-origin-resource-policy": "cross-origin", "access-control-allow-origin": "*"}
SECURITY = {*OF_PAGE, *OF_FILE}


def told_by(answer: httpx.Response) -> dict[str, str]:
    """All headers of an answer that are about security."""
    assert all(len(answer.headers.get_list(name)) <= 1 for name in SECURITY)
    return {name: value for name, value in answer.headers.items() if name in SECURITY}


def test_the_page_runs_scripts_from_here_alone_and_its_files_carry_no_more_rights() -> None:
    async def story(site: Site) -> None:
        page = await site.get("/")
        for method in ("GET", "HEAD"):
            for path in ("/", "/play/a-game", "/about"):
                assert told_by(await site.client.request(method, path)) == OF_PAGE
        assert told_by(await site.get("/", headers={"If-None-Match": page.headers["etag"]})) == OF_PAGE
        assert told_by(await site.client.post("/")) == USUAL
        for kind in ("js", "css"):
            path = re.findall(rf'"(/assets/[^"]+\.{kind})"', page.text)[0]
            file = await site.get(path)
            assert told_by(file) == OF_FILE
            assert told_by(await site.get(path, headers={"If-None-Match": file.headers["etag"]})) == OF_FILE
        assert told_by(await site.get("/verify.html")) == USUAL
        assert told_by(await site.get("/assets/other/page/main.js")) == USUAL

    on_site(story)


def test_the_page_itself_has_no_script_and_no_style_that_its_policy_would_stop() -> None:
    async def story(site: Site) -> None:
        page = (await site.get("/")).text
        assert not re.search(r"<style|\bstyle=|\bon\w+=|https?://|javascript:", page)
        assert all(
            re.match(r'<script type="module" src="/assets/', script) for script in re.findall(r"<script.*", page)
        )

    on_site(story)


def test_pages_that_may_read_get_them_too() -> None:
    async def story(site: Site) -> None:
        headers = {"Origin": "https://dice.example", "Access-Control-Request-Method": "GET"}
        check_secured(await site.client.options(f"{API}/games", headers=headers))
        check_secured(await site.get(f"{API}/games", headers={"Origin": "https://dice.example"}))

    on_site(story, replace(HTTP_SETTINGS, cors_origins=("https://dice.example",)))
