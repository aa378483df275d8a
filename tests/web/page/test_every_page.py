"""What holds for every page: anybody can use it, it asks nobody else for anything, and it fits a phone."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from tests.http.readers import Site, on_site
from tests.npm_packages import Missing, node_modules
from tests.web.browsers import needs_browser
from tests.web.page.pages import Theme, opened_page

pytestmark = needs_browser
AXE = "axe-core@4.14.0"
THEMES: tuple[Theme, Theme] = ("light", "dark")
PHONE_WIDTH = 390
NOT_FOUND = ("Failed to load resource", "net::ERR_")
"""What browsers report by themselves; the page shows it to its reader."""


def paths(game_id: str, player_id: str) -> tuple[str, ...]:
    """An address of every page."""
    return (
        "/",
        "/games",
        f"/games/{game_id}?step=12",
        f"/games/{game_id}/rounds/1",
        f"/watch/{game_id}",
        f"/verify?game={game_id}",
        "/verify",
        "/players",
        f"/players/{player_id}",
        "/leaderboards",
        "/compare",
        "/rules",
        "/rules/pirates",
        "/about",
        "/nowhere",
        "/games/nothing",
        "/players/nobody",
    )


async def settled(page: Page) -> None:
    """Wait until the page has what it asked for."""
    await page.wait_for_selector("main h1", timeout=30_000)
    await page.wait_for_function("!document.querySelector('main .waiting')", timeout=30_000)


def axe() -> Path:
    """The script of axe-core, which finds what keeps people from using a page."""
    try:
        return node_modules(AXE) / "axe-core" / "axe.min.js"
    except Missing as missing:
        pytest.skip(f"axe-core is not here: {missing}")


def test_axe_finds_nothing_on_any_page_in_either_theme() -> None:
    script = axe().read_text(encoding="utf-8")

    async def story(site: Site) -> dict[str, Any]:
        game_id, clients = await site.played("bidding-track")
        found: dict[str, Any] = {}
        for number, path in enumerate(paths(game_id, clients[0].player.player_id)):
            async with opened_page(site.url, path, theme=THEMES[number % 2], allowed=NOT_FOUND) as page:
                await settled(page)
                await page.evaluate(script)
                violations = (await page.evaluate("axe.run()"))["violations"]
                found[path] = [
                    (one["id"], [node["target"] for node in one["nodes"]][:3], one["nodes"][0]["failureSummary"])
                    for one in violations
                ]
        return {path: violations for path, violations in found.items() if violations}

    assert on_site(story) == {}


def test_on_a_phone_no_page_is_wider_than_the_screen_and_every_page_has_one_heading() -> None:
    async def story(site: Site) -> list[str]:
        game_id, clients = await site.played("prediction-track")
        faults = []
        for path in paths(game_id, clients[0].player.player_id):
            async with opened_page(site.url, path, width=PHONE_WIDTH, has_touch=True, allowed=NOT_FOUND) as page:
                await settled(page)
                width = await page.evaluate("document.documentElement.scrollWidth")
                if width > PHONE_WIDTH:
                    faults.append(f"{path} is {width} wide")
                if await page.locator("main h1").count() != 1:
                    faults.append(f"{path} has {await page.locator('main h1').count()} headings")
        return faults

    assert on_site(story) == []


@pytest.mark.parametrize("language", ["de", "es"])
def test_in_every_language_no_page_shows_a_text_of_another_one(language: str) -> None:
    """Texts that are missing in a language would be shown as `undefined` or in English."""

    async def story(site: Site) -> dict[str, str]:
        game_id, clients = await site.played("pirates")
        shown = {}
        for path in paths(game_id, clients[0].player.player_id):
            async with opened_page(site.url, path, language=language, allowed=NOT_FOUND) as page:
                await settled(page)
                assert await page.evaluate("document.documentElement.lang") == language
                text = await page.inner_text("body")
                if "undefined" in text or "[object" in text:
                    shown[path] = text
        return shown

    assert on_site(story) == {}


def test_while_the_server_is_away_the_page_says_so_and_goes_on_when_it_is_back() -> None:
    async def story(site: Site) -> None:
        async with opened_page(site.url, "/", allowed=NOT_FOUND) as page:
            await settled(page)
            await page.context.set_offline(True)
            await page.wait_for_selector(".banner.is-bad")
            await page.context.set_offline(False)
            await page.wait_for_selector(".banner.is-bad", state="detached")

    on_site(story)
