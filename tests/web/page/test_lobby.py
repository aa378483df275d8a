"""The start of the page: a game with one click, tables with a free seat, invitations."""

import re
from typing import Any

import httpx
from playwright.async_api import Page, expect

from domain.events import GameCreated, GameStarted, PlayerJoined
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
        url = await shared_url()
        async with new_visitor(width=390, height=844) as visitor:
            async with page_of(visitor, url) as page:
                offered = await page.get_by_label("Your name").get_attribute("placeholder")
                await page.get_by_role("button", name=QUICK).click()
                game_id = await game_of(page)

                me, *bots = await events_of(game_id, PlayerJoined)
                assert (me.name, me.chain_held_by, me.signing_key is not None) == (offered, "player", True)
                assert [bot.player_id.split(".")[1] for bot in bots] == ["cautious", "bluffing"]
                (created,) = await events_of(game_id, GameCreated)
                options = created.options
                assert (created.rulebook, options.turn_seconds, options.on_timeout) == ("pirates", 60, "lowest_bid")
                assert len(await events_of(game_id, GameStarted)) == 1
            async with page_of(visitor, url) as page:
                await expect(page.get_by_text(f"You play as {offered}")).to_be_visible()
                await page.get_by_role("link", name="Pirates with Bot Ada and Bot Blaise").click()
                assert await game_of(page) == game_id

    run(story())


def test_a_table_is_set_up_with_the_options_of_its_book_and_the_keyboard_is_enough() -> None:
    async def story() -> None:
        async with opened_page(await shared_url(), "/?book=palafico") as page:
            form = page.get_by_role("form", name="Set up your own table")
            await expect(form.get_by_role("radio", name=re.compile("Palafico"))).to_be_checked()
            await form.get_by_role("radio", name=re.compile("Palafico")).focus()
            await page.keyboard.press("ArrowDown")
            await expect(form.get_by_role("radio", name=re.compile("The bidding track"))).to_be_checked()
            await form.locator("summary").click()
            await form.get_by_label("Dice each").select_option("2")
            await form.get_by_label("Time for a turn").select_option("300")
            await form.get_by_label("When time is up").select_option("forfeit")
            await form.get_by_label("Who opens").select_option("You")
            await form.get_by_label("Spectators see it").select_option("At once")
            await form.get_by_label("Play for chips").check()
            await expect(form.get_by_label("Aces are wild")).to_have_count(0)
            await form.get_by_role("button", name="Add a bot").focus()
            await page.keyboard.press("Enter")
            await form.get_by_role("button", name="Begin the game").focus()
            await page.keyboard.press("Enter")
            game_id = await game_of(page)

            (created,) = await events_of(game_id, GameCreated)
            options = created.options
            assert (options.dice_each, options.turn_seconds, options.on_timeout) == (2, 300, "forfeit")
            assert (options.opener, options.chips, created.seats) == (0, True, 4)
            bots = (await events_of(game_id, PlayerJoined))[1:]
            assert [bot.player_id.split(".")[1] for bot in bots] == ["cautious", "bluffing", "calculating"]

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
            asked: list[str] = []
            async with page_of(friend, url, f"/join/{game_id}#wrong", allowed=("403",)) as page:
                page.on("request", lambda request: asked.append(request.url))
                await expect(page.get_by_text("This is a private table.")).to_be_visible()
                await page.get_by_role("button", name=SIT_DOWN).click()
                await expect(page.get_by_text("This invitation is not valid")).to_be_visible()
            async with page_of(friend, url, f"/join/{game_id}#{code}") as page:
                page.on("request", lambda request: asked.append(request.url))
                await page.get_by_role("button", name=SIT_DOWN).click()
                assert await game_of(page) == game_id
                await page.goto(f"{url}/join/{game_id}#{code}")
                await page.get_by_role("link", name="To the table").click()
                assert await game_of(page) == game_id
            assert not [address for address in asked if code in address.partition("#")[0]]

    run(story())


def test_a_running_game_is_offered_to_watch_and_its_invitation_says_that_it_has_begun() -> None:
    async def story() -> None:
        url = await shared_url()
        async with new_visitor() as player, new_visitor(language="de") as stranger:
            async with page_of(player, url, allowed=("400",)) as page:
                await page.get_by_label("Your name").fill("Bot Ada")
                await page.get_by_role("button", name=QUICK).click()
                await expect(page.get_by_text("Please take another name")).to_be_visible()
                await page.get_by_label("Your name").fill("Watched One")
                await page.get_by_role("button", name=QUICK).click()
                game_id = await game_of(page)
            async with page_of(stranger, url, allowed=("404",)) as page:
                link = page.get_by_role("link", name=re.compile("Zusehen: Piraten, Watched One"))
                assert await link.get_attribute("href") == f"/watch/{game_id}"
                await page.goto(f"{url}/join/{game_id}")
                await expect(page.get_by_text("Dieses Spiel hat ohne dich begonnen.")).to_be_visible()
                assert await page.get_by_role("link", name="Zusehen").get_attribute("href") == f"/watch/{game_id}"
                await page.goto(f"{url}/join/nowhere")
                await expect(page.get_by_text("Diesen Tisch gibt es nicht.")).to_be_visible()

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
