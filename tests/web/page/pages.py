"""Pages in a real browser, one for all tests of a process. Every page has to end without an error and without a request to others."""

import atexit
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Literal

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page

from tests.servers import SECONDS_MAX, run, shared_server
from tests.web.browsers import browser

_SHARED: list[Browser] = []
_LOCAL = ("data:", "blob:", "about:")
UNREACHABLE = ("net::ERR_", "503")
"""What browsers report by themselves while the server is away."""
Theme = Literal["light", "dark"]


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


@asynccontextmanager
async def new_visitor(
    *,
    width: int = 1280,
    height: int = 800,
    language: str = "en",
    theme: Theme = "light",
    still: bool = True,
    **more: Any,
) -> AsyncIterator[BrowserContext]:
    """Somebody without a past, who wants no motion if `still`. Pages of one visitor have the same player."""
    opened = await shared_browser()
    context = await opened.new_context(
        viewport={"width": width, "height": height},
        locale=language,
        color_scheme=theme,
        reduced_motion="reduce" if still else "no-preference",
        **more,
    )
    context.set_default_timeout(SECONDS_MAX * 1000)
    try:
        yield context
    finally:
        await context.close()


@asynccontextmanager
async def page_of(
    visitor: BrowserContext, url: str, path: str = "/", allowed: tuple[str, ...] = ()
) -> AsyncIterator[Page]:
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
