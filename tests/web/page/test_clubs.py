"""Clubs in the page: found one, invite with a link, see the table and who came."""

import asyncio
import re

from playwright.async_api import Page, expect

from tests.clubs.evenings import ClubEvening, listed
from tests.rpc.servers import Player, Server, channel_to
from tests.servers import run, shared_server
from tests.web.browsers import needs_browser
from tests.web.page.pages import new_visitor, page_of, shared_url
from tests.web.page.test_every_page import axe

pytestmark = needs_browser
_KEPT = """
async () => {
  const folder = document.querySelector("script[type=module]").src.replace("/page/main.js", "");
  const { IndexedDbTokenStore } = await import(`${folder}/client/index.js`);
  return new IndexedDbTokenStore().find(location.origin, "this browser");
}
"""
NOT_FOUND = ("Failed to load resource",)
"""Somebody who is invited is no member yet, and browsers report that answer by themselves."""


async def named(page: Page, name: str) -> None:
    """Say who one is."""
    await page.get_by_label("Your name").fill(name)


def test_a_club_is_founded_joined_with_its_link_and_shows_its_table() -> None:
    async def story() -> None:
        url, running = await shared_url(), await shared_server()
        async with (
            new_visitor(bypass_csp=True) as ann,
            new_visitor(width=390, language="de") as bob,
            page_of(ann, url, "/clubs") as page,
            channel_to(running) as channel,
        ):
            await named(page, "Ann")
            await page.get_by_label("Name of the club").fill("Thursday Dice")
            await page.get_by_role("button", name="Found the club").click()
            await page.wait_for_url(re.compile(r"/clubs/[a-z2-7]+$"))
            await expect(page.get_by_role("heading", level=1)).to_have_text("Thursday Dice")
            link = await page.locator("#invitation").input_value()
            club_id, _, code = link.rpartition("/")[2].partition("#")
            async with page_of(bob, url, f"/clubs/{club_id}#{code}", NOT_FOUND) as other:
                await other.get_by_label("Dein Name").fill("Bob")
                await other.get_by_role("button", name="Mitglied werden").click()
                await expect(other.get_by_role("heading", level=1)).to_have_text("Thursday Dice")
                assert code not in other.url
                assert await other.locator("#invitation").count() == 0
                tokens = [await one.evaluate(_KEPT) for one in (page, other)]
                server = Server(running, channel)
                members = [Player(channel, token) for token in tokens]
                club = ClubEvening(server, members, club_id, code)
                await listed(server, club_id, 2)
                await club.play(*members)
                await other.reload()
                row = other.get_by_role("row").filter(has_text="Ann").first
                await expect(row).to_contain_text("2 von 2")
                assert await other.evaluate("document.documentElement.scrollWidth") == 390
            await page.reload()
            await expect(page.get_by_role("heading", name="Attendance")).to_be_visible()
            await page.evaluate(await asyncio.to_thread(axe().read_text, encoding="utf-8"))
            violations = (await page.evaluate("axe.run()"))["violations"]
            assert [(one["id"], one["nodes"][0]["failureSummary"]) for one in violations] == []
            async with page.expect_download() as downloading:
                await page.get_by_role("button", name="All games as CSV").click()
            assert (await downloading.value).suggested_filename == f"{club_id}.csv"
            await page.get_by_label("Name of the season").fill("Winter")
            await page.get_by_role("button", name="Start the season").click()
            await expect(page.get_by_role("link", name="Winter")).to_have_attribute("aria-current", "true")

    run(story())
