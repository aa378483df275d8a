"""The JavaScript client in a real browser: its secrets lie in the browser's database, and outlive the page."""

from typing import Any

from playwright.async_api import Page

from domain.events import PlayerJoined
from tests.servers import SECONDS_MAX, run, served
from tests.web.browsers import needs_browser
from tests.web.connect_door import ConnectDoor
from tests.web.page.pages import new_visitor

pytestmark = needs_browser


async def done(page: Page) -> Any:
    """What the page has told once it is done."""
    await page.wait_for_function("() => window.told?.done", timeout=SECONDS_MAX * 1000)
    told = await page.evaluate("window.told")
    assert told["failed"] is None
    return told


def test_a_page_that_is_reloaded_in_the_middle_of_a_round_plays_on() -> None:
    async def story() -> None:
        async with served() as server, ConnectDoor.before(server.address) as door, new_visitor() as visitor:
            page = await visitor.new_page()
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


KEEPING = """
async () => {
  const { IndexedDbSeatKeeper } = await import("/services/web/client/index.js");
  const seed = new Uint8Array(32).fill(7);
  const kept = { server: "s", playerId: "p", gameId: "g", length: 70, seed, signingKey: null, sent: null };
  const sent = (number) => ({ number, version: number, told: btoa("t".repeat(32)) });
  const keepers = [1, 2, 3, 4].map(() => new IndexedDbSeatKeeper());
  await keepers[0].keep(kept);
  const before = await Promise.all(keepers.map((keeper) => keeper.note(kept, sent(5))));
  const lower = await keepers[1].note(kept, sent(3));
  const found = await keepers[2].find(kept);
  await keepers[3].forget(kept);
  return { first: before.filter((one) => one === null).length, lower, sent: found.sent, seed: [...found.seed], gone: await keepers[0].find(kept) };
}
"""


def test_of_several_pages_only_one_is_the_first_to_send_a_link() -> None:
    async def story() -> Any:
        async with served() as server, ConnectDoor.before(server.address) as door, new_visitor() as visitor:
            page = await visitor.new_page()
            await page.goto(f"{door.address}/tests/web/page.html?bids=0")
            return await page.evaluate(KEEPING)

    told = run(story())

    assert told["first"] == 1
    assert told["lower"]["number"] == told["sent"]["number"] == 5
    assert told["seed"] == [7] * 32
    assert told["gone"] is None
