"""Past games on the page: the list, the walk through a game, and the element that others embed."""

import asyncio
import json
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from liarsdice.v1.game_pb2 import PHASE_BIDDING
from msgspec.structs import replace
from playwright.async_api import Page, expect

from services.verifier import verify
from tests.extent import AT_LENGTH, cases
from tests.http.readers import HTTP_SETTINGS, Site, on_site, site
from tests.infra.postgres.databases import new_database
from tests.servers import SECONDS_MAX, projected
from tests.web.browsers import browser, needs_browser
from tests.web.connect_door import ROOT, ConnectDoor
from tests.web.node_programs import NODE, needs_node
from tests.web.page.pages import Work, opened_page

BLUNDERS = 2
COSTLY = (("en", "What cost most"), ("de", "Was am meisten kostete"), ("es", "Lo que más costó"))
_GAMES: dict[str, str] = {}
_DRAWN = """
() => Object.fromEntries([...document.querySelectorAll(".replay-seat")].map((seat) => [
  seat.dataset.seat,
  [...seat.querySelectorAll(".replay-dice .die")].map((die) => die.getAttribute("aria-label")),
]))
"""
_DRAGGED = """
async () => {
  const slider = document.querySelector(".replay-slider");
  for (let step = 0; step <= Number(slider.max); step += 1) {
    slider.value = String(step);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise(requestAnimationFrame);
  }
  return Number(slider.max) + 1;
}
"""


async def game_of(on: Site, rulebook: str = "pirates", **table: Any) -> str:
    """A game of a book that is over; the tests of a process share it."""
    if rulebook not in _GAMES:
        _GAMES[rulebook], _ = await on.played(rulebook, **table)
    return _GAMES[rulebook]


async def game_with_blunders(on: Site) -> str:
    """A game that is over, each of whose rounds opens with a bid that can't be there, whatever the dice are."""
    players = await on.server.players(2)
    game_id = await on.server.bidding(players, options={"dice_each": BLUNDERS})
    for number in range(BLUNDERS):
        await players[0].sees(game_id, partial(_waits_for_a_bid, dice=BLUNDERS - number))
        await players[0].ask("PlaceBid", game_id=game_id, quantity=4 * BLUNDERS, face=2 + number)
        await players[1].ask("Challenge", game_id=game_id)
    await projected(on.server.running, game_id)
    return game_id


def _waits_for_a_bid(game: Any, dice: int) -> bool:
    return bool(game.view.phase == PHASE_BIDDING and game.view.seats[0].dice_count == dice)


async def dealt(on: Site, game_id: str) -> int:
    """The step at which the first dice have fallen."""
    steps = (await on.read(f"/games/{game_id}/steps"))["steps"]
    return int(next(step["version"] for step in steps if step["event"]["type"] == "dice_dealt"))


async def at_step(page: Page, step: int) -> None:
    """Wait until the page and its address are at a step."""
    await expect(page.locator(".replay-slider")).to_have_value(str(step))
    await page.wait_for_function("(step) => new URLSearchParams(location.search).get('step') === step", arg=str(step))


def place(page: Page) -> tuple[str, str]:
    """The step and the eyes in the address."""
    query = parse_qs(urlsplit(page.url).query)
    return query["step"][0], query["seat"][0]


@needs_node
def test_every_step_is_folded_in_the_browser_as_the_server_shows_it() -> None:
    """For games of all books, one of them with chips, through the eyes of every seat, of a spectator and with everything."""

    async def story(on: Site) -> Any:
        games = [await game_of(on, book) for book in ("pirates", "single-hand", "prediction-track", "palafico")]
        games.append(await game_of(on, "bidding-track", options={"chips": True}))
        script = str(ROOT / "tests" / "web" / "fold_replay.js")
        pipe = asyncio.subprocess.PIPE
        program = await asyncio.create_subprocess_exec(NODE, script, on.url, *games, stdout=pipe, stderr=pipe)
        output, errors = await program.communicate()
        assert program.returncode == 0, errors.decode()
        return json.loads(output)

    assert on_site(story)["compared"] > 500


@needs_browser
def test_a_game_is_walked_through_with_the_keyboard_alone() -> None:
    async def story(on: Site) -> None:
        game_id = await game_of(on)
        first = await dealt(on, game_id)
        rounds = (await on.read(f"/games/{game_id}/rounds"))["rounds"]
        last = (await on.read(f"/games/{game_id}/steps?page_size=1"))["last_version"]
        async with opened_page(on.url, f"/games/{game_id}") as page:
            await expect(page.locator(".replay-slider")).to_have_value(str(first))
            for key, step in (
                ("ArrowRight", first + 1),
                ("ArrowLeft", first),
                ("n", first + 1),
                ("Shift+ArrowRight", rounds[1]["first_version"]),
                ("PageUp", rounds[0]["first_version"]),
                ("End", last),
                ("Home", 0),
                ("PageDown", rounds[0]["first_version"]),
            ):
                await page.keyboard.press(key)
                await at_step(page, step)
            await page.keyboard.press("2")
            await expect(page.locator(".replay-eyes [aria-pressed=true]")).to_have_text("Player 1")
            await page.keyboard.press("e")
            await expect(page.locator(".replay-eyes [aria-pressed=true]")).to_have_text("Everything")
            await page.keyboard.press("?")
            await expect(page.locator("#replay-keys")).to_be_visible()
            await page.keyboard.press("Escape")
            await expect(page.locator("#replay-keys")).to_be_hidden()
            await page.keyboard.press(" ")
            await expect(page.get_by_role("button", name="Pause")).to_be_visible()
            await page.wait_for_function(
                "(step) => Number(document.querySelector('.replay-slider').value) > step",
                arg=rounds[0]["first_version"],
            )
            await page.keyboard.press(" ")
            await expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
            await page.locator(".replay-slider").focus()
            await page.keyboard.press("End")
            await at_step(page, last)

    on_site(story)


@needs_browser
def test_an_address_leads_to_a_step_through_somebodys_eyes_and_follows_the_reader() -> None:
    async def story(on: Site) -> None:
        game_id = await game_of(on)
        first = await dealt(on, game_id)
        async with opened_page(on.url, f"/games/{game_id}?step={first + 1}&seat=1") as page:
            await expect(page.locator(".replay-slider")).to_have_value(str(first + 1))
            await expect(page.locator(".replay-eyes [aria-pressed=true]")).to_have_text("Player 1")
            before = await page.evaluate("history.length")
            await page.keyboard.press("ArrowRight")
            await page.keyboard.press("0")
            await page.wait_for_function("() => location.search.includes('spectator')")
            assert place(page) == (str(first + 2), "spectator")
            assert await page.evaluate("history.length") == before
            await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
            await page.get_by_role("button", name="Copy link").click()
            await expect(page.get_by_text("The link to this step is copied.")).to_be_visible()
            assert await page.evaluate("navigator.clipboard.readText()") == page.url

    on_site(story)


@needs_browser
def test_what_a_decision_costs_is_its_regret_in_the_statistics() -> None:
    async def story(on: Site) -> None:
        game_id = await game_with_blunders(on)
        told = (await on.read(f"/games/{game_id}/decisions"))["decisions"]
        worst = sorted((one for one in told if one["regret"] >= 0.2), key=lambda one: -one["regret"])[:5]
        assert len(worst) >= BLUNDERS
        async with opened_page(on.url, f"/games/{game_id}?seat=everything") as page:
            rows = page.locator(".is-ranked .replay-move")
            await expect(rows).to_have_count(len(worst))
            steps = await rows.evaluate_all("(all) => all.map((one) => Number(one.dataset.step))")
            assert steps == [one["version"] for one in worst]
            costs = await page.locator(".is-ranked .replay-move-cost").all_inner_texts()
            assert costs == [f"costs {one['regret']:.0%}" for one in worst]
            best = await page.locator(".is-ranked .replay-move-better").all_inner_texts()
            assert [text.rpartition(" ")[2] for text in best] == [f"{one['best_chance']:.0%}" for one in worst]

    on_site(story)


@needs_browser
def test_eyes_never_show_a_die_that_the_server_does_not_show_to_them() -> None:
    async def story(on: Site) -> None:
        game_id = await game_of(on)
        first = await dealt(on, game_id)
        async with opened_page(on.url, f"/games/{game_id}?step={first}&seat=everything") as page:
            for eyes, query in (("1", "?seat=0"), ("2", "?seat=1"), ("0", ""), ("e", "?everything=true")):
                await page.locator(".replay-slider").wait_for()
                await page.keyboard.press(eyes)
                await page.wait_for_timeout(60)
                view = (await on.read(f"/games/{game_id}/steps/{first}{query}"))["view"]
                shown = {
                    str(seat["seat"]): _labels(seat["hidden"] or [None] * seat["hidden_count"])
                    for seat in view["seats"]
                }
                assert await page.evaluate(_DRAWN) == shown

    on_site(story)


def _labels(faces: list[int | None]) -> list[str]:
    return ["hidden die" if face is None else "skull" if face == 1 else str(face) for face in faces]


@needs_browser
@pytest.mark.at_length
@pytest.mark.skipif(not AT_LENGTH, reason="it measures, so `make chaos` runs it and the suite does not")
def test_a_slider_that_is_dragged_over_the_whole_game_asks_for_nothing_and_costs_little() -> None:
    async def story(on: Site) -> float:
        game_id = await game_of(on)
        async with opened_page(on.url, f"/games/{game_id}?step=0&seat=everything") as page:
            await page.locator(".replay-slider").wait_for()
            await page.wait_for_load_state("networkidle")
            asked: list[str] = []
            page.on("request", lambda request: asked.append(request.url))
            work = await Work.of(page)
            steps = await page.evaluate(_DRAGGED)
            seconds = await work.seconds()
            assert [url for url in asked if "/api/" in url] == []
            return seconds / float(steps) * 1000

    # A busy machine of two cores took 12 to 14 milliseconds for each step.
    assert on_site(story) < 50


@needs_browser
def test_the_downloads_are_the_records_of_the_server_and_a_bundle_that_verifies() -> None:
    async def story(on: Site) -> None:
        game_id = await game_of(on)
        async with opened_page(on.url, f"/games/{game_id}") as page:
            await page.get_by_role("link", name="Record (JSON)").wait_for()
            for name, path in (("Record (JSON)", "record"), ("Notation (text)", "record?format=notation")):
                async with page.expect_download() as downloaded:
                    await page.get_by_role("link", name=name).click()
                kept = (await (await downloaded.value).path()).read_text()
                answer = await on.get(f"/api/v1/games/{game_id}/{path}")
                assert kept == answer.text
            async with page.expect_download() as downloaded:
                await page.get_by_role("link", name="Audit bundle").click()
            assert verify((await (await downloaded.value).path()).read_bytes()).game_id == game_id
            links = page.locator(".replay-proofs a")
            assert await links.first.get_attribute("href") == f"/games/{game_id}/rounds/1"

    on_site(story)


@needs_browser
def test_a_reader_plays_on_from_a_step_with_one_click() -> None:
    async def story(on: Site) -> None:
        game_id = await game_of(on)
        first = await dealt(on, game_id)
        async with opened_page(on.url, f"/games/{game_id}?step={first}&seat=1") as page:
            await page.get_by_role("button", name="Try it from here").click()
            await page.wait_for_url("**/play/*")
            forked = await on.eventually(
                f"/games/{page.url.rsplit('/', 1)[-1]}", lambda game: game["forked_from"] == game_id
            )
            assert (forked["forked_version"], forked["seats"][1]["kind"]) == (first, "human")

    on_site(story)


@needs_browser
def test_games_that_a_reader_may_not_see_say_why() -> None:
    async def story(on: Site) -> None:
        players = await on.server.players(2)
        private = await on.server.table(players, private=True)
        running = await on.server.bidding(await on.server.players(2))
        late, _ = await on.played("single-hand", spectator_delay_seconds=600)
        for game_id in (private, running):
            await on.listed(game_id)
        async with opened_page(on.url, f"/games/{private}", allowed=("403",)) as page:
            await expect(page.get_by_role("heading", name="This game is private")).to_be_visible()
        async with opened_page(on.url, "/games/nothing-like-it", allowed=("404",)) as page:
            await expect(page.get_by_role("heading", name="There is no such game")).to_be_visible()
        async with opened_page(on.url, f"/games/{running}") as page:
            await expect(page.get_by_text("This game is still going on.")).to_be_visible()
            await expect(page.get_by_role("link", name="Watch")).to_have_attribute("href", f"/watch/{running}")
            await expect(page.get_by_role("button", name="Try it from here")).to_be_disabled()
            labels = [label for dice in (await page.evaluate(_DRAWN)).values() for label in dice]
            assert set(labels) == {"hidden die"}
        async with opened_page(on.url, f"/games/{late}") as page:
            await expect(page.get_by_text("Spectators see this table 600 seconds late.")).to_be_visible()

    on_site(story)


@needs_browser
def test_the_list_of_games_keeps_its_filters_in_the_address_and_its_place_in_the_history() -> None:
    async def story(on: Site) -> None:
        game_id = await game_of(on)
        player = (await on.read(f"/games/{game_id}"))["seats"][0]["player_id"]
        async with opened_page(on.url, f"/games?player={player}") as page:
            await expect(page.locator(".games-row")).to_have_count(1)
            await page.select_option("[name=rulebook]", "palafico")
            await expect(page.get_by_text("No game fits.")).to_be_visible()
            assert parse_qs(urlsplit(page.url).query) == {"player": [player], "rulebook": ["palafico"]}
            await page.go_back()
            await expect(page.locator(".games-row")).to_have_count(1)
            await page.locator(".games-link").click()
            await page.wait_for_url(f"**/games/{game_id}*")
            await page.go_back()
            await expect(page.locator(".games-row")).to_have_count(1)

    on_site(story)


@needs_browser
@pytest.mark.at_length
@pytest.mark.parametrize(("language", "words"), cases(COSTLY[1:2], COSTLY))
def test_both_pages_fit_on_a_phone_in_every_language(language: str, words: str) -> None:
    async def story(on: Site) -> None:
        game_id = await game_of(on)
        async with opened_page(on.url, f"/games/{game_id}", width=390, language=language, theme="dark") as page:
            await expect(page.get_by_role("heading", name=words)).to_be_visible()
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            await page.goto(f"{on.url}/games")
            await page.locator(".games-row").first.wait_for()
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    on_site(story)


_EMBEDDED = """
() => {
  const style = (selector) => getComputedStyle(document.querySelector(selector));
  const inside = style("liars-dice-replay .replay-button");
  const sentence = style("liars-dice-replay .replay-sentence");
  const own = style("#own");
  return {
    own: [own.backgroundColor, own.borderRadius],
    inside: [inside.backgroundColor, inside.letterSpacing, inside.marginTop],
    sentence: [sentence.textTransform, sentence.fontStyle, sentence.textAlign],
  };
}
"""


@needs_browser
def test_the_element_replays_a_game_on_a_page_of_another_origin_and_leaves_that_page_alone() -> None:
    async def story(url: str) -> tuple[dict[str, list[str]], list[str]]:
        async with ConnectDoor.before("127.0.0.1:1") as files:
            settings = replace(HTTP_SETTINGS, cors_origins=(files.address,))
            async with site(url, settings) as own, browser() as opened:
                game_id, _ = await own.played()
                first = await dealt(own, game_id)
                page = await opened.new_page(locale="en")
                wrong: list[str] = []
                page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
                page.on("pageerror", lambda error: wrong.append(str(error)))
                query = f"server={own.url}&game={game_id}&step={first}&seat=1"
                await page.goto(f"{files.address}/tests/web/page/embedding.html?{query}")
                slider = page.locator("liars-dice-replay .replay-slider")
                await expect(slider).to_have_value(str(first), timeout=SECONDS_MAX * 1000)
                await page.locator("liars-dice-replay .replay-controls button").first.focus()
                await page.keyboard.press("ArrowRight")
                await expect(slider).to_have_value(str(first + 1))
                await page.evaluate("document.querySelector('liars-dice-replay').setAttribute('step', '3')")
                await expect(slider).to_have_value("3")
                return await page.evaluate(_EMBEDDED), wrong

    looks, wrong = asyncio.run(story(new_database(lanes=2)))

    assert looks["own"] == ["rgb(255, 0, 0)", "0px"]
    assert looks["inside"] == ["rgba(0, 0, 0, 0)", "normal", "0px"]
    assert looks["sentence"] == ["none", "normal", "start"]
    assert wrong == []
