"""The examples and the page about the client library do what they say, at a real server."""

import asyncio
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.client import Client, Options, Span
from tests.client.players import play_to_the_end
from tests.servers import ROOT, SECONDS_MAX, ServerProcess, server_process

PAGE = ROOT / "docs" / "client" / "library.md"


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with server_process() as running:
        yield running


def ran(server: ServerProcess, name: str) -> str:
    """What an example prints."""
    example = [sys.executable, str(ROOT / "examples" / name), server.address]
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / 'proto' / 'gen'}"}
    return subprocess.run(
        example, env=environment, check=True, stdout=subprocess.PIPE, text=True, timeout=SECONDS_MAX
    ).stdout


def test_the_minimal_client_plays_a_whole_game(server: ServerProcess) -> None:
    assert re.fullmatch(r"(Minimal|Bot Ada|Bot Blaise) won after \d+ events\n", ran(server, "minimal_client.py"))


def test_a_bot_from_outside_plays_a_whole_game_by_itself(server: ServerProcess) -> None:
    assert re.fullmatch(r"1\. [\w ]+; 2\. [\w ]+\n", ran(server, "bot_client.py"))


def test_a_bot_from_outside_sits_down_with_others(server: ServerProcess) -> None:
    async def played() -> str:
        async with asyncio.timeout(SECONDS_MAX), Client.connect(server.address) as ann:
            await ann.register("Ann")
            table = await ann.create("palafico", options=Options(dice_each=2), seats=2)
            guest = asyncio.create_task(asyncio.to_thread(ran, server, "bot_client.py"))
            async for update in table.watch():
                if len(update.game.view.seats) == 2:
                    break
            await table.start()
            await play_to_the_end(table, "cautious", 1)
            return await guest

    assert {"Ann", "Outsider"} == set(re.findall(r"\d\. (\w+)", asyncio.run(played())))


def test_the_examples_are_as_short_as_they_say() -> None:
    lengths = {
        name: len((ROOT / "examples" / name).read_text().splitlines())
        for name in ("minimal_client.py", "bot_client.py")
    }

    assert lengths["minimal_client.py"] < 45
    assert lengths["bot_client.py"] < 60


BLOCKS: list[str] = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
NUMBERS = [block for block in BLOCKS if "client.statistics" in block]
CLUBS = [block for block in BLOCKS if "client.clubs" in block]


async def run_block(block: str, server: ServerProcess) -> None:
    """Run a block of the page. All but the first are parts of a program like the first, and import what they need."""
    names: dict[str, Any] = {"SERVER": server.address}
    exec(f"async def documented():\n{textwrap.indent(block, '    ')}", names)  # noqa: S102 - it is our own page
    await asyncio.wait_for(names["documented"](), SECONDS_MAX)


def test_the_first_program_of_the_documentation_runs_as_it_stands(server: ServerProcess) -> None:
    program = BLOCKS[0].replace("127.0.0.1:50051", server.address)
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / 'proto' / 'gen'}"}

    ran = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS_MAX,
    )

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1].endswith(" GameEnded")


@pytest.mark.parametrize("block", [block for block in BLOCKS[1:] if block not in (*NUMBERS, *CLUBS)])
def test_the_code_of_the_documentation_plays_a_game(
    block: str,
    server: ServerProcess,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)

    asyncio.run(run_block(block, server))

    assert capsys.readouterr().out.splitlines()[-1].endswith(" GameEnded")


def test_the_code_of_the_documentation_founds_a_club(server: ServerProcess, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = CLUBS
    asyncio.run(run_block(block, server))

    assert capsys.readouterr().out.splitlines()[-1].endswith(" [(1, 'Ann', 0)]")


def test_the_code_of_the_documentation_reads_statistics(
    server: ServerProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    async def played() -> None:
        async with Client.connect(server.address) as client:
            await client.register("Zoe")
            table = await client.create("single-hand", options=Options(dice_each=1))
            await table.add_bot("cautious")
            await table.start()
            await table.forfeit()
            while not (await client.statistics.leaderboard(Span(rulebook="single-hand"), kind="human")).entries:  # noqa: ASYNC110 - nothing tells when it is counted
                await asyncio.sleep(0.05)

    (block,) = NUMBERS
    asyncio.run(played())
    asyncio.run(run_block(block, server))

    assert re.search(r"^1 \w+ \d\.\d+ ", capsys.readouterr().out)
