"""Makes the picture of the page in the README from the real page: `python -m tests.web.page.picture`."""

from tests.http.readers import Site, on_site
from tests.servers import ROOT
from tests.web.page.pages import opened_page

PICTURE = ROOT / "docs/play/page.jpg"
_QUALITY = 72


def main() -> None:
    """Play a bit of a game with bots, and look at the table when it is one's turn."""

    async def story(site: Site) -> None:
        async with opened_page(site.url, "/?book=bidding-track", width=1120, height=760) as page:
            await page.get_by_label("Your name").fill("Robin")
            await page.get_by_role("button", name="Begin the game").click()
            await page.wait_for_url("**/play/**")
            doubt = page.locator(".challenge:not(:disabled)")
            await page.wait_for_selector(".face:not(:disabled)")
            if await doubt.count() == 0:  # One opens the round oneself: then the bots answer first.
                await page.locator(".face:not(:disabled)").first.click()
            await doubt.wait_for(timeout=60_000)
            await page.screenshot(path=PICTURE, type="jpeg", quality=_QUALITY)

    on_site(story)


if __name__ == "__main__":
    main()
