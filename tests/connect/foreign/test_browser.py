"""A real browser plays here, in a page of another origin."""

import asyncio
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from msgspec.structs import replace

from tests.connect.foreign.pages import Page
from tests.connect.foreign.programs import assert_without_gap, bundle, http_of, needs_node, program_folder
from tests.extent import cases
from tests.rpc.servers import Server, on_server
from tests.servers import SHARED_SETTINGS

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")
PROTOCOLS = cases(["connect json"], ["connect json", "connect protobuf", "grpc-web json", "grpc-web protobuf"])
FORMATS = cases(["text"], ["text", "binary"])
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
pytestmark = [needs_node, pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed here")]


@pytest.mark.at_length
def test_a_page_of_another_origin_plays_over_every_protocol_with_the_clients_of_both_makers(tmp_path: Path) -> None:
    page, folder = Page(), program_folder(tmp_path)

    async def story(server: Server) -> Any:
        async with page.shown(await bundle(folder, "browser.ts", "browser")):
            asked = urlencode({"server": http_of(server), "protocol": PROTOCOLS, "format": FORMATS}, doseq=True)
            return await told_in_browser(page, folder / "profile", f"{page.origin}/?{asked}")

    games = on_server(story, replace(SHARED_SETTINGS, cors_origins=(page.origin,)))

    assert isinstance(games, list), games
    protocols = [game.get("protocol") or f"grpc-web {game['format']}" for game in games]
    assert protocols == [*PROTOCOLS, *(f"grpc-web {name}" for name in FORMATS)]
    for game in games:
        assert game["winner"] in {0, 1}
        assert_without_gap(game["versions"])
    for game in games[len(PROTOCOLS) :]:
        assert game["reasons"] == [["NOT_FOUND", "NO_SUCH_GAME"]] * 2


async def told_in_browser(page: Page, profile: Path, address: str) -> Any:
    """What the page says."""
    quiet = asyncio.subprocess.DEVNULL
    browser = await asyncio.create_subprocess_exec(
        *(CHROMIUM, *FLAGS, f"--user-data-dir={profile}", address), stdout=quiet, stderr=quiet
    )
    telling, ending = asyncio.create_task(page.told()), asyncio.create_task(browser.wait())
    try:
        await asyncio.wait((telling, ending), return_when=asyncio.FIRST_COMPLETED)
        assert telling.done(), f"the browser ended with {browser.returncode}"
        return telling.result()
    finally:
        telling.cancel()
        with suppress(ProcessLookupError):
            browser.terminate()
        await ending
