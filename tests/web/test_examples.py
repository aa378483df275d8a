"""The examples in JavaScript play whole games: a bot on Node, and a page in a real browser."""

import asyncio
import re
from pathlib import Path

from msgspec.structs import replace
from playwright.async_api import Page

from services.verifier import verify
from tests.infra.postgres.databases import new_database
from tests.servers import SECONDS_MAX, SHARED_SETTINGS, run, served
from tests.web.browsers import browser, needs_browser
from tests.web.connect_door import ROOT, ConnectDoor
from tests.web.node_programs import NODE, needs_node

BOT, PAGE = ROOT / "examples" / "node-bot" / "bot.js", ROOT / "examples" / "browser" / "index.html"


@needs_node
def test_the_bot_plays_a_game_with_its_own_dice_and_leaves_the_proof(tmp_path: Path) -> None:
    async def story() -> str:
        async with served() as server:
            assert server.reading is not None
            program = await asyncio.create_subprocess_exec(
                NODE, str(BOT), server.reading.url, cwd=tmp_path, stdout=asyncio.subprocess.PIPE
            )
            output, _ = await program.communicate()
            assert program.returncode == 0, output.decode()
            return output.decode()

    output = run(story())

    assert output.startswith("Robin plays game ")
    assert re.search(r"^\d+ dice follow from \d+ links$", output, re.MULTILINE)
    assert re.search(r" wins$", output, re.MULTILINE)
    report = verify((tmp_path / "game.bundle").read_bytes())
    assert "The server held the chains of seats [1, 2]." in report.not_proven


async def played(page: Page) -> str:
    """The log of the page once somebody has won; until then it makes the move that the page proposes."""
    async with asyncio.timeout(SECONDS_MAX):
        while "wins" not in (log := await page.inner_text("#log")):
            for answer in ("challenge", "bid"):
                button = page.locator(f"#move:not([hidden]) [value={answer}]:enabled")
                if await button.count():
                    await button.click()
                    break
            await page.wait_for_timeout(30)
    return log


@needs_browser
def test_the_page_plays_a_game_and_goes_on_after_a_reload() -> None:
    """It comes from another origin than the server, which lets it in by CORS."""

    async def story(url: str) -> str:
        async with ConnectDoor.before("127.0.0.1:1") as files:
            settings = replace(SHARED_SETTINGS, cors_origins=(files.address,))
            async with served(url, settings) as server, browser() as opened:
                assert server.reading is not None
                page = await (await opened.new_context()).new_page()
                await page.goto(f"{files.address}/examples/browser/index.html?server={server.reading.url}")
                await page.select_option("select", "pirates")
                await page.click("text=Play against two bots")
                await page.wait_for_selector("#move:not([hidden])", timeout=SECONDS_MAX * 1000)
                await page.reload()
                await page.wait_for_selector("#move:not([hidden])", timeout=SECONDS_MAX * 1000)
                return await played(page)

    log = asyncio.run(story(new_database(lanes=2)))

    assert re.search(r"\d+ dice are proven by \d+ links", log)


def test_the_examples_are_short() -> None:
    assert len(BOT.read_text().splitlines()) < 60
    assert len(PAGE.read_text().splitlines()) < 100
