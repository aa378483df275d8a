"""The rules in plain words, and what the page says about itself."""

import re

from playwright.async_api import expect

from domain.events import GameCreated
from domain.rulebooks.clauses import CLAUSES
from tests.http.readers import Site, on_site
from tests.servers import ROOT, run, shared_server
from tests.web.browsers import needs_browser
from tests.web.page.pages import opened_page, shared_url

LAST = {
    "bidding-track": "BT-20",
    "single-hand": "SH-14",
    "pirates": "PI-6",
    "prediction-track": "PT-13",
    "palafico": "PA-14",
}
PAGE = ROOT / "services" / "web" / "page"


def test_every_clause_that_the_page_cites_is_one_of_the_rules() -> None:
    cited = re.findall(r"\b(?:[A-Z]{2}-\d+|R\d+)\b", (PAGE / "rules" / "clauses.js").read_text())

    assert len(cited) > 80
    assert set(cited) <= set(CLAUSES)


@needs_browser
def test_the_link_of_a_clause_in_an_audit_lands_on_that_clause() -> None:
    async def story(site: Site) -> None:
        game_id, _ = await site.played("bidding-track", options={"dice_each": 1})
        async with opened_page(site.url, f"/games/{game_id}/rounds/1", width=390) as page:
            link = page.locator(".audit-clauses a.tag").first
            clause = await link.inner_text()
            await link.click()
            await expect(page).to_have_url(re.compile(f"/rules/bidding-track#{clause}$"))
            await expect(page.locator(f"[id='{clause}']")).to_be_in_viewport()
            await expect(page.locator(f"[id='{clause}']")).to_be_focused()

            for book in ("bidding-track", "single-hand", "pirates", "prediction-track", "palafico"):
                await page.goto(f"{site.url}/rules/{book}#{LAST[book]}")
                await expect(page.locator(f"[id='{LAST[book]}']")).to_be_in_viewport()
                await expect(page.locator(".points-list > li.is-cited").first).to_contain_text(LAST[book])
                shown = await page.locator(".clause").all_inner_texts()
                anchors = await page.locator(".clause[id]").evaluate_all("(all) => all.map(({ id }) => id)")
                assert sorted(anchors) == sorted(set(shown))

    on_site(story)


@needs_browser
def test_a_newcomer_reads_the_rules_plays_and_becomes_somebody_new() -> None:
    async def story() -> None:
        async with opened_page(await shared_url(), "/rules", width=820) as page:
            await expect(page.get_by_role("heading", name="Liar's Dice in a minute")).to_be_visible()
            await expect(page.get_by_role("row", name=re.compile("^Wild skull"))).to_be_visible()
            for title in ("Pirates", "Single hand", "The bidding track", "The prediction track", "Palafico"):
                await page.get_by_role("link", name=title).first.click()
                await expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
                points = page.locator(".points-list > li")
                assert await points.count() == await page.locator(".points-list > li:has(.clause)").count() > 8
                await expect(page.get_by_text(re.compile(r"^\d+ dice count towards the bid"))).to_be_visible()
            await page.get_by_role("button", name="Play this").click()
            await page.wait_for_url(re.compile("/play/"))
            events = await (await shared_server()).host.games.events(page.url.rpartition("/")[2])
            assert isinstance(events[0], GameCreated)
            assert events[0].rulebook == "palafico"

            await page.get_by_role("link", name="About").click()
            await page.get_by_role("button", name="Become somebody new").click()
            await page.keyboard.press("Escape")
            await page.get_by_role("button", name="Become somebody new").click()
            await page.get_by_role("button", name="Forget me").click()
            await expect(page.get_by_text("You have not played here yet.")).to_be_visible()
            await expect(page.locator(".me")).to_have_count(0)
            await page.get_by_role("button", name="Deutsch").click()
            await expect(page.get_by_role("heading", name="Über diesen Server")).to_be_visible()

    run(story())
