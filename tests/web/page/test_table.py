"""The table of the page: whole games by mouse and by keyboard, two browsers, spectators, and what happens when the server goes."""

import asyncio
import re
import signal

import pytest
from playwright.async_api import Page, expect

from domain.history.odds import chance_of_bid
from domain.state import Bidding
from domain.values import Bid
from domain.views import view
from services.cli.play.typed_line import Bids, Says, Shows, meaning_of
from tests.extent import AT_LENGTH, cases
from tests.http.readers import Site, on_site
from tests.infra.postgres.databases import folder_for_a_server, new_database
from tests.servers import SECONDS_MAX, ServerProcess, run
from tests.web.browsers import needs_browser
from tests.web.page.pages import UNREACHABLE, opened_page
from tests.web.page.seated_pages import joined, new_table, signed_in

pytestmark = needs_browser

BOOKS = ("bidding-track", "single-hand", "pirates", "prediction-track", "palafico")
FREE = ".face:not(:disabled), .challenge:not(:disabled)"
QUANTITY_MAX = 3


async def begun(page: Page, url: str, game_id: str) -> None:
    """Open a table and start the game there."""
    await page.goto(f"{url}/play/{game_id}")
    await page.get_by_role("button", name="Start the game").click()


async def moved_by_mouse(page: Page) -> None:
    """Make the lowest bid, or doubt what seems high."""
    quantity = int((await page.locator(".stepper output").inner_text()).replace("–", "99"))
    doubt = page.locator(".challenge:not(:disabled)")
    if quantity >= QUANTITY_MAX and await doubt.count():
        await doubt.click()
    else:
        await page.locator(".face:not(:disabled)").first.click()


async def moved_by_keys(page: Page) -> None:
    """The same with keys alone: arrows and Enter for a bid, d for a doubt."""
    quantity = int((await page.locator(".stepper output").inner_text()).replace("–", "99"))
    if quantity >= QUANTITY_MAX and await page.locator(".challenge:not(:disabled)").count():
        await page.keyboard.press("d")
    else:
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press("Enter")


async def version_of(page: Page) -> str:
    """The number of the last event in the log, which changes with every move."""
    return str(
        await page.evaluate(
            "Math.max(0, ...[...document.querySelectorAll('.log-lines a')].map((one) => Number(one.textContent)))"
        )
    )


async def played(page: Page, move: object) -> None:
    """Play until the game is over."""
    while True:
        await page.wait_for_selector(f"{FREE}, .ending")
        if await page.locator(".ending").count():
            return
        before = await version_of(page)
        await move(page)  # type: ignore[operator]
        await page.wait_for_function(
            "(before) => document.querySelector('.ending') || Math.max(0, ...[...document.querySelectorAll('.log-lines a')].map((one) => Number(one.textContent))) > before",
            arg=int(before),
        )


@pytest.mark.at_length
@pytest.mark.parametrize("rulebook", cases(BOOKS[:1], BOOKS))
def test_a_whole_game_is_played_by_mouse(rulebook: str) -> None:
    async def story(site: Site) -> None:
        async with opened_page(site.url, "/about", height=900) as page:
            await signed_in(page, site.url)
            await begun(page, site.url, await new_table(page, rulebook, diceEach=1))
            await played(page, moved_by_mouse)

            await expect(page.locator(".places li")).to_have_count(2)
            await expect(page.get_by_text(re.compile(r"All \d+ dice so far are proven"))).to_be_visible()
            await expect(page.get_by_role("button", name="Rematch")).to_be_enabled()

    on_site(story)


@pytest.mark.at_length
@pytest.mark.parametrize("rulebook", cases(BOOKS[3:4], BOOKS))
def test_a_whole_game_is_played_with_the_keyboard_alone(rulebook: str) -> None:
    async def story(site: Site) -> None:
        async with opened_page(site.url, "/about", height=900) as page:
            await page.set_viewport_size({"width": 390, "height": 844})
            await signed_in(page, site.url)
            game_id = await new_table(page, rulebook, bots=(), diceEach=1)
            await page.goto(f"{site.url}/play/{game_id}")
            await expect(page.get_by_text("1 of")).to_be_visible()
            await page.keyboard.press("/")
            await page.keyboard.type("b cautious\n")
            await expect(page.get_by_text("2 of")).to_be_visible()
            await page.keyboard.type("start\n")
            await page.wait_for_selector(f"{FREE}, .ending")
            await page.keyboard.press("Escape")
            await played(page, moved_by_keys)

            await expect(page.locator(".places li")).to_have_count(2)

    on_site(story)


def test_lines_are_typed_as_in_the_terminal() -> None:
    lines = (
        "3x5",
        " 3   5 ",
        "3 × 5",
        "2 stars",
        "2 * s 5 5",
        "s 55",
        "show 5,5",
        "d",
        "liar",
        "b cautious",
        "start",
        "f",
        "?",
        "",
        "3",
        "x",
        "3 5 s",
    )

    async def story(site: Site) -> list[dict[str, object]]:
        async with opened_page(site.url, "/about", height=900) as page:
            await page.goto(f"{site.url}/about")
            return list(
                await page.evaluate(
                    """async (lines) => {
                      const folder = document.querySelector("script[type=module]").src.replace("/main.js", "");
                      const { meaningOf } = await import(`${folder}/table/typed_line.js`);
                      return lines.map((line) => meaningOf(line, ["star"]));
                    }""",
                    lines,
                )
            )

    for line, typed in zip(lines, on_site(story), strict=True):
        match meaning_of(line, "star"):
            case Bids(Bid(quantity, face), shown):
                assert typed == {"kind": "bid", "quantity": quantity, "face": face, "shown": list(shown)}, line
            case Shows(shown):
                assert typed == {"kind": "show", "shown": list(shown)}, line
            case Says(word, rest):
                assert typed["word"] == word, line
                assert word == "unclear" or typed["rest"] == rest, line


def test_two_browsers_play_at_one_table() -> None:
    async def story(site: Site) -> None:
        async with (
            opened_page(site.url, "/about", height=900) as ann,
            opened_page(site.url, "/about", height=900) as ben,
        ):
            await ben.set_viewport_size({"width": 820, "height": 900})
            await signed_in(ann, site.url, "Ann")
            await signed_in(ben, site.url, "Ben")
            game_id = await new_table(ann, "single-hand", bots=(), diceEach=1, opener=0)
            await joined(ben, game_id)
            await ben.goto(f"{site.url}/play/{game_id}")
            await begun(ann, site.url, game_id)
            await expect(ann.get_by_text("You open the round")).to_be_visible()
            await ann.keyboard.type("1x3\n")
            await expect(ben.get_by_role("img", name="1 × 3", exact=True)).to_be_visible()
            await ben.locator(".face:not(:disabled)").last.click()
            await ann.locator(".challenge:not(:disabled)").click()

            await expect(ann.locator(".ending")).to_be_visible()
            await expect(ben.locator(".ending")).to_be_visible()
            winners = await ann.locator(".ending h2").inner_text(), await ben.locator(".ending h2").inner_text()
            assert sorted(winners) in (["Ann wins", "You win!"], ["Ben wins", "You win!"])

    on_site(story)


def test_a_bid_can_be_raised_with_the_stepper_and_only_legal_ones_can_be_picked() -> None:
    async def story(site: Site) -> None:
        async with opened_page(site.url, "/about", height=900) as page:
            await signed_in(page, site.url)
            await begun(page, site.url, await new_table(page, "palafico", diceEach=3, opener=0))
            await expect(page.get_by_role("button", name="one: not possible now")).to_be_disabled()
            await expect(page.get_by_role("button", name="Doubt it")).to_be_disabled()
            await page.get_by_role("button", name="One more").click()
            await page.keyboard.press("ArrowUp")
            await expect(page.get_by_role("button", name="Bid 3 × 6")).to_be_enabled()
            await page.get_by_role("button", name="One fewer").click()
            await page.get_by_role("button", name="Bid 2 × 6").click()
            await expect(page.get_by_text("Ann: 2 × 6.")).to_be_attached()

    on_site(story)


def test_spaces_of_the_track_are_picked_and_dice_are_shown_with_a_bid() -> None:
    async def story(site: Site) -> None:
        async with opened_page(site.url, "/about", height=900) as page:
            await signed_in(page, site.url)
            game_id = await new_table(page, "bidding-track", diceEach=4, opener=0, chips=True)
            await begun(page, site.url, game_id)
            await page.locator(".own-die").first.click()
            await page.get_by_role("button", name="Space 4", exact=True).click()
            await page.get_by_role("button", name="Bid 4 × 6, show 1 and reroll the others").click()
            await expect(page.get_by_text(re.compile(r"Ann shows .* and rerolls 3\."))).to_be_attached()
            await expect(page.locator(".pots")).to_contain_text("Round pot")

    on_site(story)


def test_a_doubt_that_was_set_in_advance_is_made_when_its_bid_comes() -> None:
    async def story(site: Site) -> None:
        async with (
            opened_page(site.url, "/about", height=900) as ann,
            opened_page(site.url, "/about", height=900) as ben,
        ):
            await signed_in(ann, site.url, "Ann")
            await signed_in(ben, site.url, "Ben")
            game_id = await new_table(ann, "single-hand", bots=(), diceEach=2, opener=0)
            await joined(ben, game_id)
            await ben.goto(f"{site.url}/play/{game_id}")
            await begun(ann, site.url, game_id)
            await expect(ben.get_by_text("Ann opens the round")).to_be_visible()
            await ben.get_by_role("spinbutton", name="Doubt if it reaches").fill("2")
            await ben.get_by_role("button", name="Set", exact=True).click()
            await expect(ben.get_by_text("You will doubt 2 or more of any face")).to_be_visible()
            await expect(ann.get_by_text("You open the round")).to_be_visible()
            await ann.keyboard.type("1x2\n")
            await ben.locator(".face:not(:disabled)").first.click()  # One is not enough.
            await expect(ann.locator(".challenge:not(:disabled)")).to_be_visible()
            await ann.keyboard.type("2x6\n")
            await expect(ann.get_by_text("Ben doubts Ann's 2 × 6.")).to_be_attached()

    on_site(story)


def test_a_challenge_is_told_step_by_step_and_any_key_goes_on() -> None:
    async def story(site: Site) -> None:
        async with opened_page(site.url, "/about", height=900) as page:
            await page.emulate_media(reduced_motion="no-preference")
            await signed_in(page, site.url)
            await begun(page, site.url, await new_table(page, "pirates", bots=("cautious", "cautious"), diceEach=5))
            await page.wait_for_selector(FREE)
            while not await page.locator(".challenge:not(:disabled)").count():
                await page.locator(".face:not(:disabled)").first.click()
                await page.wait_for_selector(".challenge:not(:disabled), .counting")
                if await page.locator(".counting").count():
                    break
            else:
                await page.keyboard.press("d")
            await expect(page.locator(".counting")).to_be_visible()
            await expect(page.locator(".picker button:enabled")).to_have_count(0)
            await page.keyboard.press("x")
            await expect(page.locator(".counting")).to_have_count(0, timeout=1500)
            await expect(page.locator(".last-hand")).to_have_count(3)

    on_site(story)


def test_a_page_that_is_reloaded_is_where_it_was() -> None:
    async def story(site: Site) -> None:
        async with opened_page(site.url, "/about", height=900) as page:
            await signed_in(page, site.url)
            await begun(page, site.url, await new_table(page, "single-hand", diceEach=3, opener=0))
            await page.wait_for_selector(".face:not(:disabled)")
            dice = await page.locator(".own-dice svg").evaluate_all(
                "(all) => all.map((one) => one.getAttribute('aria-label'))"
            )
            await page.reload()
            await page.wait_for_selector(".face:not(:disabled)")

            again = await page.locator(".own-dice svg").evaluate_all(
                "(all) => all.map((one) => one.getAttribute('aria-label'))"
            )
            assert again == dice
            await page.locator(".face:not(:disabled)").first.click()
            await page.wait_for_selector(".log-lines .is-BidPlaced", state="attached")

    on_site(story)


@pytest.mark.at_length
@pytest.mark.skipif(not AT_LENGTH, reason="it starts and ends a server of its own, so `make chaos` runs it")
def test_a_bid_that_is_typed_while_the_server_is_away_is_made_once() -> None:
    async def story(server: ServerProcess) -> None:
        async with asyncio.timeout(SECONDS_MAX), opened_page(f"http://{server.http}", allowed=UNREACHABLE) as page:
            url = f"http://{server.http}"
            await signed_in(page, url)
            await begun(page, url, await new_table(page, "single-hand", diceEach=5, opener=0))
            await page.wait_for_selector(".face:not(:disabled)")
            await asyncio.to_thread(server.end, signal.SIGTERM)
            await expect(page.get_by_text("Connection lost, trying again").first).to_be_visible()
            await page.keyboard.type("1x2\n")
            await expect(page.get_by_text("Your move is kept and sent once.")).to_be_visible()
            await asyncio.to_thread(server.start)

            await expect(page.get_by_text("Ann: 1 × 2.")).to_have_count(1)
            await page.wait_for_selector(FREE)
            await expect(page.get_by_text("Connection lost")).to_have_count(0)

    database = new_database(lanes=2)
    with folder_for_a_server() as folder:
        # Without a limit for addresses: it would hold back the files of the page, which this is not about.
        server = ServerProcess(database, folder, 0.0, "--address-rate", "0")
        try:
            run(story(server))
        finally:
            if server.process.poll() is None:
                server.end()


LISTENING = """
window.received = [];
const before = window.fetch;
window.fetch = async (...asked) => {
  const answer = await before(...asked);
  if (answer.body === null) return answer;
  const [one, other] = answer.body.tee();
  const reader = other.pipeThrough(new TextDecoderStream()).getReader();
  (async () => { for (let read = await reader.read(); !read.done; read = await reader.read()) window.received.push(read.value); })().catch(() => null);
  return new Response(one, { status: answer.status, headers: answer.headers });
};
"""


def test_a_spectators_page_never_holds_a_hidden_die() -> None:
    async def story(site: Site) -> None:
        async with (
            opened_page(site.url, "/about", height=900) as ann,
            opened_page(site.url, "/about", height=900) as spectator,
        ):
            await signed_in(ann, site.url)
            game_id = await new_table(ann, "single-hand", diceEach=5, opener=0)
            await begun(ann, site.url, game_id)
            await ann.wait_for_selector(".face:not(:disabled)")
            await spectator.add_init_script(LISTENING)
            await spectator.goto(f"{site.url}/watch/{game_id}")
            await expect(spectator.get_by_text("Ann opens the round")).to_be_visible()
            await ann.locator(".face:not(:disabled)").first.click()
            await expect(spectator.locator(".standing-bid")).to_be_visible()

            assert await spectator.locator(".seat-dice svg.die:not(.is-hidden)").count() == 0
            assert await spectator.locator(".desk, .own-dice").count() == 0
            received = "".join(await spectator.evaluate("window.received"))
            assert '"type":"bid_placed"' in received
            assert re.search(r'"hidden": ?\[', received) is None
            assert re.findall(r'"type":"dice_dealt"[^}]*?"hands":(\[[^\]]*\]|null)', received) in (
                ["null"],
                ["[null,null]"],
            )
            client = await spectator.context.new_cdp_session(spectator)
            heap: list[str] = []
            client.on("HeapProfiler.addHeapSnapshotChunk", lambda chunk: heap.append(chunk["chunk"]))
            await client.send("HeapProfiler.takeHeapSnapshot", {"reportProgress": False})
            assert re.search(r'\\"hidden\\": ?\[', "".join(heap)) is None

    on_site(story)


def test_the_odds_are_those_that_the_server_counts() -> None:
    async def story(site: Site) -> None:
        async with opened_page(site.url, "/about", height=900) as page:
            players = await site.server.players(3)
            for rulebook in BOOKS:
                game_id = await site.server.table(players, rulebook, options={"dice_each": 3})
                await players[0].ask("StartGame", game_id=game_id)
                await players[0].sees(game_id, lambda game: any(seat.hidden_count for seat in game.view.seats))
                state, _ = await site.server.running.host.games.load(game_id)
                assert isinstance(state, Bidding)
                seen = view(state, 0)
                assert seen is not None
                bids = [Bid(quantity, face) for face in range(1, 7) for quantity in range(1, 10)]
                own = seen.seats[0].hidden
                found = await page.evaluate(
                    """async ({ bids, rulebook, own, counts }) => {
                      const folder = document.querySelector("script[type=module]").src.replace("/main.js", "");
                      const { chanceOf } = await import(`${folder}/table/odds.js`);
                      const seats = counts.map((hiddenCount, seat) => ({ shown: [], hiddenCount, hidden: seat === 0 ? own : null }));
                      return bids.map(([quantity, face]) => chanceOf({ rulebook, options: { wildAces: false }, round: null, seats }, { quantity, face }));
                    }""",
                    {
                        "bids": [(bid.quantity, bid.face) for bid in bids],
                        "rulebook": rulebook,
                        "own": own,
                        "counts": [seat.hidden_count for seat in seen.seats],
                    },
                )
                assert found == pytest.approx([float(chance_of_bid(seen, bid)) for bid in bids])

    on_site(story)


LISTENING_TO_SOUNDS = """
window.sounds = 0;
for (const kind of [AudioScheduledSourceNode, AudioBufferSourceNode]) {
  const own = kind.prototype.start;
  kind.prototype.start = function (...given) { window.sounds += 1; return own.apply(this, given); };
}
"""


def test_sounds_are_made_only_for_somebody_who_has_turned_them_on() -> None:
    async def story(site: Site) -> None:
        async with opened_page(site.url, "/about", height=900) as page:
            await page.add_init_script(LISTENING_TO_SOUNDS)
            await signed_in(page, site.url)
            await begun(page, site.url, await new_table(page, "single-hand", diceEach=5, opener=0))
            await page.locator(".face:not(:disabled)").first.click()
            await expect(page.get_by_text(re.compile("^Ann: "))).to_have_count(1)
            await page.wait_for_selector(FREE)
            assert await page.evaluate("window.sounds") == 0
            await page.get_by_role("button", name="Settings").click()
            await page.get_by_label("Sound").check()
            await page.keyboard.press("Escape")
            await page.locator(".face:not(:disabled)").first.click()
            await page.wait_for_function("() => window.sounds > 0")

    on_site(story)


LYING = r"""
const before = window.fetch;
window.fetch = async (...asked) => {
  const answer = await before(...asked);
  if (!String(asked[0]?.url ?? asked[0]).endsWith("/WatchGame") || answer.body === null) return answer;
  const lie = (chunk, out) => {
    const text = Array.from(chunk, (byte) => String.fromCharCode(byte)).join("");
    const dice = /("hidden": ?\{"dice": ?\[)([\d, ]+)/g;
    const told = text.replace(dice, (_, start, faces) => start + faces.replace(/\d/g, (face) => String((Number(face) % 6) + 1)));
    out.enqueue(Uint8Array.from(told, (one) => one.charCodeAt(0)));
  };
  const body = answer.body.pipeThrough(new TransformStream({ transform: lie }));
  return new Response(body, { status: answer.status, headers: answer.headers });
};
"""
"""A server that shows other dice than those that it dealt."""


def test_a_server_that_is_found_false_is_stopped_loudly_and_gets_no_further_move() -> None:
    async def story(site: Site) -> None:
        async with opened_page(site.url, "/about", height=900) as page:
            await signed_in(page, site.url)
            await begun(page, site.url, await new_table(page, "single-hand", diceEach=3, opener=0))
            await page.wait_for_selector(".face:not(:disabled)")
            asked: list[str] = []
            await page.add_init_script(LYING)
            page.on("request", lambda request: asked.append(request.url))
            await page.reload()
            stop = page.get_by_role("alert")
            await expect(stop.get_by_role("heading", name="Stop: this server is not honest")).to_be_visible()
            await expect(stop).to_contain_text("it shows the table otherwise than its events make it")
            await page.keyboard.press("ArrowRight")
            await page.keyboard.press("Enter")
            assert await page.locator(".face, .challenge").count() == 0
            assert not [url for url in asked if url.endswith(("/PlaceBid", "/Roll"))]

    on_site(story)
