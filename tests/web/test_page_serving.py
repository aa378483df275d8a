"""The page in a real browser: its policy lets it work, and the verifier works from a disk without any network."""

import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.async_api import Page

from services.http.page.offline import offline_page
from services.http.page.site import OFFLINE_PATH
from services.http.page.tree import read_tree
from tests.http.page_trees import made_tree
from tests.servers import SECONDS_MAX, run, served
from tests.web.browsers import needs_browser
from tests.web.connect_door import ConnectDoor
from tests.web.page.pages import shared_browser

pytestmark = needs_browser
OFFLINE = {
    "page/verifier/offline.html": '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Check</title>\n'
    '<link rel="stylesheet" href="../styles/page.css">\n<link rel="stylesheet" href="./own.css">\n'
    '<script type="module" src="./offline.js"></script>\n</head>\n<body>\n</body>\n</html>\n',
    "page/verifier/own.css": 'body { margin: 7px; }\nbody::before { content: "\\2684"; }\n',
    "page/verifier/offline.js": 'import { word } from "./words.js";\nimport { same } from "../same.js";\n'
    "document.body.textContent = `${word}: ${same === (await import('page/same.js')).same}`;\n",
    "page/verifier/words.js": 'import {\n  die,\n} from "../../client/dice.js";\nexport * from "../same.js";\n'
    "export const word = `dice ${die} ⚅ \\\\ é`;\n",
    "page/same.js": "export const same = {};\n",
    "client/dice.js": "export const die = 6;\n",
}


class Watched:
    """A page of a browser, and everything that went wrong on it."""

    def __init__(self, page: Page) -> None:
        self.page, self.wrong, self.asked = page, list[str](), list[str]()
        page.on("console", lambda message: self.wrong.append(message.text))
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("requestfailed", lambda request: self.wrong.append(request.url))
        page.on("request", lambda request: self.asked.append(request.url))

    async def text(self, expected: str) -> str:
        """The text of the page, once the expected part of it is there."""
        await self.page.wait_for_function(
            "expected => document.body.textContent.includes(expected)", arg=expected, timeout=SECONDS_MAX * 1000
        )
        return str(await self.page.evaluate("document.body.textContent"))


class Browsers:
    """Browsers without a past, even without files: contexts of the one browser that the tests of a process share."""

    def __init__(self, stack: AsyncExitStack) -> None:
        self._stack = stack

    async def page(self, *, offline: bool = False) -> Watched:
        """A page in another one."""
        context = await (await shared_browser()).new_context(offline=offline)
        self._stack.push_async_callback(context.close)
        return Watched(await context.new_page())


@asynccontextmanager
async def browsers() -> AsyncIterator[Browsers]:
    """Browsers that are closed in the end."""
    async with AsyncExitStack() as stack:
        yield Browsers(stack)


def test_the_page_loads_all_its_modules_at_once_and_nothing_goes_wrong() -> None:
    async def story() -> None:
        async with served() as server, browsers() as opened, httpx.AsyncClient() as client:
            assert server.reading is not None
            url = server.reading.url
            watched = await opened.page()
            await watched.page.goto(f"{url}/rules")
            await watched.page.wait_for_selector("main h1")
            preloads = re.findall(r'"modulepreload" href="(.*?)"', (await client.get(f"{url}/rules")).text)
            modules = {one.removeprefix(url) for one in watched.asked if one.endswith(".js")}

            assert len(preloads) > 1
            assert set(preloads) <= modules
            assert not watched.wrong
            assert all(one.startswith((url, "data:")) for one in watched.asked)

    run(story())


def test_a_page_of_another_origin_may_import_the_modules_and_read_nothing_else() -> None:
    async def story() -> None:
        async with (
            served() as server,
            ConnectDoor.before(server.address) as other,
            browsers() as opened,
            httpx.AsyncClient() as client,
        ):
            assert server.reading is not None
            url = server.reading.url
            (module,) = re.findall(r'href="(/assets/\w+/client/bytes.js)"', (await client.get(url)).text)
            page = (await opened.page()).page
            await page.goto(f"{other.address}/tests/web/page.html?bids=0")
            imported = await page.evaluate("async (module) => Object.keys(await import(module))", url + module)
            read = "async (url) => { try { await fetch(url); return true; } catch { return false; } }"

            assert "toBase64" in imported
            assert not await page.evaluate(read, url)
            assert not await page.evaluate(read, f"{url}/api/v1/games")

    run(story())


def test_a_worker_that_begins_with_a_module_of_ours_may_import_others() -> None:
    start = """(module) => new Promise((done) => {
        const worker = new Worker(module, { type: "module" });
        Object.assign(worker, { onmessage: ({ data }) => done(data), onerror: () => done("failed") });
      })"""

    async def story() -> Any:
        async with served() as server, browsers() as opened, httpx.AsyncClient() as client:
            assert server.reading is not None
            url = server.reading.url
            (module,) = re.findall(r'href="(/assets/\w+/client/index.js)"', (await client.get(url)).text)
            headers = dict((await client.get(url + module, headers={"Accept-Encoding": "identity"})).headers)
            page = (await opened.page()).page
            await page.goto(f"{url}/about")
            work = f'import {{ toBase64 }} from "{module}";\npostMessage(toBase64(new Uint8Array(3)));\n'
            del headers["content-length"]
            await page.context.route("**/worker.js", lambda route: route.fulfill(body=work, headers=headers))
            return await page.evaluate(start, module.replace("index.js", "worker.js"))

    assert run(story()) == "AAAA"


def test_the_offline_file_works_from_a_disk_without_a_network(tmp_path: Path) -> None:
    file = tmp_path / "liarsdice-verify.html"
    file.write_bytes(offline_page(read_tree(made_tree(tmp_path / "tree", OFFLINE))))

    async def story() -> None:
        async with browsers() as opened:
            watched = await opened.page(offline=True)
            await watched.page.goto(file.as_uri())
            assert await watched.text("dice") == "dice 6 ⚅ \\ é: true"
            assert await watched.page.evaluate("getComputedStyle(document.body).marginTop") == "7px"
            assert not watched.wrong
            assert [one for one in watched.asked if not one.startswith("data:")] == [file.as_uri()]

    run(story())


ATTEMPTS = {
    "a request": "fetch('https://example.com/')",
    "a request for data": "fetch('data:,x')",
    "a module": "import('https://example.com/x.js')",
    "an image": """new Promise((done, fail) => {
        const image = Object.assign(new Image(), { onload: done, onerror: () => fail(Error("not loaded")) });
        image.src = "https://example.com/x.png";
      })""",
    "a script": """new Promise((done, fail) => {
        const script = Object.assign(document.createElement("script"), { textContent: "window.ran = 1;" });
        document.body.append(script);
        window.ran ? done() : fail(Error("not run"));
      })""",
    # What a debugger evaluates may use `eval` in spite of a policy. A timer of the page may not.
    "eval": """new Promise((done, fail) => setTimeout(() => {
        try {
          done(eval("1"));
        } catch (error) {
          fail(error);
        }
      }))""",
}


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS)
def test_the_policy_of_the_offline_file_forbids_all_network_and_all_other_code(attempt: str, tmp_path: Path) -> None:
    file = tmp_path / "file.html"
    file.write_bytes(offline_page(read_tree(made_tree(tmp_path / "tree", OFFLINE))))

    async def story() -> None:
        async with browsers() as opened:
            watched = await opened.page()
            await watched.page.goto(file.as_uri())
            await watched.text("dice")
            told = str(await watched.page.evaluate(f"() => {attempt}.then(() => 'allowed', String)"))
            assert told != "allowed"
            assert any("Content Security Policy" in one for one in (told, *watched.wrong))

    run(story())


def test_the_server_gives_the_offline_file_out_to_be_kept() -> None:
    async def story() -> None:
        async with served() as server, browsers() as opened, httpx.AsyncClient() as client:
            assert server.reading is not None
            answer = await client.get(f"{server.reading.url}{OFFLINE_PATH}")
            assert answer.headers["content-disposition"] == 'attachment; filename="liarsdice-verify.html"'
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
            assert answer.headers["cache-control"] == "no-cache"
            watched = await opened.page()
            await watched.page.goto(f"{server.reading.url}/about")
            async with watched.page.expect_download() as download:
                await watched.page.evaluate("path => { location.href = path; }", OFFLINE_PATH)
            kept = await download.value
            assert kept.suggested_filename == "liarsdice-verify.html"

            alone = await opened.page(offline=True)
            await alone.page.goto(Path(await kept.path()).as_uri())
            await alone.page.wait_for_function("() => document.body.childNodes.length > 0", timeout=SECONDS_MAX * 1000)

    run(story())
