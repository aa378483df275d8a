"""What holds for every page: anybody can use it, it asks nobody else for anything, and it fits a phone."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from tests.extent import cases
from tests.http.readers import Site, on_site
from tests.npm_packages import Missing, node_modules
from tests.web.browsers import needs_browser
from tests.web.page.pages import Theme, Work, opened_page

pytestmark = needs_browser
AXE = "axe-core@4.14.0"
THEMES: tuple[Theme, Theme] = ("light", "dark")
LANGUAGES = ("de", "es")
PHONE_WIDTH = 390
NOT_FOUND = ("Failed to load resource", "net::ERR_")
"""What browsers report by themselves; the page shows it to its reader."""


PATHS = (
    "/",
    "/games",
    "/games/{game}?step=12",
    "/games/{game}/rounds/1",
    "/watch/{game}",
    "/verify?game={game}",
    "/players",
    "/players/{player}",
    "/leaderboards",
    "/compare",
    "/clubs",
    "/clubs/nothing",
    "/rules",
    "/rules/pirates",
    "/about",
    "/games/nothing",
    "/players/nobody",
)
"""An address of every page."""
WIDER = """() => [...document.querySelectorAll("main .card")]
  .filter((card) => card.scrollWidth > card.clientWidth).map((card) => card.textContent)"""
LOOKS = [(path, THEMES[number % 2], LANGUAGES[number // 2 % 2]) for number, path in enumerate(PATHS)]
"""Each page in a theme and a language other than the first one."""
_PLAYED: list[tuple[str, str]] = []


async def filled(path: str, site: Site) -> str:
    """A path with a game that was played and one of its players; all tests of a process share the game."""
    if not _PLAYED:
        game_id, clients = await site.played("prediction-track", options={"dice_each": 2})
        _PLAYED.append((game_id, clients[0].player.player_id))
    game_id, player_id = _PLAYED[0]
    return path.format(game=game_id, player=player_id)


async def settled(page: Page) -> None:
    """Wait until the page has what it asked for."""
    await page.wait_for_selector("main h1", timeout=30_000)
    await page.wait_for_function("() => !document.querySelector('main .waiting')", timeout=30_000)


def axe() -> Path:
    """The script of axe-core, which finds what keeps people from using a page."""
    try:
        return node_modules(AXE) / "axe-core" / "axe.min.js"
    except Missing as missing:
        pytest.skip(f"axe-core is not here: {missing}")


@pytest.mark.at_length
@pytest.mark.parametrize(("path", "theme", "language"), cases(LOOKS[::4], LOOKS))
def test_on_a_phone_every_page_fits_has_all_its_texts_and_keeps_nobody_out(
    path: str, theme: Theme, language: str
) -> None:
    """A text that is missing in a language would be shown as `undefined`; axe looks for what keeps people out."""
    script = axe().read_text(encoding="utf-8")

    async def story(site: Site) -> None:
        where = await filled(path, site)
        look: dict[str, Any] = {"width": PHONE_WIDTH, "has_touch": True, "language": language, "theme": theme}
        # The page's policy would keep out what axe adds to it.
        async with opened_page(site.url, where, allowed=NOT_FOUND, bypass_csp=True, **look) as page:
            await settled(page)
            assert await page.evaluate("document.documentElement.scrollWidth") == PHONE_WIDTH
            assert await page.evaluate(WIDER) == [], "cards with something wider than themselves"
            text = await page.inner_text("body")
            told = await page.evaluate("document.documentElement.lang")
            assert (await page.locator("main h1").count(), told) == (1, language)
            assert "undefined" not in text
            assert "[object" not in text
            await page.evaluate(script)
            violations = (await page.evaluate("axe.run()"))["violations"]
            assert [
                (one["id"], [node["target"] for node in one["nodes"]][:3], one["nodes"][0]["failureSummary"])
                for one in violations
            ] == []

    on_site(story)


@pytest.mark.at_length
@pytest.mark.parametrize("path", cases(["/watch/{game}"], ["/", "/watch/{game}"]))
def test_a_page_on_which_nothing_happens_costs_nothing(path: str) -> None:
    """Motion without an end would draw the page again and again, and empty batteries."""

    async def story(site: Site) -> float:
        where = await filled(path, site)
        async with opened_page(site.url, where, still=False) as page:
            await settled(page)
            await page.wait_for_function("() => document.getAnimations().every((one) => one.playState !== 'running')")
            work = await Work.of(page)
            await page.wait_for_timeout(1_000)
            return await work.seconds()

    # Motion without an end would take more: each frame is drawn by the processor here.
    assert on_site(story) < 0.1


def test_while_the_server_is_away_the_page_says_so_and_goes_on_when_it_is_back() -> None:
    async def story(site: Site) -> None:
        async with opened_page(site.url, "/", allowed=NOT_FOUND) as page:
            await settled(page)
            await page.context.set_offline(True)
            await page.wait_for_selector(".banner.is-bad")
            await page.context.set_offline(False)
            await page.wait_for_selector(".banner.is-bad", state="detached")

    on_site(story)
