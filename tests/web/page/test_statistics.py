"""The pages of statistics in a real browser: every number is the server's, and every state has something to say."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import httpx
import pytest
from playwright.async_api import Page, Route, expect

from domain.rulebooks import BOOKS
from infra.postgres.store import EventStore
from services.app.wiring import serving
from services.simulation.game_storer import Calendar, GameStorer
from services.simulation.memory_table import MemoryTable
from services.simulation.simulation import game_name, play_game, setups_of_all
from tests.http.readers import Site, on_site, site
from tests.infra.postgres.databases import new_database
from tests.servers import KEYS, LOG_KEYS, SECONDS_MAX, SHARED_SETTINGS, projected, run
from tests.web.browsers import needs_browser
from tests.web.page.pages import opened_page

pytestmark = needs_browser

GAMES = 10
SINCE = 1_767_225_600_000
PLAYERS = ("sim.bluffing", "sim.calculating", "sim.cautious")
TITLES = {
    "bidding-track": "The bidding track",
    "single-hand": "Single hand",
    "pirates": "Pirates",
    "prediction-track": "The prediction track",
    "palafico": "Palafico",
}
NOTHING = "\N{EN DASH}"
RATES = (
    *("wins", "challenges_won", "bids_held", "forfeits", "best_decisions"),
    *("bluffs", "bluffs_challenged", "bluffs_caught", "exact_bids"),
)


class Reader:
    """A server with games, and somebody who asks it directly."""

    def __init__(self, url: str, client: httpx.AsyncClient) -> None:
        self.url, self.client = url, client

    async def told(self, path: str, **query: Any) -> Any:
        """What the server says under `/api/v1`."""
        answer = await self.client.get(f"{self.url}/api/v1{path}", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    @asynccontextmanager
    async def at(self, path: str, *, allowed: tuple[str, ...] = ()) -> AsyncIterator[Page]:
        """A new reader at an address, once everything is there."""
        async with opened_page(self.url, path, allowed=allowed) as page:
            await settled(page)
            yield page


UNKNOWN = ("status of 404",)
"""What a browser says about an answer that there is no such player."""
Story = Callable[[Reader], Awaitable[None]]


async def arrive(page: Page, path: str) -> None:
    """Open another address of the server and wait until nothing is loaded any more."""
    await page.goto(str(httpx.URL(page.url).join(path)))
    await settled(page)


async def settled(page: Page) -> None:
    """Wait until the page has what it asked for."""
    await expect(page.locator("h1").first).to_be_visible()
    await expect(page.locator(".waiting, [aria-busy]")).to_have_count(0)


def played_games() -> list[MemoryTable]:
    """Games of all books, at tables of three and of the usual rules, which differ from run to run in nothing."""
    setups = [next(setup for setup in setups_of_all(3) if setup.rulebook == book.id) for book in BOOKS]
    chosen = [setups[index % len(setups)] for index in range(GAMES)]
    return [play_game(setup, 7, index, game_name(setup, 7, index)) for index, setup in enumerate(chosen)]


async def stored(url: str, tables: list[MemoryTable]) -> None:
    """Put games into a store."""
    store = await EventStore.open(url)
    try:
        await GameStorer(store, KEYS, Calendar(SINCE, now=SINCE)).store(tables)
    finally:
        await store.close()


@pytest.fixture(scope="module")
def read() -> Iterator[Callable[[Story], None]]:
    """Runs stories of readers of one server with simulated games, in one browser."""
    url = new_database(lanes=2)
    tables = played_games()
    stack = AsyncExitStack()

    async def opened() -> Reader:
        await stored(url, tables)
        running = await stack.enter_async_context(serving(url, KEYS, LOG_KEYS, SHARED_SETTINGS))
        assert running.reading is not None
        client = await stack.enter_async_context(httpx.AsyncClient(timeout=SECONDS_MAX))
        reader = Reader(running.reading.url, client)
        while not (await reader.told("/leaderboards"))["entries"]:  # noqa: ASYNC110 - nobody tells when
            await asyncio.sleep(0.05)
        while len(await points_of(reader, "sim.cautious")) < GAMES:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.05)
        for table in tables:
            await projected(running, table.game_id)
        return reader

    reader = run(opened())
    yield lambda story: run(limited(story(reader)))
    run(stack.aclose())


async def limited(story: Awaitable[None]) -> None:
    """A story that ends within a minute."""
    async with asyncio.timeout(SECONDS_MAX):
        await story


async def points_of(reader: Reader, player: str, **query: Any) -> list[Any]:
    """The way of a rating, the oldest first."""
    return list(reversed((await reader.told(f"/players/{player}/ratings", page_size=100, **query))["points"]))


def number(value: float, digits: int = 1) -> str:
    """A number as a browser writes it in English."""
    step = Decimal(1).scaleb(-digits)
    return f"{Decimal(repr(value)).quantize(step, ROUND_HALF_UP):,}"


def percent(share: float) -> str:
    return f"{(Decimal(repr(share)) * 100).quantize(Decimal('0.1'), ROUND_HALF_UP)}%"


def points(share: float) -> str:
    return f"{percent(share)[:-1]} points"


def seconds(value: float) -> str:
    return f"{number(value)} s"


def rate_texts(rate: Any) -> list[str]:
    """What stands for a rate: the value, its interval, and what was counted."""
    if rate["rate"] is None:
        return [NOTHING, "nothing counted yet"]
    return [percent(rate["rate"]), f"{percent(rate['low'])} to {percent(rate['high'])}", out_of(rate)]


def out_of(rate: Any) -> str:
    return f"{number(rate['count'], 0)} of {number(rate['out_of'], 0)}"


def mean_texts(mean: Any, write: Callable[[float], str]) -> list[str]:
    if mean["mean"] is None:
        return [NOTHING, "nothing counted yet"]
    interval = [] if mean["low"] is None else [f"{write(mean['low'])} to {write(mean['high'])}"]
    values = "from 1 value" if mean["count"] == 1 else f"from {number(mean['count'], 0)} values"
    return [write(mean["mean"]), *interval, values]


def expectation_texts(told: Any) -> list[str]:
    numbers = (number(told["actual"], 0), *(number(told[name]) for name in ("expected", "low", "high")))
    return [
        "{} in fact, {} expected; chance alone gives {} to {}.".format(*numbers),
        f"from {number(told['count'], 0)} values",
    ]


async def shown(page: Page) -> dict[str, list[str]]:
    """The texts of every number on the page of a player."""
    script = """all => Object.fromEntries(all.map(one => [one.dataset.measure,
        [...one.querySelectorAll(".measure-value, .measure-range, .measure-basis")].map(part => part.innerText)]))"""
    found: dict[str, list[str]] = await page.locator(".measure").evaluate_all(script)
    return found


async def table_of(page: Page, title: str) -> list[list[str]]:
    """The rows of the table below a chart."""
    script = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    rows: list[list[str]] = await page.locator(f'figure [aria-label="{title}"] tr').evaluate_all(script)
    return rows


def expected_texts(told: Any) -> dict[str, list[str]]:
    """What the page has to show of the server's answer."""
    texts = {name: rate_texts(told[name]) for name in RATES}
    texts["wins"][-1] += f" · {number(told['expected_wins'])} expected"
    rating = told["rating"]
    texts["rating"] = [
        number(rating["mu"]),
        f"{number(rating['ordinal'])} to {number(rating['mu'] + 3 * rating['sigma'])}",
        f"{rating['games']} games",
    ]
    texts["games"] = [number(told["games"], 0), f"{number(told['rounds'], 0)} rounds"]
    texts["clock_moves"] = [number(told["clock_moves"], 0), ""]
    writers = {"risk": percent, "regret": points, "reroll_gain": points, "move_seconds": seconds}
    texts |= {name: mean_texts(told[name], write) for name, write in writers.items()}
    texts["brier"] = mean_texts(told["brier"], lambda value: number(value, 3))
    texts |= {name: expectation_texts(told[name]) for name in ("dice_luck", "challenge_outcomes")}
    return texts


def calibration_row(found: Any) -> list[str]:
    chances = (found["chance"], *(found["held"][name] for name in ("rate", "low", "high")))
    return [*(percent(chance) for chance in chances), number(found["held"]["out_of"], 0)]


@pytest.mark.parametrize("player", PLAYERS)
def test_every_number_of_a_player_is_the_one_that_the_server_tells(read: Callable[[Story], None], player: str) -> None:
    async def story(reader: Reader) -> None:
        told = await reader.told(f"/players/{player}/statistics")
        assert told["games"] == GAMES
        async with reader.at(f"/players/{player}") as page:
            await expect(page.locator("h1")).to_have_text(told["name"])
            await expect(page.locator(".player-heading .tag")).to_have_text(["Bot"])
            assert await shown(page) == expected_texts(told)

            by_book = await table_of(page, "Games won, by book")
            for row, book in zip(by_book[1:], TITLES, strict=True):
                wins = (of_book := await reader.told(f"/players/{player}/statistics", rulebook=book))["wins"]
                share = of_book["expected_wins"] / wins["out_of"]
                assert row == [TITLES[book], *(percent(wins[name]) for name in ("rate", "low", "high")), percent(share)]
            places = {str(one["place"]): str(one["games"]) for one in told["places"]}
            assert {
                place: games for place, games in (await table_of(page, "Places reached"))[1:] if games != "0"
            } == places
            moves = [number(one["moves"], 0) for one in told["move_times"]]
            assert [row[1] for row in (await table_of(page, "How long moves took"))[1:]] == moves
            assert (await table_of(page, "Calibration"))[1:] == [
                calibration_row(one) for one in told["calibration"] if one["chance"] is not None
            ]

    read(story)


def test_a_filter_by_book_shows_the_numbers_of_that_book(read: Callable[[Story], None]) -> None:
    async def story(reader: Reader) -> None:
        async with reader.at("/players/sim.calculating") as page:
            for book in TITLES:
                told = await reader.told("/players/sim.calculating/statistics", rulebook=book)
                await page.get_by_role("combobox", name="Book", exact=True).select_option(book)
                await page.wait_for_url(f"**/players/sim.calculating?rulebook={book}")
                await settled(page)
                assert await shown(page) == expected_texts(told)
                ways = await points_of(reader, "sim.calculating", rulebook=book)
                ratings = [row[1:] for row in (await table_of(page, "Rating and how uncertain it is"))[1:]]
                assert ratings == [rating_row(point["rating"]) for point in ways]

    read(story)


def rating_row(rating: Any) -> list[str]:
    return [number(rating["mu"]), number(rating["ordinal"]), number(rating["mu"] + 3 * rating["sigma"])]


def test_games_can_be_picked_on_a_rating_with_the_keyboard(read: Callable[[Story], None]) -> None:
    async def story(reader: Reader) -> None:
        ways = await points_of(reader, "sim.cautious")
        async with reader.at("/players/sim.cautious") as page:
            await page.get_by_role("slider").focus()
            await page.keyboard.press("Home")
            await expect(page.locator(".readout")).to_contain_text("After rated game 1,")
            await page.keyboard.press("ArrowRight")
            await expect(page.locator(".readout-value")).to_have_text(number(ways[1]["rating"]["mu"]))
            link = page.locator(".readout a")
            await expect(link).to_have_attribute("href", f"/games/{ways[1]['game_id']}")
            await page.get_by_role("button", name="By games").press("Enter")
            await expect(page.get_by_role("slider")).to_have_attribute("aria-valuenow", "2")

    read(story)


def test_each_number_says_what_it_means(read: Callable[[Story], None]) -> None:
    async def story(reader: Reader) -> None:
        async with reader.at("/players/sim.cautious") as page:
            buttons = page.get_by_role("button", name="What does")
            ids = await page.locator("[popover]").evaluate_all("all => all.map(one => one.id)")
            assert len(ids) == len(set(ids))
            assert await buttons.count() == await page.locator(".measure").count() + 1
            await page.get_by_role("button", name="What does “Regret” mean?").press("Enter")
            await expect(page.get_by_text("Less is better.").first).to_be_visible()
            await page.keyboard.press("Escape")
            await expect(page.get_by_text("Less is better.").first).to_be_hidden()

    read(story)


def test_recent_games_lead_to_their_replays(read: Callable[[Story], None]) -> None:
    async def story(reader: Reader) -> None:
        games = (await reader.told("/games", player="sim.bluffing", result="ended", page_size=8))["games"]
        async with reader.at("/players/sim.bluffing") as page:
            links = page.locator(".recent-game .button")
            assert await links.evaluate_all("all => all.map(one => one.getAttribute('href'))") == [
                f"/games/{game['game_id']}" for game in games
            ]

    read(story)


def test_the_worst_decisions_lead_to_their_steps_in_the_replay(read: Callable[[Story], None]) -> None:
    async def story(reader: Reader) -> None:
        told = await reader.told("/players/sim.bluffing/decisions", order="worst", regret_min=0.01, page_size=10)
        worst = told["decisions"]
        assert len(worst) == 10
        async with reader.at("/players/sim.bluffing") as page:
            links = page.locator(".worst-decision a")
            await expect(links).to_have_count(5)
            await page.get_by_role("button", name="More decisions").click()
            await expect(links).to_have_count(10)
            ways = [f"/games/{one['game_id']}?step={one['version']}&seat={one['seat']}" for one in worst]
            assert await links.evaluate_all("all => all.map(one => one.getAttribute('href'))") == ways
            costs = await page.locator(".worst-regret").all_inner_texts()
            assert costs == [f"\N{MINUS SIGN}{points(one['regret'])}" for one in worst]
            await links.first.click()
            await expect(page.locator(".replay-slider")).to_have_value(str(worst[0]["version"]))
            await expect(page.locator(".replay-moves [aria-current=step] .replay-move-cost")).to_have_text(
                f"costs {worst[0]['regret']:.0%}"
            )

    read(story)


def test_pictures_of_regret_doubt_and_luck_show_the_groups_of_the_server(read: Callable[[Story], None]) -> None:
    async def story(reader: Reader) -> None:
        groups = {
            by: (await reader.told("/players/sim.cautious/groups", by=by, page_size=100))["groups"]
            for by in ("dice_left", "standing_chance", "game")
        }
        luck = 0.0
        line = []
        for number_of_game, group in enumerate(reversed(groups["game"]), 1):
            luck += group["dice_luck"]["actual"] - group["dice_luck"]["expected"]
            line.append((str(number_of_game), luck))
        async with reader.at("/players/sim.cautious") as page:
            regrets = await table_of(page, "Regret by dice left")
            assert [row[:2] for row in regrets[1:]] == [
                [one["group"], percent(one["regret"]["mean"])] for one in groups["dice_left"] if one["regret"]["count"]
            ]
            doubts = await table_of(page, "When bids are doubted")
            assert [row[1] for row in doubts[1:]] == [
                f"{one['doubts']['rate']:.0%}" for one in groups["standing_chance"] if one["doubts"]["out_of"]
            ]
            shown_luck = await table_of(page, "Luck of the dice, game after game")
            assert [row[0] for row in shown_luck[1:]] == [game for game, _ in line]
            assert [float(row[1]) for row in shown_luck[1:]] == pytest.approx([sum_ for _, sum_ in line], abs=0.051)

    read(story)


def test_pages_of_lists_follow_each_other_without_a_gap_or_a_double(read: Callable[[Story], None]) -> None:
    """The server gives shorter pages than the page asks for, so that a few games fill several."""

    async def story(reader: Reader) -> None:
        games = [game["game_id"] for game in (await reader.told("/games", page_size=100))["games"]]
        ratings = await points_of(reader, "sim.cautious")
        async with reader.at("/about") as page:

            async def shorter(route: Route) -> None:
                await route.continue_(url=re.sub(r"page_size=\d+", "page_size=4", route.request.url))

            await page.route(re.compile(r"/api/v1/(games|players/[^/]+/ratings)\?"), shorter)
            await arrive(page, "/games")
            links = page.locator(".games-link")
            await expect(links).to_have_count(GAMES)
            await expect(page.get_by_text("That is all.")).to_be_visible()
            hrefs = await links.evaluate_all("all => all.map(one => one.pathname.split('/')[2])")
            assert hrefs == games
            await arrive(page, "/players/sim.cautious")
            title = "Rating and how uncertain it is"
            for pages in (2, 3):
                await page.get_by_role("button", name="Load older games").click()
                count = min(4 * pages, len(ratings))
                await expect(page.locator(f'figure [aria-label="{title}"] tr')).to_have_count(count + 1)
            rows = (await table_of(page, title))[1:]
            assert [row[1:] for row in rows] == [rating_row(point["rating"]) for point in ratings]
            await arrive(page, "/leaderboards?after=1")
            await expect(page.locator(".board tbody .board-position").first).to_have_text("2")
            await page.get_by_role("main").get_by_role("link", name="Previous").click()
            await expect(page.locator(".board tbody tr")).to_have_count(len(PLAYERS))

    read(story)


def test_somebody_is_found_by_the_beginning_of_the_name(read: Callable[[Story], None]) -> None:
    async def story(reader: Reader) -> None:
        async with reader.at("/players") as page:
            await expect(page.locator(".found-player")).to_have_count(len(PLAYERS))
            await page.get_by_label("Search by name").press_sequentially("CAU")
            await expect(page.locator(".found-player")).to_have_count(1)
            await page.wait_for_url("**/players?name=CAU")
            await page.keyboard.press("ArrowDown")
            await page.keyboard.press("Enter")
            await page.wait_for_url("**/players/sim.cautious")
            await settled(page)
            await page.go_back()
            await page.get_by_label("Search by name").fill("nobody is called that")
            await expect(page.get_by_text("Nobody's name begins with “nobody is called that”.")).to_be_visible()
            await page.get_by_role("link", name="Show everybody").click()
            await expect(page.locator(".found-player")).to_have_count(len(PLAYERS))

    read(story)


def test_leaderboards_show_the_entries_of_the_server(read: Callable[[Story], None]) -> None:
    async def story(reader: Reader) -> None:
        async with reader.at("/leaderboards?rulebook=pirates&games_min=2") as page:
            for measure, name in BOARDS.items():
                told = await reader.told("/leaderboards", measure=measure, rulebook="pirates", games_min=2)
                assert [entry["kind"] for entry in told["entries"]] == ["bot"] * len(PLAYERS)
                await page.locator(".tabs").get_by_role("link", name=name).click()
                await expect(page.locator(".board thead th").nth(2)).to_have_text(name)
                script = "rows => rows.map(row => [...row.cells].map(cell => cell.innerText.trim()))"
                rows = await page.locator(".board tbody tr").evaluate_all(script)
                assert rows == [entry_row(measure, entry) for entry in told["entries"]]

    read(story)


BOARDS = {
    "rating": "Rating",
    "wins": "Games won",
    "challenges": "Challenges won",
    "bids": "Bids that held",
    "decisions": "Best decisions",
    "games": "Games played",
}


def entry_row(measure: str, entry: Any) -> list[str]:
    writers: dict[str, Callable[[float], str]] = {"rating": number, "games": lambda value: number(value, 0)}
    write = writers.get(measure, percent)
    interval = [] if entry["low"] is None else [f"{write(entry['low'])} to {write(entry['high'])}"]
    counted = [] if measure in ("rating", "games") else [number(entry["count"], 0)]
    games = [] if measure == "games" else [number(entry["games"], 0)]
    return [str(entry["position"]), f"{entry['name']} Bot", write(entry["value"]), *interval, *counted, *games]


def test_a_leaderboard_is_filtered_and_left_with_the_keyboard(read: Callable[[Story], None]) -> None:
    async def story(reader: Reader) -> None:
        async with reader.at("/leaderboards") as page:
            await page.get_by_role("link", name="Best decisions").press("Enter")
            await page.wait_for_url("**/leaderboards?measure=decisions")
            await page.get_by_role("combobox", name="Players", exact=True).select_option("human")
            await expect(page.get_by_text("Nobody is ranked here.")).to_be_visible()
            await page.get_by_role("link", name="Clear the filters").press("Enter")
            await expect(page.locator(".board tbody tr")).to_have_count(len(PLAYERS))
            await page.locator(".board tbody a").first.press("Enter")
            await page.wait_for_url("**/players/sim.*")
            await settled(page)

    read(story)


def test_two_players_are_chosen_and_compared(read: Callable[[Story], None]) -> None:
    async def story(reader: Reader) -> None:
        one, other = "sim.cautious", "sim.bluffing"
        met = [await reader.told("/head-to-head", player=a, other=b) for a, b in ((one, other), (other, one))]
        alone = [await reader.told(f"/players/{player}/statistics") for player in (one, other)]
        async with reader.at("/compare") as page:
            await page.get_by_label("First player").press_sequentially("caut")
            await expect(page.locator(".is-a .found-player")).to_have_count(1)
            await page.locator(".is-a .found-player").click()
            await page.get_by_label("Second player").press_sequentially("bluf")
            await expect(page.locator(".is-b .found-player")).to_have_count(1)
            await page.locator(".is-b .found-player").click()
            await page.wait_for_url(f"**/compare?a={one}&b={other}")
            await settled(page)
            await expect(page.get_by_role("heading", name=f"{met[0]['games']} games together")).to_be_visible()
            script = "all => all.map(one => one.innerText.match(/\\d+$/)[0])"
            counts = await page.locator(".shares-legend li").evaluate_all(script)
            assert counts == [str(met[0]["ahead"]["count"]), str(met[0]["level"]), str(met[0]["behind"])]
            duels = await side_cells(page, 0)
            assert duels == {
                name: [rate_texts(side[name]) for side in met] for name in ("ahead", "challenges_won", "bids_held")
            }
            all_games = await side_cells(page, 1)
            for name in ("wins", "best_decisions", "bluffs", "bluffs_caught"):
                assert all_games[name] == [rate_texts(side[name]) for side in alone]
            assert all_games["regret"] == [mean_texts(side["regret"], points) for side in alone]

    read(story)


async def side_cells(page: Page, index: int) -> dict[str, list[list[str]]]:
    """The texts of a table with two players, by its rows."""
    script = """rows => Object.fromEntries(rows.map(row => [row.dataset.measure,
        [...row.querySelectorAll("td")].map(cell => [...cell.children].map(part => part.textContent))]))"""
    rows = page.locator(".side-table").nth(index).locator("tbody tr")
    found: dict[str, list[list[str]]] = await rows.evaluate_all(script)
    return found


def test_an_unknown_player_is_said_to_be_unknown(read: Callable[[Story], None]) -> None:
    async def story(reader: Reader) -> None:
        async with reader.at("/players", allowed=UNKNOWN) as page:
            for path in ("/players/nobody-like-that", "/players/%3Cb%3E", f"/players/{'x' * 70}"):
                await arrive(page, path)
                await expect(page.get_by_role("heading", name="There is no such player.")).to_be_visible()
            await page.get_by_role("link", name="Look for players").click()
            await expect(page.locator(".found-player")).to_have_count(len(PLAYERS))

    read(story)


def test_filters_that_leave_no_game_can_be_cleared(read: Callable[[Story], None]) -> None:
    async def story(reader: Reader) -> None:
        async with reader.at("/players/sim.cautious?since=2031-01-01&until=2030-01-01&played=nonsense") as page:
            await expect(page.get_by_text("No games fit these filters.")).to_be_visible()
            await expect(page.locator("h1")).to_have_text((await reader.told("/players/sim.cautious"))["name"])
            await page.get_by_role("main").get_by_role("link", name="Clear the filters").first.click()
            await expect(page.locator("[data-measure=games] .measure-value")).to_have_text(str(GAMES))

    read(story)


PATHS = (
    "/players",
    "/players/sim.cautious",
    "/leaderboards?measure=wins",
    "/compare?a=sim.cautious&b=sim.bluffing",
    "/compare",
)


def test_a_phone_shows_everything_without_scrolling_sideways(read: Callable[[Story], None]) -> None:
    async def story(reader: Reader) -> None:
        async with opened_page(reader.url, "/compare", width=360, height=780, theme="dark", language="de") as page:
            for path in PATHS:
                await arrive(page, path)
                assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
            ground = "getComputedStyle(document.body).backgroundColor"
            assert await page.evaluate(ground) == "rgb(18, 23, 24)"
            await page.emulate_media(color_scheme="light")
            assert await page.evaluate(ground) == "rgb(246, 241, 230)"

    read(story)


def test_an_empty_server_says_how_to_begin() -> None:
    url = new_database(lanes=2)

    async def story() -> None:
        async with site(url) as empty, opened_page(empty.url, language="es") as page:
            for path in ("/players", "/leaderboards"):
                await arrive(page, path)
                await expect(page.get_by_text("Todavía no ha jugado nadie.")).to_be_visible()
                await expect(
                    page.get_by_role("main").get_by_role("link", name="Empezar una partida")
                ).to_have_attribute("href", "/")

    run(story())


KEEPING = """async (token) => {
  const main = document.querySelector("script[type=module]").src;
  const { IndexedDbTokenStore } = await import(new URL("../client/index.js", main).href);
  await new IndexedDbTokenStore().keep(location.origin, "this browser", token);
}"""


def test_private_games_count_on_the_players_own_page_only() -> None:
    async def story(server: Site) -> None:
        _, clients = await server.played("pirates", private=True)
        me = clients[0].player
        async with opened_page(server.url, allowed=UNKNOWN) as page:
            await arrive(page, f"/players/{me.player_id}")
            await expect(page.get_by_role("heading", name="There is no such player.")).to_be_visible()
            await page.evaluate(KEEPING, me.token)
            await arrive(page, f"/players/{me.player_id}")
            await expect(page.locator(".player-heading .tag")).to_have_text(["This is you"])
            await expect(page.get_by_text("One of them is private and counts only for you.")).to_be_visible()
            told = await server.read(f"/players/{me.player_id}/statistics", me)
            assert (await shown(page))["bluffs"] == rate_texts(told["bluffs"])
            await expect(page.locator(".recent-game .tag")).to_have_text(["Private"])

    on_site(story)


def test_a_bot_of_one_table_leads_to_the_page_of_its_kind() -> None:
    async def story(server: Site) -> None:
        (ann,) = await server.server.players(1)
        game_id = await server.server.table([ann], "pirates")
        await ann.ask("AddBot", game_id=game_id, strategy="cautious")
        bot = (await ann.ask("GetGame", game_id=game_id)).game.view.seats[1]
        await ann.ask("StartGame", game_id=game_id)
        await ann.ask("Forfeit", game_id=game_id)
        await projected(server.server.running, game_id)
        await server.eventually("/players/bot.cautious/statistics", lambda told: told["games"] > 0)
        async with opened_page(server.url) as page:
            await arrive(page, f"/players/{bot.player_id}")
            await page.wait_for_url("**/players/bot.cautious")
            await expect(page.locator("h1")).to_have_text("cautious")
            await expect(page.locator(f'.recent-game a[href="/games/{game_id}"]')).to_be_visible()
            await arrive(page, "/players?name=cau")
            await expect(page.locator('.found-player[href="/players/bot.cautious"]')).to_have_count(1)

    on_site(story)
