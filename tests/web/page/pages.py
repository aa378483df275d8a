"""A page in a real browser, of which everything that must never happen is noted: errors, and requests to anybody else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Browser, Page


class Noted:
    """What must never happen."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.errors: list[str] = []
        self.outside: list[str] = []

    def follow(self, page: Page) -> None:
        """Note what happens on a page."""
        page.on("console", lambda said: self._console(said.type, said.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self._request(request.url))

    def _console(self, kind: str, text: str) -> None:
        # The browser itself reports answers that are no success; pages show these to their reader.
        if kind == "error" and not text.startswith("Failed to load resource"):
            self.errors.append(text)

    def _request(self, url: str) -> None:
        if not url.startswith((self._url, "data:", "blob:")):
            self.outside.append(url)


@asynccontextmanager
async def opened_page(opened: Browser, url: str, path: str = "/", **context: Any) -> AsyncIterator[Page]:
    """A page of the site at `url`. At the end, nothing that must never happen has happened."""
    noted = Noted(url)
    async with await opened.new_context(base_url=url, **context) as browsing:
        browsing.on("page", noted.follow)
        page = await browsing.new_page()
        await page.goto(path)
        yield page
    assert noted.errors == []
    assert noted.outside == []
