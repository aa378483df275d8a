"""The JavaScript client in a real browser: its secrets lie in the browser's database, and outlive the page."""

from typing import Any

from playwright.async_api import Page

from domain.events import PlayerJoined
from tests.servers import SECONDS_MAX, run, served
from tests.web.browsers import browser, needs_browser
from tests.web.connect_door import ConnectDoor

pytestmark = needs_browser


async def done(page: Page) -> Any:
    """What the page has told once it is done."""
    await page.wait_for_function("window.told?.done", timeout=SECONDS_MAX * 1000)
    told = await page.evaluate("window.told")
    assert told["failed"] is None
    return told


def test_a_page_that_is_reloaded_in_the_middle_of_a_round_plays_on() -> None:
    async def story() -> None:
        async with served() as server, ConnectDoor.before(server.address) as door, browser() as opened:
            page = await (await opened.new_context()).new_page()
            address = f"{door.address}/tests/web/page.html"
            await page.goto(f"{address}?bids=1")
            first = await done(page)
            pages = 1
            told = first
            while not told["ended"]:
                await page.goto(f"{address}?game={first['gameId']}&bids={1 + pages * 3}")
                told, pages = await done(page), pages + 1
                assert told["keeps"] or told["ended"]
                assert told["playerId"] == first["playerId"]

            assert pages > 2
            assert told["versions"] == list(range(1, len(told["versions"]) + 1))
            assert told["proven"]["dice"] > 0
            assert told["proven"]["heldByServer"] == [1]
            events = await server.host.games.events(first["gameId"])
            joined = next(event for event in events if isinstance(event, PlayerJoined))
            assert (joined.chain_held_by, joined.signing_key is not None) == ("player", True)

    run(story())
