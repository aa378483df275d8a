"""A real browser for tests: the Chromium of the system, where there is one."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser, async_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed here")


@asynccontextmanager
async def browser() -> AsyncIterator[Browser]:
    """A browser without a past."""
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(_FLAGS))
        try:
            yield opened
        finally:
            await opened.close()
