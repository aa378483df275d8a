"""The pages of audit in a real browser: a round explained die by die, checked in the browser, and disputed."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from services.http.page.offline import offline_page
from services.http.page.tree import read_tree
from services.verifier import Failed, verify
from tests.extent import cases
from tests.http.readers import Site, on_site
from tests.rpc.servers import Player
from tests.verifier import test_dishonest_server as dishonest
from tests.verifier.games import SignedPlay, bundle, stored
from tests.verifier.log import OLD_SERVER, SERVER
from tests.verifier.test_garbage import GARBAGE, play_of
from tests.web.browsers import needs_browser
from tests.web.page.pages import opened_page

pytestmark = needs_browser
BOOKS = ("bidding-track", "single-hand", "pirates", "prediction-track", "palafico")
SEED = "audit-page"
EVENTS_OF_A_LONG_GAME = 450
REFUSED = ("403", "409", "503")
"""Browsers report by themselves that an answer is no success."""
MILLISECONDS_MAX = 2_000
"""A whole game takes less than a tenth of it on an idle machine; a machine that runs tests is none."""

DICE = """() => [...document.querySelectorAll(".audit-cup")].map((cup) => ({
    name: cup.querySelector("h3").textContent,
    dice: [...cup.querySelectorAll(".audit-die")].map((die) => [Number(die.dataset.face), die.dataset.why]),
}))"""
LOSSES = re.compile(r"(\S.*?) (?:lost (\d+) di(?:e|ce)|owed \d+ and lost the last (?:(\d+) dice|die))\.")


async def explained(page: Page) -> dict[str, Any]:
    """What the page of a round says."""
    await page.wait_for_selector(".audit-clauses")
    costs = " ".join(await page.locator(".audit-costs li").all_inner_texts())
    return {
        "cups": await page.evaluate(DICE),
        "clauses": await page.locator(".audit-clauses dt").all_inner_texts(),
        "sentence": await page.inner_text(".audit-sentence"),
        "tally": await page.inner_text(".audit-tally"),
        "losses": [(name, int(lost or last or 1)) for name, lost, last in LOSSES.findall(costs)],
        "out": re.findall(r"(\S+ \d+) is out\.", costs),
    }


def reported(report: Any) -> dict[str, Any]:
    """The same by the server's own report."""
    (told,) = report.rounds
    names = {player.seat: player.name for player in report.players}
    seats = sorted({die.seat for die in told.dice})
    return {
        "cups": [
            {
                "name": names[seat],
                "dice": [(die.face, die.counts) for die in told.dice if die.seat == seat],
            }
            for seat in seats
        ],
        "actual": told.actual,
        "quantity": told.bid.quantity,
        "bidder": names[told.bid.seat],
        "challenger": names[told.challenger],
        "losses": sorted((names[loss.seat], loss.lost) for loss in told.losses),
        "out": [names[seat] for seat in told.eliminated],
        "clauses": set(told.clauses),
    }


@pytest.mark.at_length
@pytest.mark.parametrize("rulebook", cases(BOOKS[-1:], BOOKS))
def test_every_round_of_a_game_is_explained_as_the_server_reports_it(rulebook: str) -> None:
    async def story(site: Site) -> None:
        seats = 3 if rulebook == "palafico" else 2  # With two players there are no Palafico rounds.
        game_id, clients = await site.played(rulebook, seats, options={"dice_each": 2})
        rounds = (await site.read(f"/games/{game_id}/rounds"))["rounds"]
        async with opened_page(site.url, f"/games/{game_id}/rounds/1") as page:
            for number in range(1, len(rounds) + 1):
                await expect(page.locator("h1")).to_have_text(f"Round {number}")
                told = await explained(page)
                audit = await clients[0].player.ask("GetAudit", game_id=game_id, round=number)
                agrees(told, reported(audit.report))
                if number < len(rounds):
                    await page.keyboard.press("ArrowRight")

    on_site(story)


def agrees(told: dict[str, Any], expected: dict[str, Any]) -> None:
    for cup in told["cups"]:
        cup["dice"] = [(face, why in ("face", "wild")) for face, why in cup["dice"]]
    assert told["cups"] == expected["cups"]
    assert sum(counts for cup in told["cups"] for _, counts in cup["dice"]) == expected["actual"]
    assert f"{expected['actual']}" in told["tally"]
    assert told["tally"].endswith(f"{expected['quantity']} bid")
    assert told["sentence"].startswith(f"{expected['bidder']} bid {expected['quantity']} ")
    assert f"{expected['challenger']} challenged" in told["sentence"]
    assert sorted(told["losses"]) == expected["losses"]
    assert told["out"] == expected["out"]
    # The page also names the clause by which the next round is a special one.
    assert set(told["clauses"]) - {"PA-12"} == expected["clauses"] - {"PA-12"}


async def checks_of(page: Page) -> dict[str, str]:
    """The checks that a page shows, once it has a verdict."""
    await page.wait_for_selector(".audit-checks[aria-busy=false]")
    shown = await page.locator(".audit-check").evaluate_all(
        "all => all.map((one) => [one.dataset.check, one.dataset.status])"
    )
    return dict(shown)


def test_a_round_and_a_whole_game_are_verified_in_the_browser_with_the_keyboard_alone(
    tmp_path: Path,
) -> None:
    saved = tmp_path / "saved.json"

    async def story(site: Site) -> str:
        game_id, _ = await site.played("pirates", options={"dice_each": 2})
        (key,) = (await site.read("/checkpoints/keys"))["keys"]
        async with opened_page(site.url, f"/games/{game_id}/rounds/1") as page:
            await page.locator(".audit-verify .primary").focus()
            await page.keyboard.press("Enter")
            checks = await checks_of(page)
            assert list(checks.values())[:11] == ["proven"] * 11
            assert checks["key"] == "word-of-bundle"
            await expect(page.locator(".audit-verdict strong")).to_have_text("Verified")
            await expect(page.locator(".audit-key code").first).to_have_text(key)
            await expect(page.locator(".audit-key")).to_contain_text("The server publishes the same key")
            async with page.expect_download() as download:
                await page.get_by_role("button", name="Download the bundle").click()
            await (await download.value).save_as(saved)
        async with opened_page(site.url, "/verify") as page:
            await page.fill("[name=game]", game_id)
            await page.keyboard.press("Enter")
            assert "failed" not in (await checks_of(page)).values()
            assert await page.locator(".audit-of-game").count() > 1
            await page.locator(".audit-of-game summary").first.press("Enter")
            await expect(page.locator(".audit-of-game[open] .audit-sentence")).to_be_visible()
        return str(key)

    key = on_site(story)
    verify(saved.read_bytes(), key, [])


def lies() -> Iterator[bytes]:
    """Bundles that were tampered with, as the tests of the verifiers do it: at least one for most checks."""
    chance = Random(SEED)
    yield from GARBAGE[:6]
    for rulebook in BOOKS:
        play = SignedPlay(SEED, rulebook, 3, frozenset({0, 1}), dice_each=2)
        play.play()
        for entry in chance.sample(play.entries, 25):
            name = chance.choice(list(entry.public))
            before = entry.public[name]
            others = [other for other in dishonest.variants(before) if other != before]
            entry.public[name] = chance.choice(others or [before])
            yield bundle(stored(play), None)
            entry.public[name] = before
    whole = bundle(stored(play_of("pirates")), None)
    for name, value in (("leaf", 0), ("proof", []), ("game_id", "other"), ("key", OLD_SERVER.key)):
        yield json.dumps({**json.loads(whole), name: value}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    for place in chance.sample(range(len(whole)), 20):
        yield whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]


def failing() -> dict[str, bytes]:
    """One lie for each check that finds some."""
    found: dict[str, bytes] = {}
    for data in lies():
        try:
            verify(data, None, [])
        except Failed as failed:
            found.setdefault(failed.check, data)
    return found


def test_tampered_bundles_are_refused_and_the_check_that_fails_is_named() -> None:
    found = failing()
    assert set(found) >= {"form", "digests", "links", "bids", "outcome", "inclusion", "checkpoint"}

    async def story(site: Site) -> None:
        async with opened_page(site.url, "/verify") as page:
            for check, data in found.items():
                await page.set_input_files(
                    "input[type=file]", {"name": f"{check}.json", "mimeType": "", "buffer": data}
                )
                await expect(page.locator(".audit-check.is-failed")).to_have_attribute(
                    "data-check", re.compile(f"{check}|form")
                )
                await expect(page.locator(".audit-verdict strong")).to_have_text("Not verified")
                shown = await checks_of(page)
                assert list(shown.values()).count("failed") == 1
                assert await page.locator(".audit-about").count() == 0

    on_site(story)


def test_a_key_that_was_trusted_is_used_and_another_one_is_shouted() -> None:
    game = stored(play_of("single-hand"))
    honest, other = bundle(game, None), bundle(game, None, (OLD_SERVER,))
    other = other.replace(SERVER.key.encode(), OLD_SERVER.key.encode())

    async def story(site: Site) -> None:
        async with opened_page(site.url, "/verify") as page:
            field = page.locator("input[type=file]")
            await field.set_input_files({"name": "a.json", "mimeType": "", "buffer": honest})
            assert (await checks_of(page))["key"] == "word-of-bundle"
            await expect(page.locator(".audit-key")).to_contain_text("The server publishes other keys")
            await page.get_by_label("Paste a key").fill(OLD_SERVER.key)
            await expect(page.locator("#audit-compared")).to_have_text("It is another key!")
            await page.get_by_label("Paste a key").fill(SERVER.key)
            await expect(page.locator("#audit-compared")).to_have_text("It is the same key.")
            await page.get_by_role("button", name="Trust this key").click()
            await expect(page.locator("[data-check=key]")).to_have_attribute("data-status", "proven")
            # Neither another page nor another visit forgets it.
            await page.get_by_role("link", name="About").first.click()
            await expect(page.locator(".audit-ways")).to_have_count(0)
            await page.get_by_role("link", name="Verify", exact=True).click()
            await field.set_input_files({"name": "a.json", "mimeType": "", "buffer": honest})
            assert (await checks_of(page))["key"] == "proven"
            await page.reload()
            await field.set_input_files({"name": "a.json", "mimeType": "", "buffer": honest})
            assert (await checks_of(page))["key"] == "proven"
            await field.set_input_files({"name": "b.json", "mimeType": "", "buffer": other})
            await expect(page.get_by_role("alert")).to_contain_text("This is not the key that you trust!")
            await expect(page.locator(".audit-check.is-failed")).to_have_attribute("data-check", "checkpoint")
            await page.get_by_role("button", name="Check with the file's own key").click()
            await expect(page.locator(".audit-verdict strong")).to_have_text("Verified")
            await expect(page.get_by_role("alert")).to_be_visible()

    on_site(story)


def test_a_whole_long_game_is_verified_quickly() -> None:
    play = SignedPlay("long-game", "single-hand", 6, frozenset(range(0, 6, 3)), dice_each=5)
    play.play()
    assert len(play.entries) >= EVENTS_OF_A_LONG_GAME, len(play.entries)

    async def story(site: Site) -> int:
        async with opened_page(site.url, "/verify") as page:
            data = bundle(stored(play), None)
            for _ in range(2):  # The first time, the browser has to compile the verifier.
                await page.set_input_files("input[type=file]", {"name": "long.json", "mimeType": "", "buffer": data})
                await checks_of(page)
                took = re.search(r"took (\d+) ms", await page.inner_text(".audit-verdict"))
            assert took is not None
            return int(took[1])

    assert on_site(story) < MILLISECONDS_MAX


def test_the_file_for_offline_use_checks_bundles_from_a_disk_in_three_languages(tmp_path: Path) -> None:
    file = tmp_path / "verify.html"
    file.write_bytes(offline_page(read_tree()))
    game = stored(play_of("bidding-track"))
    good, bad = bundle(game, 1), bundle(game, 1).replace(b'"round":1', b'"round":2', 1)

    async def verdicts(language: str, *asked: tuple[bytes, str]) -> AsyncIterator[tuple[str, str]]:
        async with opened_page(file.as_uri(), "", language=language, offline=True) as page:
            for data, key in asked:
                await page.fill("form input", key)
                await page.set_input_files("input[type=file]", {"name": "x.json", "mimeType": "", "buffer": data})
                await checks_of(page)
                failed = await page.locator(".audit-check.is-failed").evaluate_all(
                    "all => all.map((one) => one.dataset.check)"
                )
                yield await page.inner_text(".audit-verdict strong"), ",".join(failed)

    async def story(_: Site) -> list[tuple[str, str]]:
        told = (
            verdicts("en", (good, ""), (good, OLD_SERVER.key)),
            verdicts("de", (good, SERVER.key)),
            verdicts("es", (bad, "")),
        )
        return [one for many in told async for one in many]

    assert on_site(story) == [
        ("Verified", ""),
        ("Not verified", "checkpoint"),
        ("Bewiesen", ""),
        ("No se sostiene", "leaf"),
    ]


async def sign_in(page: Page, player: Player) -> None:
    """Make a player of the server the one of this browser."""
    await page.evaluate(
        """async ([module, token]) => {
            const { IndexedDbTokenStore } = await import(module);
            await new IndexedDbTokenStore().keep(location.origin, "this browser", token);
        }""",
        [await page.evaluate("document.querySelector('link[href$=\"client/index.js\"]').href"), player.token],
    )
    await page.reload()


@pytest.mark.at_length
@pytest.mark.parametrize("rulebook", cases(BOOKS[3:], BOOKS))
def test_a_player_disputes_a_round_and_reads_the_ruling_and_an_auditor_closes_it(rulebook: str) -> None:
    async def story(site: Site) -> None:
        game_id, clients = await site.played(rulebook, options={"dice_each": 1})
        path = f"/games/{game_id}/rounds/1"
        async with opened_page(site.url, path, width=390) as page:
            disputes = page.locator(".audit-disputes")
            await expect(disputes).to_contain_text("Only a player of this game can dispute it.")
            await sign_in(page, clients[1].player)
            await page.get_by_label("What is wrong?").fill("I bid <b>two</b>, not three")
            await page.keyboard.press("Enter")
            await expect(disputes).to_contain_text("the result stands")
            await expect(disputes.locator("blockquote")).to_have_text("I bid <b>two</b>, not three")
            await disputes.locator("summary").press("Enter")
            await expect(disputes).to_contain_text("Everything that was checked holds")
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
                "the long name of a key has to break"
            )
            await expect(disputes).to_contain_text("A player does that once.")
            auditor = await site.server.player("Judge", ("player", "auditor"))
            await auditor.ask("CloseDispute", game_id=game_id, round=1, seat=1, text="Seen, and it is fine")
            await page.reload()
            await expect(disputes).to_contain_text("Seen, and it is fine")
        await site.eventually(f"/games/{game_id}/rounds", lambda answer: answer["rounds"][0]["disputes"])
        async with opened_page(site.url, path) as page:
            await expect(page.locator(".audit-disputes")).to_contain_text("Player 1 disputes the result")
            await expect(page.locator(".audit-disputes .tag")).to_have_text("closed")

    on_site(story)


def test_a_round_that_is_not_there_yet_says_why_and_appears_by_itself() -> None:
    async def story(site: Site) -> None:
        players = await site.server.players(2)
        running = await site.server.bidding(players)
        hidden, _ = await site.played("pirates", options={"dice_each": 1}, private=True)
        game_id, _ = await site.played("pirates", options={"dice_each": 1})
        async with opened_page(site.url, f"/games/{running}/rounds/1", allowed=REFUSED) as page:
            await expect(page.locator(".empty")).to_contain_text("The cups are still down")
            await players[0].ask("PlaceBid", game_id=running, quantity=1, face=2)
            await players[1].ask("Challenge", game_id=running)
            await expect(page.locator(".audit-sentence")).to_contain_text("Player 0 bid 1 ")
        async with opened_page(site.url, f"/games/{hidden}/rounds/1", allowed=REFUSED) as page:
            await expect(page.locator(".empty")).to_contain_text("A private table")
        async with opened_page(site.url, f"/games/{game_id}/rounds/99", allowed=REFUSED) as page:
            await expect(page.locator(".empty")).to_contain_text("There is no such round")
        async with opened_page(site.url, "/about", allowed=REFUSED) as page:
            asked: list[str] = []

            async def behind(route: Route) -> None:
                asked.append(route.request.url)
                problem = {"reason": "LOG_BEHIND", "detail": "", "metadata": {}}
                if len(asked) > 2:
                    await route.continue_()
                else:
                    await route.fulfill(status=503, json=problem, headers={"Retry-After": "1"})

            await page.route("**/audit", behind)
            await page.goto(f"{site.url}/games/{game_id}/rounds/1")
            await expect(page.locator(".empty")).to_contain_text("is being written into the log")
            await expect(page.locator(".audit-sentence")).to_be_visible()

    on_site(story)


def test_a_browser_without_signatures_tells_what_happened_and_claims_nothing() -> None:
    async def story(site: Site) -> None:
        game_id, _ = await site.played("bidding-track", options={"dice_each": 1})
        async with opened_page(site.url, "/about") as page:
            await page.add_init_script(
                "SubtleCrypto.prototype.importKey = () => Promise.reject(new Error('not here'));"
            )
            await page.goto(f"{site.url}/games/{game_id}/rounds/1")
            await expect(page.locator(".audit-sentence")).to_be_visible()
            await page.keyboard.press("v")
            assert "proven" in (await checks_of(page)).values()
            await expect(page.locator(".audit-verdict strong")).to_have_text("Can't be checked here")

    on_site(story)


def test_a_round_of_a_practice_game_leads_to_its_original_and_a_late_one_says_how_late() -> None:
    async def story(site: Site) -> None:
        game_id, clients = await site.played("pirates", options={"dice_each": 2})
        steps = (await site.read(f"/games/{game_id}/steps"))["steps"]
        begun = next(step["version"] for step in steps if step["event"]["type"] == "dice_dealt")
        forked = await clients[0].player.ask("ForkGame", game_id=game_id, version=begun, seat=0, strategy="cautious")
        players = await site.server.players(2)
        late = await site.server.bidding(players, spectator_delay_seconds=3_600)
        await site.listed(late)
        async with opened_page(
            site.url, f"/games/{forked.game.view.game_id}/rounds/1", allowed=(*REFUSED, "400")
        ) as page:
            await expect(page.locator(".empty")).to_contain_text("A practice game")
            link = page.get_by_role("link", name="To that game")
            await expect(link).to_have_attribute("href", f"/games/{game_id}")
        async with opened_page(site.url, f"/games/{late}/rounds/1", allowed=REFUSED) as page:
            await expect(page.locator(".empty")).to_contain_text("Spectators see this table 3,600 seconds late.")
            assert await page.locator(".audit-cup").count() == 0

    on_site(story)
