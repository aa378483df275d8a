"""Many tables in many tabs of one browser, which has six connections to a server for all of them together."""

import asyncio

from playwright.async_api import expect

from tests.http.readers import Site, on_site
from tests.web.browsers import needs_browser
from tests.web.page.pages import new_visitor, page_of
from tests.web.page.seated_pages import new_table, signed_in

pytestmark = needs_browser
TABS = 7
"""More than the connections of a browser to one server."""


def test_tables_in_more_tabs_than_a_browser_has_connections_are_all_played() -> None:
    async def story(site: Site) -> None:
        async with new_visitor() as visitor, page_of(visitor, site.url, "/about") as first:
            await signed_in(first, site.url)
            games = [await new_table(first, "single-hand", dice_each=1) for _ in range(TABS)]
            tabs = [await visitor.new_page() for _ in games]
            await asyncio.gather(*(tab.goto(f"{site.url}/play/{game}") for tab, game in zip(tabs, games, strict=True)))
            for tab in tabs:
                await expect(tab.get_by_role("button", name="Start the game")).to_be_enabled()
            await tabs[-1].get_by_role("button", name="Start the game").click()
            await expect(tabs[-1].locator(".table-felt")).to_be_visible()
            await tabs[0].close()
            await tabs[1].get_by_role("button", name="Start the game").click()
            await expect(tabs[1].locator(".table-felt")).to_be_visible()

    on_site(story)
