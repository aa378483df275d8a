"""Pages in a real browser, one for all tests of a process. Every page has to end without an error and without a request to others."""

import atexit
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Literal

from playwright.async_api import Browser, BrowserContext, CDPSession, ConsoleMessage, Page, ViewportSize, expect

from tests.servers import SECONDS_MAX, run, shared_server
from tests.web.browsers import browser

_SHARED: list[Browser] = []
_RESTING: dict[str, list[BrowserContext]] = {}
"""Visitors who have left, by what can't be changed about them."""
_PAST = "cookies,indexeddb,local_storage,service_workers"
"""What pages keep. The files that a browser keeps are no past: their addresses have their hashes."""
_LOCAL = ("data:", "blob:", "about:")
UNREACHABLE = ("net::ERR_", "503")
"""What browsers report by themselves while the server is away."""
expect.set_options(timeout=SECONDS_MAX * 1000)  # Slow machines are no reason for a test to fail.
Theme = Literal["light", "dark"]
Motion = Literal["reduce", "no-preference"]


async def shared_url() -> str:
    """The address of the server that most tests share."""
    server = await shared_server()
    assert server.reading is not None, "the shared server serves HTTP"
    return server.reading.url


async def shared_browser() -> Browser:
    """The browser that all tests of this process share; to be used inside of `run`, as the shared server is."""
    if not _SHARED:
        stack = AsyncExitStack()
        _SHARED.append(await stack.enter_async_context(browser()))
        atexit.register(lambda: run(stack.aclose()))
    return _SHARED[0]


class Visitor:
    """Somebody in a browser, whose pages have the same player."""

    def __init__(self, context: BrowserContext, size: ViewportSize, theme: Theme, motion: Motion) -> None:
        self.context, self._size, self._theme, self._motion = context, size, theme, motion
        self._seen = set[str]()

    async def new_page(self) -> Page:
        """An empty page of the size and with the theme that the visitor likes."""
        page = await self.context.new_page()
        page.on("framenavigated", lambda frame: self._seen.add("/".join(frame.url.split("/")[:3])))
        await page.set_viewport_size(self._size)
        await page.emulate_media(color_scheme=self._theme, reduced_motion=self._motion)
        return page

    async def leave(self) -> None:
        """Close all pages, and leave nothing behind but the files of the page, which take most of the time to load."""
        for page in self.context.pages[1:]:
            await page.close()
        keeper = await self.context.new_cdp_session(self.context.pages[0])
        for origin in self._seen:
            if origin.startswith("http"):
                await keeper.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": _PAST})
        await keeper.detach()
        await self.context.clear_permissions()
        await self.context.set_offline(False)


async def _context(language: str, more: dict[str, Any]) -> BrowserContext:
    """What a new visitor has; the first page stays empty and open, so that the past can be forgotten on it."""
    context = await (await shared_browser()).new_context(locale=language, **more)
    context.set_default_timeout(SECONDS_MAX * 1000)
    await context.new_page()
    return context


@asynccontextmanager
async def new_visitor(
    *,
    width: int = 1280,
    height: int = 800,
    language: str = "en",
    theme: Theme = "light",
    still: bool = True,
    **more: Any,
) -> AsyncIterator[Visitor]:
    """Somebody without a past, who wants no motion if `still`. Pages of one visitor have the same player."""
    kind = repr((language, sorted(more.items())))
    resting = _RESTING.setdefault(kind, [])
    context = resting.pop() if resting else await _context(language, more)
    motion: Motion = "reduce" if still else "no-preference"
    visitor = Visitor(context, ViewportSize(width=width, height=height), theme, motion)
    try:
        yield visitor
    except BaseException:
        await context.close()
        raise
    if more.get("offline"):
        await context.close()
    else:
        await visitor.leave()
        resting.append(context)


@asynccontextmanager
async def page_of(visitor: Visitor, url: str, path: str = "/", allowed: tuple[str, ...] = ()) -> AsyncIterator[Page]:
    """A page of a visitor, which must not end with an error; one whose text has something `allowed` does not count.

    A request to another server counts as an error, and so does a violation of the page's policy, which browsers report.
    """
    page = await visitor.new_page()
    wrong: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" and not any(part in message.text for part in allowed):
            wrong.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request",
        lambda request: None if request.url.startswith((url, *_LOCAL)) else wrong.append(f"asked for {request.url}"),
    )
    await page.goto(f"{url}{path}")
    yield page
    assert not wrong, wrong
    await page.close()


@asynccontextmanager
async def opened_page(
    url: str, path: str = "/", *, allowed: tuple[str, ...] = (), **visitor: Any
) -> AsyncIterator[Page]:
    """A page of a new visitor."""
    async with new_visitor(**visitor) as somebody, page_of(somebody, url, path, allowed) as page:
        yield page


class Work:
    """How much a page works from now on."""

    def __init__(self, session: CDPSession, before: float) -> None:
        self._session, self._before = session, before

    @classmethod
    async def of(cls, page: Page) -> "Work":
        """The work of a page."""
        session = await page.context.new_cdp_session(page)
        # The time of the thread, not of the clock: other tests run beside this one.
        await session.send("Performance.enable", {"timeDomain": "threadTicks"})
        work = cls(session, 0.0)
        work._before = await work.seconds()
        return work

    async def seconds(self) -> float:
        """How long its main thread was busy."""
        metrics = (await self._session.send("Performance.getMetrics"))["metrics"]
        return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration")) - self._before
