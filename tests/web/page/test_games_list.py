"""The list of games in a real browser: a reader goes on from page to page, and comes back to the same place."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.async_api import Route, expect

from tests.http.readers import Site, on_site
from tests.web.browsers import needs_browser
from tests.web.page.pages import opened_page

pytestmark = needs_browser
GAMES = 50


async def some_game(on: Site) -> Any:
    """A game that is over, as lists have it; tests that ran before in this process may have played some."""
    while not (known := (await on.read("/games", params={"page_size": 1, "result": "ended"}))["games"]):
        await on.played("pirates", options={"dice_each": 1})
    return known[0]


def test_more_games_follow_without_a_gap_or_a_double_and_a_reader_who_comes_back_finds_them() -> None:
    async def story(on: Site) -> None:
        listed = await some_game(on)
        asked: list[tuple[int, int]] = []

        async def answer(route: Route) -> None:
            """A list of many games, which nobody has to play for it."""
            query = parse_qs(urlsplit(route.request.url).query)
            start, size = int(query.get("page_token", ["0"])[0]), int(query["page_size"][0])
            asked.append((start, size))
            end = min(start + size, GAMES)
            games = [{**listed, "game_id": f"game-{number}"} for number in range(start, end)]
            token = str(end) if end < GAMES else None
            await route.fulfill(json={"games": games, "next_page_token": token, "freshness": {"complete": True}})

        async with opened_page(on.url, "/about", allowed=("404",)) as page:
            await page.route("**/api/v1/games?*", answer)
            await page.goto(f"{on.url}/games")
            links = page.locator(".games-link")
            more = page.get_by_role("button", name="More games")
            for count in (20, 40, 50):
                await expect(links).to_have_count(count)
                if count < GAMES:
                    await more.press("Enter")
            await expect(page.get_by_text("That is all.")).to_be_visible()
            await expect(more).to_have_count(0)
            hrefs = await links.evaluate_all("all => all.map((one) => one.pathname.split('/')[2])")
            assert hrefs == [f"game-{number}" for number in range(GAMES)]
            assert asked == [(0, 20), (20, 20), (40, 20)]

            await page.wait_for_function("() => history.state?.games?.shown === 50")
            await links.last.click()
            await expect(page.get_by_role("heading", level=1)).to_have_text("There is no such game")
            await page.go_back()
            await expect(links).to_have_count(GAMES)
            assert asked[3:] == [(0, GAMES)]
            await expect(links.last).to_be_in_viewport()

    on_site(story)
