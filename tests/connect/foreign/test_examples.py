"""The examples for shells and for game engines play whole games."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from tests.client.proxies import Proxy
from tests.connect.foreign.programs import BOOKS, ROOT, http_of, output
from tests.rpc.servers import Server, on_server

GODOT = shutil.which("godot3-server") or shutil.which("godot3") or ""
needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed here")
needs_godot = pytest.mark.skipif(not GODOT, reason="Godot 3 is not installed here")


@needs_curl
def test_a_shell_with_curl_plays_a_whole_game_of_every_book() -> None:
    async def story(server: Server) -> list[tuple[int | None, str]]:
        script = str(ROOT / "examples" / "curl" / "play.sh")
        return await asyncio.gather(*(output(ROOT, "sh", script, http_of(server), book) for book in BOOKS))

    for code, written in on_server(story):
        assert code == 0, written
        assert written.startswith("playing ")
        assert " and bid " in written
        assert written.splitlines()[-1] in {"seat 0 wins", "seat 1 wins"}


@needs_curl
def test_a_shell_with_curl_prints_why_it_is_refused() -> None:
    async def story(server: Server) -> tuple[int | None, str]:
        script = str(ROOT / "examples" / "curl" / "play.sh")
        return await output(ROOT, "sh", script, http_of(server), "no-such-book")

    code, written = on_server(story)

    assert code != 0
    assert 'GameService/CreateGame: {"code":"invalid_argument",' in written
    assert '"reason":"NO_SUCH_RULEBOOK"' in written


@needs_godot
def test_a_project_of_godot_plays_every_book(tmp_path: Path) -> None:
    async def story(server: Server) -> list[tuple[int | None, str]]:
        games = [played_by_godot(tmp_path / book, http_of(server), book) for book in BOOKS]
        return await asyncio.gather(*games)

    for code, written in on_server(story):
        assert code == 0, written
        assert "Round 2" in written
        assert "  Godot bids " in written
        assert written.rstrip().endswith(" wins")


@needs_godot
def test_a_project_of_godot_goes_on_after_its_connections_broke(tmp_path: Path) -> None:
    async def story(server: Server) -> tuple[int | None, str]:
        async with Proxy.to(http_of(server).removeprefix("http://")) as proxy:
            playing = asyncio.create_task(played_by_godot(tmp_path / "broken", f"http://{proxy.address}", "palafico"))
            for connections in (6, 8):  # Five set up the game and follow it, each further one is a command.
                while proxy.connections < connections:  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.005)
                assert not playing.done()
                proxy.cut()
            return await playing

    code, written = on_server(story)

    assert code == 0, written
    rounds = [line for line in written.splitlines() if line.startswith("Round ")]
    assert rounds == [f"Round {number}" for number in range(1, len(rounds) + 1)], "none twice, none left out"
    assert written.rstrip().endswith(" wins")


async def played_by_godot(folder: Path, url: str, book: str) -> tuple[int | None, str]:
    """What Godot prints. It writes into its project and its home, so it gets both."""
    shutil.copytree(ROOT / "examples" / "godot", folder)
    environment = {**os.environ, "HOME": str(folder), "LIARSDICE_URL": url, "LIARSDICE_RULEBOOK": book}
    program = await asyncio.create_subprocess_exec(
        *(GODOT, "--no-window", "--path", str(folder)),
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    written, _ = await program.communicate()
    return program.returncode, written.decode()
