"""The page in a real browser. Every page that a test opens must stay without an error, and ask nobody but this server."""

import atexit
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, Request

from tests.servers import SECONDS_MAX, run
from tests.web.browsers import browser

_SHARED: list[Browser] = []
_UNREACHABLE = ("net::ERR_", "503")
_SIGNED_IN = """
async (name) => {
  const folder = document.querySelector("script[type=module]").src.replace("/page/main.js", "");
  const { Client, IndexedDbSeatKeeper, IndexedDbTokenStore } = await import(`${folder}/client/index.js`);
  const client = new Client(location.origin, { seats: new IndexedDbSeatKeeper() });
  const { playerId } = await client.register(name);
  await new IndexedDbTokenStore().keep(location.origin, "this browser", client.token);
  return playerId;
}
"""
_AT_A_TABLE = """
async ({ act, rulebook, options, seats, bots, gameId }) => {
  const folder = document.querySelector("script[type=module]").src.replace("/page/main.js", "");
  const { Client, IndexedDbSeatKeeper, IndexedDbTokenStore } = await import(`${folder}/client/index.js`);
  const token = await new IndexedDbTokenStore().find(location.origin, "this browser");
  const client = new Client(location.origin, { token, seats: new IndexedDbSeatKeeper() });
  if (act === "join") return (await client.join(gameId)).gameId;
  const table = await client.create(rulebook, { options, seats: seats ?? undefined });
  for (const bot of bots) await table.addBot(bot);
  return table.gameId;
}
"""


async def shared_browser() -> Browser:
    """The browser that the tests of a process share; each test has a context of its own in it."""
    if not _SHARED:
        stack = AsyncExitStack()
        _SHARED.append(await stack.enter_async_context(browser()))
        atexit.register(lambda: run(stack.aclose()))
    return _SHARED[0]


class Watch:
    """What a page must not do: tell of errors, or ask others."""

    def __init__(self, url: str, *, away: bool) -> None:
        self._url, self._away = url, away
        self.faults: list[str] = []
        self.requests: list[str] = []

    def on(self, page: Page) -> None:
        """Listen to a page."""
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        expected = self._away and any(part in message.text for part in _UNREACHABLE)
        if message.type == "error" and not expected:
            self.faults.append(message.text)

    def _request(self, request: Request) -> None:
        self.requests.append(request.url)
        if not request.url.startswith((self._url, "data:", "blob:")):
            self.faults.append(f"asked {request.url}")


@asynccontextmanager
async def opened_page(
    url: str, *, width: int = 1280, height: int = 900, still: bool = True, away: bool = False, **context: Any
) -> AsyncIterator[Page]:
    """A page in a browser without a past; with `away` the server may be away for a while."""
    opened = await shared_browser()
    motion: Any = "reduce" if still else "no-preference"
    settings = {"viewport": {"width": width, "height": height}, "reduced_motion": motion, "locale": "en", **context}
    one: BrowserContext = await opened.new_context(**settings)
    one.set_default_timeout(SECONDS_MAX * 1000)
    watch = Watch(url, away=away)
    one.on("page", watch.on)
    try:
        yield await one.new_page()
        assert watch.faults == []
    finally:
        await one.close()


async def signed_in(page: Page, url: str, name: str = "Ann") -> str:
    """Be a new player in this browser; the id of the player."""
    await page.goto(f"{url}/about")
    return str(await page.evaluate(_SIGNED_IN, name))


async def new_table(
    page: Page, rulebook: str, *, bots: tuple[str, ...] = ("cautious",), seats: int | None = None, **options: Any
) -> str:
    """The id of a new table at which the player of this browser sits, with bots."""
    asked = {"act": "create", "rulebook": rulebook, "options": options, "bots": list(bots), "seats": seats}
    return str(await page.evaluate(_AT_A_TABLE, asked))


async def joined(page: Page, game_id: str) -> None:
    """Sit down at a table."""
    await page.evaluate(_AT_A_TABLE, {"act": "join", "gameId": game_id})
