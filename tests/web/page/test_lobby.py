"""The start of the page: a game with one click, tables with a free seat, invitations."""

import re
from typing import Any

import httpx
from playwright.async_api import Page, expect

from domain.events import BidPlaced, GameCreated, GameStarted, PlayerJoined
from tests.servers import run, shared_server
from tests.web.browsers import needs_browser
from tests.web.page.pages import new_visitor, opened_page, page_of, shared_url

pytestmark = needs_browser
SIT_DOWN, QUICK, OPEN = "Sit down", "Quick game", "Open the table"


async def game_of(page: Page) -> str:
    """The game whose table the page has come to."""
    await page.wait_for_url(re.compile(r"/play/[^/#?]+$"))
    return page.url.rpartition("/")[2]


async def events_of(game_id: str, kind: type[Any]) -> list[Any]:
    """What happened in a game, of one kind."""
    return [event for event in await (await shared_server()).host.games.events(game_id) if isinstance(event, kind)]


async def invite(page: Page, *, private: bool) -> None:
    """Set up a table for two people."""
    form = page.get_by_role("form", name="Set up your own table")
    await form.get_by_role("button", name="Remove opponent 2").click()
    await form.get_by_label("Opponent 1", exact=True).select_option("person")
    if private:
        await form.locator("summary").click()
        await form.get_by_label("Who may come").select_option("private")
    await form.get_by_role("button", name=OPEN).click()


async def code_of(game_id: str) -> str:
    """The invitation code of a private table."""
    return (await (await shared_server()).host.tables.load(game_id)).opened.invitation_code or ""


def test_one_click_begins_a_game_against_two_bots_with_own_dice_and_signed_moves() -> None:
    async def story() -> None:
        async with opened_page(await shared_url(), width=390, height=844) as page:
            await page.get_by_role("button", name=QUICK).click()
            game_id = await game_of(page)

            me, *bots = await events_of(game_id, PlayerJoined)
            assert (me.chain_held_by, me.signing_key is not None) == ("player", True)
            assert [bot.player_id.split(".")[1] for bot in bots] == ["cautious", "bluffing"]
            (created,) = await events_of(game_id, GameCreated)
            assert (created.rulebook, created.options.turn_seconds, created.options.on_timeout) == (
                "pirates",
                60,
                "lowest_bid",
            )
            assert len(await events_of(game_id, GameStarted)) == 1

    run(story())


def test_the_name_is_remembered_and_an_unfinished_game_is_offered_first() -> None:
    async def story() -> None:
        url = await shared_url()
        async with new_visitor() as visitor:
            async with page_of(visitor, url) as page:
                await page.get_by_label("Your name").fill("Grace")
                await page.reload()
                await expect(page.get_by_label("Your name")).to_have_value("Grace")
                await page.get_by_role("button", name=QUICK).click()
                game_id = await game_of(page)
            async with page_of(visitor, url) as page:
                await expect(page.get_by_text("You play as Grace")).to_be_visible()
                await page.get_by_role("link", name="Pirates with Bot Ada and Bot Blaise").click()
                assert await game_of(page) == game_id

    run(story())


def test_a_guest_without_a_name_gets_a_friendly_one() -> None:
    async def story() -> None:
        async with opened_page(await shared_url()) as page:
            offered = await page.get_by_label("Your name").get_attribute("placeholder")
            await page.get_by_role("button", name=QUICK).click()
            me, *_ = await events_of(await game_of(page), PlayerJoined)
            assert me.name == offered

    run(story())


def test_a_table_after_ones_own_wishes_has_the_options_that_its_book_has() -> None:
    async def story() -> None:
        async with opened_page(await shared_url(), "/?book=bidding-track") as page:
            form = page.get_by_role("form", name="Set up your own table")
            await expect(form.get_by_role("radio", name=re.compile("The bidding track"))).to_be_checked()
            await form.locator("summary").click()
            await form.get_by_label("Dice each").select_option("2")
            await form.get_by_label("Time for a turn").select_option("300")
            await form.get_by_label("When time is up").select_option("forfeit")
            await form.get_by_label("Who opens").select_option("You")
            await form.get_by_label("Spectators see it").select_option("At once")
            await form.get_by_label("Play for chips").check()
            await expect(form.get_by_label("Aces are wild")).to_have_count(0)
            await form.get_by_role("button", name="Add a bot").click()
            await form.get_by_role("button", name="Begin the game").click()
            game_id = await game_of(page)

            (created,) = await events_of(game_id, GameCreated)
            options = created.options
            assert (options.dice_each, options.turn_seconds, options.on_timeout) == (2, 300, "forfeit")
            assert (options.opener, options.chips, created.seats) == (0, True, 4)
            bots = (await events_of(game_id, PlayerJoined))[1:]
            assert [bot.player_id.split(".")[1] for bot in bots] == ["cautious", "bluffing", "calculating"]

    run(story())


def test_the_table_can_be_set_up_with_the_keyboard_alone() -> None:
    async def story() -> None:
        async with opened_page(await shared_url()) as page:
            await page.get_by_role("radio", name=re.compile("Pirates")).focus()
            await page.keyboard.press("ArrowDown")
            await expect(page.get_by_role("radio", name=re.compile("Single hand"))).to_be_checked()
            await page.get_by_label("Opponent 1", exact=True).focus()
            await page.keyboard.press("End")
            await page.get_by_role("button", name="Begin the game").focus()
            await page.keyboard.press("Enter")
            (created,) = await events_of(await game_of(page), GameCreated)
            assert created.rulebook == "single-hand"

    run(story())


def test_a_free_seat_is_listed_and_a_stranger_takes_it() -> None:
    async def story() -> None:
        url = await shared_url()
        async with opened_page(url) as host, opened_page(url) as guest:
            await host.get_by_label("Your name").fill("Host of Two")
            await guest.get_by_label("Your name").fill("Second Guest")
            await invite(host, private=False)
            game_id = await game_of(host)
            await guest.get_by_role("link", name=re.compile("Join: Pirates, Host of Two")).click()
            await expect(guest.get_by_role("heading", name="A seat is free")).to_be_visible()
            await expect(guest.get_by_text("Host of Two")).to_be_visible()
            await expect(guest.get_by_text("5 dice each · 60 seconds a turn")).to_be_visible()
            await guest.get_by_role("button", name=SIT_DOWN).click()

            assert await game_of(guest) == game_id
            joined = await events_of(game_id, PlayerJoined)
            assert [(one.name, one.chain_held_by) for one in joined] == [
                ("Host of Two", "player"),
                ("Second Guest", "player"),
            ]

    run(story())


def test_an_invitation_to_a_private_table_needs_its_code_which_reaches_no_address_of_the_server() -> None:
    async def story() -> None:
        url = await shared_url()
        async with opened_page(url) as host, new_visitor() as friend:
            await invite(host, private=True)
            game_id = await game_of(host)
            code = await code_of(game_id)
            assert code
            async with page_of(friend, url, f"/join/{game_id}#wrong", allowed=("403",)) as page:
                await expect(page.get_by_text("This is a private table.")).to_be_visible()
                await page.get_by_role("button", name=SIT_DOWN).click()
                await expect(page.get_by_text("This invitation is not valid")).to_be_visible()
            async with page_of(friend, url) as page:
                asked: list[str] = []
                page.on("request", lambda request: asked.append(request.url))
                await page.goto(f"{url}/join/{game_id}#{code}")
                await page.reload()
                await page.get_by_role("button", name=SIT_DOWN).click()
                assert await game_of(page) == game_id
                assert not [address for address in asked if code in address.partition("#")[0]]
                await page.goto(f"{url}/join/{game_id}#{code}")
                await page.reload()
                await page.get_by_role("link", name="To the table").click()
                assert await game_of(page) == game_id

    run(story())


def test_an_invitation_says_whether_its_game_has_begun_or_is_full_or_is_not_there() -> None:
    async def story() -> None:
        url = await shared_url()
        async with new_visitor() as stranger:
            async with opened_page(url) as page:
                await page.get_by_role("button", name=QUICK).click()
                running = await game_of(page)
            async with page_of(stranger, url, f"/join/{running}") as page:
                await expect(page.get_by_text("This game has begun without you.")).to_be_visible()
                watch = page.get_by_role("link", name="Watch")
                assert await watch.get_attribute("href") == f"/watch/{running}"
            async with page_of(stranger, url, "/join/nowhere", allowed=("404",)) as page:
                await expect(page.get_by_text("There is no such table.")).to_be_visible()

    run(story())


def test_running_games_are_offered_to_watch() -> None:
    async def story() -> None:
        url = await shared_url()
        async with opened_page(url) as player, opened_page(url, language="de") as stranger:
            await player.get_by_label("Your name").fill("Watched One")
            await player.get_by_role("button", name=QUICK).click()
            game_id = await game_of(player)
            link = stranger.get_by_role("link", name=re.compile("Zusehen: Piraten, Watched One"))
            assert await link.get_attribute("href") == f"/watch/{game_id}"
            assert not await events_of(game_id, BidPlaced) or game_id

    run(story())


def test_a_refused_name_is_explained_and_another_one_can_be_typed() -> None:
    async def story() -> None:
        async with opened_page(await shared_url(), language="es", allowed=("400",)) as page:
            await page.get_by_label("Tu nombre").fill("Bot Ada")
            await page.get_by_role("button", name="Partida rápida").click()
            await expect(page.get_by_text("Elige otro nombre, por favor")).to_be_visible()
            await page.get_by_label("Tu nombre").fill("Ada de Todos")
            await page.get_by_role("button", name="Partida rápida").click()
            await game_of(page)

    run(story())


def test_the_page_knows_the_books_as_the_server_tells_them() -> None:
    async def story() -> None:
        url = await shared_url()
        async with opened_page(url) as page, httpx.AsyncClient() as client:
            told = {book["id"]: book for book in (await client.get(f"{url}/api/v1/rulebooks")).json()["rulebooks"]}
            entry = await page.get_attribute("script[type=module]", "src")
            assert entry is not None
            known = await page.evaluate(
                "async (path) => (await import(path)).BOOKS", entry.replace("main.js", "rules/books.js")
            )
            assert len(known) == len(told)
            for book in known:
                same = told[book["id"]]
                assert (book["wildName"], book["wild"], book["playersMin"], book["playersMax"]) == (
                    same["wild_name"],
                    same["wild"],
                    same["players_min"],
                    same["players_max"],
                )
                assert (book["chips"], book["wildAces"], book["showAndReroll"]) == (
                    same["chips"],
                    same["wild_aces"],
                    same["show_and_reroll"],
                )
                assert sorted(book["raiseRules"]) == sorted(same["raise_rules"])

    run(story())
