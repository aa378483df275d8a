"""What the page says while the server still catches up, and once it has everything."""

import json
import re
from typing import Any

from playwright.async_api import Page, Route, expect

from tests.http.readers import Site, on_site
from tests.web.browsers import needs_browser
from tests.web.page.pages import opened_page

pytestmark = needs_browser
BEHIND = {"complete": False, "caught_up_to": 1_790_000_000_000}
UNKNOWN = ("404",)
_KNOWN: list[tuple[str, str]] = []


async def game_of(on: Site) -> tuple[str, str]:
    """A game and one of its players, whom everybody knows; the tests of a process share them."""
    if not _KNOWN:
        game_id, clients = await on.played("pirates")
        _KNOWN.append((game_id, clients[0].player.player_id))
    return _KNOWN[0]


class CatchingUp:
    """A server whose models are behind: what it answers is changed on its way to the page."""

    def __init__(self, percent: int = 43, *, stopped: bool = False) -> None:
        self._percent, self._stopped = percent, stopped
        self.over = False

    async def begin(self, page: Page) -> None:
        """Change the answers from now on."""
        await page.route("**/api/v1/**", self._answer)

    async def _answer(self, route: Route) -> None:
        answer = await route.fetch()
        told: Any = await answer.json() if "json" in answer.headers["content-type"] else None
        if self.over or not isinstance(told, dict):
            await route.fulfill(response=answer)
            return
        if "freshness" in told:
            told["freshness"] = BEHIND
        for model in told.get("models", ()):
            model.update(freshness=BEHIND, percent=self._percent, stopped=self._stopped)
        await route.fulfill(response=answer, body=json.dumps(told))


def test_lists_and_statistics_say_up_to_when_they_are_complete() -> None:
    async def story(on: Site) -> None:
        _, player = await game_of(on)
        async with opened_page(on.url, "/about") as page:
            for path in ("/games", "/players", "/leaderboards", f"/players/{player}"):
                await page.goto(f"{on.url}{path}")
                await expect(page.locator(".freshness")).to_have_text(re.compile(r"^Complete up to \d+:\d\d:\d\d"))

    on_site(story)


def test_a_page_that_may_miss_games_says_so_and_renews_itself_when_the_server_has_caught_up() -> None:
    async def story(on: Site) -> None:
        game_id, player = await game_of(on)
        server = CatchingUp()
        async with opened_page(on.url, "/about") as page:
            await server.begin(page)
            await page.goto(f"{on.url}/players/{player}")
            note = page.locator(".freshness.is-behind")
            await expect(note).to_contain_text("The server is catching up: what happened after")
            await expect(note).to_contain_text("43% done. This page renews itself.")
            # A single game is read from its events, so it is complete while the lists are not.
            await page.locator(f"a[href^='/games/{game_id}']").first.click()
            await expect(page.locator(".replay-moves.is-ranked, .replay-below .card")).not_to_have_count(0)
            await expect(page.locator(".replay-slider")).to_be_visible()
            await expect(page.locator(".freshness")).to_have_count(0)
            await page.go_back()
            await expect(note).to_be_visible()
            server.over = True
            await expect(page.locator(".freshness")).to_have_text(re.compile("^Complete up to"))

    on_site(story)


def test_a_player_who_is_unknown_while_the_server_catches_up_may_be_found_later() -> None:
    async def story(on: Site) -> None:
        server = CatchingUp(stopped=True)
        async with opened_page(on.url, "/about", allowed=UNKNOWN) as page:
            await server.begin(page)
            await page.goto(f"{on.url}/players/nobody-yet")
            await expect(page.get_by_role("heading", name="There is no such player.")).to_be_visible()
            await expect(page.locator(".freshness.is-behind")).to_contain_text("It has stopped at something")

    on_site(story)
