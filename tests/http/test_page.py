"""The web page as the server gives it out: its addresses, its files, how long they are kept, and what they cost."""

import asyncio
import gzip
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import httpx
import pytest
import zstandard
from hatchling.builders.wheel import WheelBuilder
from msgspec.structs import replace

from services.access.rate_limit import AddressLimit
from services.http.delivery import App
from services.http.page import prepared
from services.http.page.imports import graph_of, imports_of, missing_from, with_paths
from services.http.page.layer import Paged
from services.http.page.preloads import modules_of
from services.http.page.prepared import Prepared
from services.http.page.site import EMBED_PATH, PAGES, Site, read_site
from services.http.page.tree import ROOT, read_tree
from tests.http.page_trees import made_tree
from tests.http.readers import HTTP_SETTINGS, on_site
from tests.http.readers import Site as Server

KINDS = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml"}
FOR_EVER = "public, max-age=31536000, immutable"
ADDRESSES = (
    "/",
    "/play/a-game",
    "/watch/a-game",
    "/join/a-game",
    "/games",
    "/games/a-game",
    "/games/a-game/rounds/3",
    "/players",
    "/players/ann",
    "/leaderboards",
    "/compare",
    "/clubs",
    "/clubs/a-club",
    "/rules",
    "/rules/pirates",
    "/verify",
    "/about",
)


def links(page: str) -> list[str]:
    """The files that a page names."""
    return re.findall(r'(?:href|src)="(/assets/[^"]+)"', page)


def without_links(page: str) -> str:
    """The page without what is fetched at once, which is not the same everywhere."""
    return re.sub(r'<link rel="modulepreload"[^>]*>\n?', "", page)


def test_every_address_of_the_page_gives_the_page() -> None:
    async def story(server: Server) -> None:
        page = await server.get("/")
        assert len(ADDRESSES) == len(PAGES)
        for address in ADDRESSES:
            answer = await server.get(address)
            assert (answer.status_code, without_links(answer.text)) == (200, without_links(page.text)), address
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
            assert answer.headers["cache-control"] == "no-cache"
            head = await server.client.head(address)
            assert (head.status_code, head.content) == (200, b"")
            assert head.headers["content-length"] == answer.headers["content-length"]
        assert "{{" not in page.text

    on_site(story)


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/play",
        "/play/",
        "/play/a/b",
        "/games/a/rounds",
        "/index.html",
        "/main.js",
        "/assets",
        "/assets/",
        "/assets/page/main.js",
        "/assets/0123456789abcdef0123/page/main.js",
        "/assets/{version}/page/nothing.js",
        "/assets/{version}/page/index.html",
        "/assets/{version}/client/README.md",
        "/assets/{version}/client/package.json",
        "/assets/{version}/client/node.js",
        "/assets/{version}/client/storage/private_file.js",
        "/assets/{version}/page/%2e%2e/page/main.js",
        "/assets/{version}/..%2f..%2fhttp/app.py",
        "/assets/{version}//page/main.js",
        "/assets/{version}/page/main.js/",
        "/assets/{version}/PAGE/main.js",
    ],
)
def test_there_is_nothing_else(path: str) -> None:
    async def story(server: Server) -> None:
        (version, *_) = re.findall(r"/assets/(\w+)/", (await server.get("/")).text)
        url = httpx.URL(server.url).copy_with(raw_path=path.replace("{version}", version).encode())
        answer = await server.client.get(url)
        assert (answer.status_code, answer.json()["reason"]) == (404, "NO_SUCH_PATH")
        assert answer.headers["cache-control"] == "no-store"

    on_site(story)


def test_a_browser_at_an_address_that_leads_nowhere_gets_the_page_which_says_so() -> None:
    async def story(server: Server) -> None:
        browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
        page = await server.get("/", headers=browser)
        missing = await server.get("/no/such/address", headers=browser)
        assert (missing.status_code, without_links(missing.text)) == (404, without_links(page.text))
        assert missing.headers["content-security-policy"] == page.headers["content-security-policy"]
        for path in ("/api/v1/nothing", "/assets/nothing"):
            assert (await server.get(path, headers=browser)).json()["reason"] == "NO_SUCH_PATH"

    on_site(story)


def test_the_files_of_the_page_are_kept_for_ever_and_read_by_every_site() -> None:
    async def story(server: Server) -> None:
        page = (await server.get("/")).text
        assert len(links(page)) > 30
        for path in links(page):
            answer = await server.get(path, headers={"Authorization": "Bearer wrong", "Accept-Encoding": "identity"})
            kind = KINDS[path.rpartition(".")[2]]
            assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
            assert answer.headers["cache-control"] == FOR_EVER
            assert answer.headers["access-control-allow-origin"] == "*"
            assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
            assert "authorization" not in answer.headers.get("vary", "").lower()
            assert answer.content == (ROOT / path.split("/", 3)[3]).read_bytes()
            head = await server.client.head(path, headers={"Accept-Encoding": "identity"})
            assert (head.headers["content-length"], head.content) == (str(len(answer.content)), b"")

    on_site(story)


def test_a_browser_that_has_the_page_or_a_file_does_not_get_it_again() -> None:
    async def story(server: Server) -> None:
        for path in ("/", *links((await server.get("/")).text)[:5]):
            for encoding in ("identity", "gzip", "zstd"):
                asked = {"Accept-Encoding": encoding}
                first = await server.get(path, headers=asked)
                tag = first.headers["etag"]
                assert re.fullmatch(r'"[\w-]+"', tag)
                again = await server.get(path, headers={**asked, "If-None-Match": f'"other", {tag}'})
                assert (again.status_code, again.content) == (304, b"")
                kept = {name: value for name, value in first.headers.items() if not name.startswith("content-l")}
                for name in ("content-type", "content-encoding", "date"):
                    kept.pop(name, None)
                assert {**again.headers, "date": ""} == {**kept, "date": ""}
                changed = await server.get(path, headers={**asked, "If-None-Match": '"other"'})
                assert changed.status_code == 200

    on_site(story)


def test_nothing_of_the_page_can_be_written() -> None:
    async def story(server: Server) -> None:
        for path in ("/", "/play/a-game", links((await server.get("/")).text)[0]):
            answer = await server.client.post(path, content=b"{}")
            assert (answer.status_code, answer.json()["reason"]) == (405, "METHOD_NOT_ALLOWED")
            assert (answer.headers["allow"], answer.headers["cache-control"]) == ("GET, HEAD, OPTIONS", "no-store")

    on_site(story)


def test_the_schema_does_not_describe_the_page_and_the_metrics_count_it_without_ids() -> None:
    async def story(server: Server) -> None:
        paths = (await server.get("/schema/openapi.json")).json()["paths"]
        assert not [path for path in paths if not path.startswith(("/api/v1/", "/health/", "/metrics"))]
        await server.get("/play/made-up-by-somebody")
        await server.get(links((await server.get("/")).text)[0])
        metrics = (await server.get("/metrics")).text
        assert 'liarsdice_http_requests_total{method="GET",route="/play/{game}",status="200"}' in metrics
        assert 'liarsdice_http_requests_total{method="GET",route="/assets/{version}/{file}",status="200"}' in metrics
        assert "made-up-by-somebody" not in metrics

    on_site(story, own=True)


async def rest(_scope: Any, _receive: Any, send: Any) -> None:
    """Stands for everything behind the page."""
    await send({"type": "http.response.start", "status": 404, "headers": []})


async def statuses(layer: App, paths: Iterable[str]) -> Counter[int]:
    """How often each status comes for some requests of one address."""
    counted: Counter[int] = Counter()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            counted[message["status"]] += 1

    for path in paths:
        await layer(
            {"type": "http", "method": "GET", "path": path, "client": ("1.2.3.4", 5), "headers": []}, None, send
        )
    return counted


def test_several_loads_of_the_page_in_one_moment_are_no_flood_and_a_flood_of_files_is_refused() -> None:
    site = read_site()
    page = sent(site.index)[1].decode()
    layer = Paged(site, AddressLimit(500.0, clock=lambda: 0.0), rest)  # As many as if nothing is said.

    async def story() -> tuple[Counter[int], Counter[int]]:
        loads = await statuses(layer, ["/", *links(page)] * 5)
        return loads, await statuses(layer, [links(page)[0]] * (1_050 - loads.total()))

    loads, flood = asyncio.run(story())
    assert loads == Counter({200: 5 * (1 + len(links(page)))})
    assert loads[200] + flood[200] == 1_000
    assert flood[429] == 50


def test_the_page_and_its_files_count_against_the_rate_of_the_address() -> None:
    async def story(server: Server) -> None:
        page = (await server.get("/")).text
        for path in ("/", links(page)[0], "/schema"):
            assert (await server.refused(path))["reason"] == "TOO_FAST"

    on_site(story, replace(HTTP_SETTINGS, address_rate=0.05))


def site_of(root: Path) -> Site:
    """The answers for a folder."""
    return Site(read_tree(root))


@pytest.mark.parametrize(
    "changed",
    [
        {"page/main.js": "1;\n"},
        {"page/styles/page.css": "body {}\n"},
        {"page/index.html": "<!doctype html>"},
        {"client/connection.js": "export const connect = 1;\n"},
        {"page/more.js": ""},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_the_folder_changes_with_every_file(changed: dict[str, str], tmp_path: Path) -> None:
    before = site_of(made_tree(tmp_path))
    after = site_of(made_tree(tmp_path, changed))

    assert re.fullmatch(r"/assets/[0-9a-f]{20}", before.folder)
    assert before.folder != after.folder
    assert before.find(f"{before.folder}/page/main.js") is not None
    assert after.find(f"{before.folder}/page/main.js") is None


def test_the_folder_changes_with_the_name_of_a_file_and_with_nothing_that_browsers_do_not_get(tmp_path: Path) -> None:
    before = site_of(made_tree(tmp_path, {"page/one.js": "1;\n"})).folder

    made_tree(tmp_path, {"page/README.md": "Words", "page/package.json": "{}"})
    assert site_of(tmp_path).folder == before
    (tmp_path / "page" / "one.js").rename(tmp_path / "page" / "two.js")
    assert site_of(tmp_path).folder != before


def test_the_page_names_all_modules_of_its_first_view(tmp_path: Path) -> None:
    site = site_of(made_tree(tmp_path, {"page/later.js": "1;\n"}))

    page = sent(site.index)[1].decode()
    assert re.findall(r'<link rel="modulepreload" href="(.*?)">', page) == [
        f"{site.folder}/{name}" for name in ("page/main.js", "client/index.js", "client/connection.js")
    ]
    assert f'<script type="module" src="{site.folder}/page/main.js"></script>' in page


def test_each_address_names_the_styles_and_the_modules_that_it_needs_at_once(tmp_path: Path) -> None:
    router = 'const PAGES = [\n  ["/", () => import("../lobby.js")],\n  ["/games/:game", () => import("../replay.js")],\n];\n'
    files = {
        "page/main.js": 'import "./core/router.js";\n',
        "page/core/router.js": router,
        "page/lobby.js": 'import "./die.js";\n',
        "page/replay.js": 'import "./core/router.js";\nimport "./die.js";\n',
        "page/die.js": "1;\n",
        "page/styles/page.css": '@import url("tokens.css") layer(tokens);\n',
        "page/styles/tokens.css": "",
    }
    site = site_of(made_tree(tmp_path, files))

    def named(path: str) -> list[str]:
        found = site.find(path)
        assert found is not None
        page = sent(found[1])[1].decode()
        return [
            one.removeprefix(f"{site.folder}/page/")
            for one in re.findall(r'<link rel="\w*preload".* href="(.*?)">', page)
        ]

    frame = ["styles/tokens.css", "main.js", "core/router.js"]
    assert named("/") == [*frame, "lobby.js", "die.js"]
    assert named("/games/some-game") == [*frame, "replay.js", "die.js"]
    assert named("/about") == frame


def test_the_addresses_of_the_real_router_are_those_that_the_server_answers() -> None:
    routed = modules_of(read_tree())

    assert {re.sub(r"\{\w+\}", "{}", page) for page in PAGES} == set(routed) - {None}
    assert all(len(modules) > len(routed[None]) for path, modules in routed.items() if path is not None)


MODULE = """
/** @import { Nothing } from "./in_a_comment.js" */
/** @typedef {import("./types.js").Type} Type */
// import "./in_another.js";
import "./alone.js";import both, { two } from './same_line.js'
import {
  one, // with } no brace in it would be kind
  other as another,
} from "../other/many_lines.js";
import * as everything from
  "./everything.js";
import whole from "./whole.js";
import whole_too, * as all from "./whole_too.js";
export * from "./out.js";
export * as named from "./named.js";
export { a, b as c } from "./some.js";
export { own };
import fs from "node:fs";
import bare from "bare";
const later = await import("./later.js");
const text = 'import "./in_text.js"', template = `
import "./in_a_template.js";
`;
const $import = "./not.js", important = { import: "./nor.js" };
export const from = "./neither.js";
export default "./no.js";
"""


def test_imports_are_found_as_the_language_has_them() -> None:
    module = MODULE.replace(" // with } no brace in it would be kind", " // why")

    assert imports_of("page/sub/x.js", module) == (
        "page/sub/alone.js",
        "page/sub/same_line.js",
        "page/other/many_lines.js",
        "page/sub/everything.js",
        "page/sub/whole.js",
        "page/sub/whole_too.js",
        "page/sub/out.js",
        "page/sub/named.js",
        "page/sub/some.js",
        "node:fs",
        "bare",
    )


def test_only_the_names_of_imported_modules_change_if_they_are_written_as_paths() -> None:
    text = 'import { a } from "../a.js";\nexport * from \'./b.js\';\nimport("./c.js"); // "./d.js"\n'

    assert with_paths("page/sub/x.js", text) == (
        'import { a } from "page/a.js";\nexport * from "page/sub/b.js";\nimport("./c.js"); // "./d.js"\n'
    )


def test_a_circle_of_imports_comes_to_an_end_and_a_missing_module_is_left_out() -> None:
    files = {"a.js": b'import "./b.js"; import "./gone.js";', "b.js": b'import "./a.js"; import "./c.js";', "c.js": b""}

    assert graph_of(files, "a.js") == ("a.js", "b.js", "c.js")
    assert missing_from(files, files) == ("gone.js",)


def test_every_module_that_browsers_get_imports_only_what_they_get() -> None:
    files = read_tree().files

    assert not missing_from(files, [name for name in files if name.endswith(".js")])


def test_every_file_of_the_page_is_in_the_wheel() -> None:
    wheel = WheelBuilder(str(ROOT.parents[1]))
    packed = {file.distribution_path for file in wheel.recurse_included_files()}

    assert {f"services/web/{name}" for name in read_tree().files} <= packed


def sent(answer: Prepared, encoding: str = "identity") -> tuple[dict[str, str], bytes]:
    """What an answer sends."""
    messages: list[Any] = []

    async def send(message: Any) -> None:
        messages.append(message)

    async def story() -> None:
        scope = {"type": "http", "method": "GET", "headers": [(b"accept-encoding", encoding.encode())]}
        await asyncio.gather(*[answer.send(scope, send) for _ in range(3)])

    asyncio.run(story())
    assert len({repr(message) for message in messages}) == 2
    return {name.decode(): value.decode() for name, value in messages[0]["headers"]}, messages[-1]["body"]


def test_each_form_of_a_file_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    body, made = b"const dice = 5; // and so on\n" * 100, list[str]()

    def counted(name: str, pack: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
        def work(body: bytes) -> bytes:
            made.append(name)
            return pack(body)

        return work

    monkeypatch.setattr(prepared, "PACKERS", {name: counted(name, pack) for name, pack in prepared.PACKERS.items()})
    opened: dict[str, Callable[[bytes], bytes]] = {"zstd": zstandard.decompress, "gzip": gzip.decompress}
    for encoding in ("zstd", "gzip"):
        headers, packed = sent(Prepared(body, "text/javascript", {}), encoding)
        assert opened[encoding](packed) == body
        assert headers["content-encoding"] == encoding
        assert headers["etag"].endswith(f'-{encoding}"')
        assert headers["vary"] == "Accept-Encoding"
        assert headers["content-length"] == str(len(packed))
    assert made == ["zstd", "gzip"]


@pytest.mark.parametrize(("body", "kind"), [(b"x" * 100, "text/css"), (b"x" * 5_000, "image/png")])
def test_what_gains_nothing_is_not_compressed(body: bytes, kind: str) -> None:
    headers, whole = sent(Prepared(body, kind, {}), "zstd, gzip")

    assert whole == body
    assert not {"content-encoding", "vary"} & set(headers)


def test_other_sites_find_the_element_for_replays_at_an_address_that_never_changes(tmp_path: Path) -> None:
    assert site_of(made_tree(tmp_path)).find(EMBED_PATH) is None

    site = site_of(made_tree(tmp_path, {"page/replay/element.js": "export const name = 1;\n"}))
    found = site.find(EMBED_PATH)
    assert found is not None
    headers, body = sent(found[1])
    assert body.decode() == f'export * from "{site.folder}/page/replay/element.js";\n'
    assert headers["content-type"] == "text/javascript; charset=utf-8"
    assert headers["cache-control"] == "no-cache"
    assert headers["access-control-allow-origin"] == "*"
    assert headers["cross-origin-resource-policy"] == "cross-origin"


def test_no_file_of_the_page_is_looked_for_when_it_is_asked_for(tmp_path: Path) -> None:
    site = read_site(made_tree(tmp_path))
    (tmp_path / "page" / "main.js").unlink()

    found = site.find(f"{site.folder}/page/main.js")
    assert found is not None
    assert sent(found[1])[1].startswith(b"import { connect }")


def test_a_worker_may_load_its_modules_and_call_this_server_and_nobody_else() -> None:
    """A worker has the policy of its own file, and not that of the page."""

    async def story(server: Server) -> None:
        (folder,) = set(re.findall(r"/assets/\w+/", (await server.get("/")).text))
        answer = await server.get(f"{folder}page/watching/stream_worker.js")
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; connect-src 'self'; ")
        assert "access-control-allow-origin" not in answer.headers

    on_site(story)
