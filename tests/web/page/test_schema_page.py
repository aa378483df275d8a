"""The page about reading over HTTP, in a browser: it fits, it is dark where its reader wants that, and keys are enough."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.extent import cases
from tests.http.readers import Site, on_site
from tests.web.browsers import needs_browser
from tests.web.page.pages import Theme, opened_page
from tests.web.page.test_every_page import axe

pytestmark = needs_browser
ONE_OF_EACH = """() => {
  for (const kind of ["operation", "fields"]) [...document.querySelectorAll(`article.${kind}`)].slice(4).forEach((card) => card.remove());
  const ids = new Set([...document.querySelectorAll("[id]")].map(({ id }) => id));
  for (const link of document.querySelectorAll('a[href^="#"]')) if (!ids.has(link.hash.slice(1))) link.closest("li, a").remove();
}"""
"""All cards are made alike, and to look at a few of them takes axe a twentieth of the time."""
PAPER = {"light": "rgb(246, 241, 230)", "dark": "rgb(18, 23, 24)"}


async def paper(page: Page) -> Any:
    return await page.evaluate("getComputedStyle(document.body).backgroundColor")


@pytest.mark.at_length
@pytest.mark.parametrize(("width", "theme"), cases([(390, "dark")], [(390, "dark"), (1440, "light")]))
def test_axe_finds_nothing_and_no_part_of_the_page_is_wider_than_the_window(width: int, theme: Theme) -> None:
    script = axe().read_text(encoding="utf-8")

    async def story(site: Site) -> None:
        async with opened_page(site.url, "/schema", width=width, theme=theme, bypass_csp=True) as page:
            assert await paper(page) == PAPER[theme]
            assert await page.evaluate("document.documentElement.scrollWidth") == width
            await page.evaluate(ONE_OF_EACH)
            await page.evaluate(script)
            found = (await page.evaluate("axe.run()"))["violations"]
            assert [(one["id"], one["nodes"][0]["target"], one["nodes"][0]["failureSummary"]) for one in found] == []

    on_site(story)


def test_the_page_is_read_with_the_keyboard_and_its_links_lead_to_their_places() -> None:
    async def story(site: Site) -> None:
        async with opened_page(site.url, "/schema", width=390) as page:
            await page.keyboard.press("Tab")
            await expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
            await page.keyboard.press("Enter")
            await expect(page.get_by_role("main")).to_be_focused()
            contents = page.get_by_role("navigation", name="Contents")
            await contents.get_by_role("link", name="The best players").focus()
            await page.keyboard.press("Enter")
            card = page.get_by_role("article", name="The best players")
            await expect(card.get_by_role("heading", name="The best players")).to_be_in_viewport()
            await card.get_by_role("link", name="NO_SUCH_RULEBOOK").click()
            await expect(page.locator("#reason-NO_SUCH_RULEBOOK")).to_be_in_viewport()
            await page.goto(f"{site.url}/schema#fields-GameListing")
            await expect(page.get_by_role("heading", name="GameListing")).to_be_in_viewport()

            closed = page.locator("details.example-answer:not([open])").first
            folded = closed.locator("summary")
            await folded.focus()
            place = await folded.element_handle()
            await page.keyboard.press("Enter")
            assert place is not None
            assert await place.evaluate("(summary) => summary.parentElement.open")

    on_site(story)
