"""`liarsdice replay`, in a terminal and through a pipe, at a real server."""

import asyncio
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.cli.main import main
from services.cli.replay.pressed_keys import Keys
from services.client import Client
from tests.cli.terminals import ENVIRONMENT, command, terminal
from tests.servers import SECONDS_MAX, ServerProcess, server_process

LEFT, RIGHT, UP, DOWN = b"\x1b[D", b"\x1b[C", b"\x1b[A", b"\x1bOB"


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with server_process() as running:
        yield running


@pytest.fixture(scope="module")
def played(server: ServerProcess, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with the tokens of Ann, and a game that she has played there."""
    folder = tmp_path_factory.mktemp("ann")
    ran = run(server, folder, "--name", "Ann", "--new", "--bots", "2", "--auto", "calculating", name="play")
    assert ran.returncode == 0, ran.stderr
    found = re.search(r"Table (\S+), by", ran.stdout)
    assert found is not None
    return folder, found[1]


def run(server: ServerProcess, folder: Path, *flags: str, name: str = "replay") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(server.address, folder, *flags, name=name),
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS_MAX,
    )


def test_through_a_pipe_each_step_is_a_line_with_the_odds_of_the_standing_bid(
    server: ServerProcess, played: tuple[Path, str]
) -> None:
    folder, game_id = played
    own, everything = run(server, folder, game_id), run(server, folder, game_id, "--everything")

    assert own.returncode == everything.returncode == 0, own.stderr + everything.stderr
    lines = own.stdout.splitlines()
    assert [int(line.split()[0]) for line in lines] == list(range(1, len(lines) + 1))
    assert "\x1b" not in own.stdout
    assert lines[-1].endswith("wins the game!")
    assert re.search(r"The dice fall: Ann( [0-9a-z]+){5}\.", own.stdout)
    assert re.search(
        r"The dice fall: Ann( [0-9a-z]+){5}, Bot \w+( [0-9a-z]+){5}, Bot \w+( [0-9a-z]+){5}\.", everything.stdout
    )
    assert re.search(r"\w+ bids \d+ x \w+\.   \(Ann \d+%, by what is public \d+%\)", own.stdout)
    assert re.search(
        r"\w+ bids \d+ x \w+\.   \(Ann \d+%, Bot \w+ \d+%, Bot \w+ \d+%, by what is public \d+%\)", everything.stdout
    )
    assert re.search(r"The cups are lifted: Ann", own.stdout)
    assert len(everything.stdout.splitlines()) == len(lines)


def test_a_single_step_is_printed_as_the_table_that_a_seat_saw(server: ServerProcess, played: tuple[Path, str]) -> None:
    folder, game_id = played
    lines = run(server, folder, game_id).stdout.splitlines()
    number = next(line.split()[0] for line in lines if " bids " in line)
    seen = {seat: run(server, folder, game_id, "--step", number, "--seat", seat) for seat in ("0", "1")}

    for printed in seen.values():
        assert printed.returncode == 0, printed.stderr
        assert f"step {number} of {len(lines)}" in printed.stdout
        assert "Bids so far: " in printed.stdout
        assert re.search(r"The standing bid holds: [\w ]+ \d+%, by what is public \d+%\.", printed.stdout)
    assert "The standing bid holds: Ann" in seen["0"].stdout
    assert "The standing bid holds: Ann" not in seen["1"].stdout
    assert "Nothing has happened yet." in run(server, folder, game_id, "--step", "0").stdout


def test_a_practice_game_is_called_one_above_its_steps(server: ServerProcess, played: tuple[Path, str]) -> None:
    folder, game_id = played

    async def forked() -> str:
        async with Client.connect(server.address) as client:
            await client.register("Eve")
            table = await client.table(game_id).fork(9, 0)
            await table.forfeit()
            return table.game_id

    practice = asyncio.run(forked())
    whole, step = run(server, folder, practice), run(server, folder, practice, "--step", "3")

    assert whole.returncode == step.returncode == 0, whole.stderr + step.stderr
    said = rf"A practice game, with the dice and bids of game {re.escape(game_id)} up to its step \d+\."
    assert re.fullmatch(said, whole.stdout.splitlines()[0])
    assert re.fullmatch(said, step.stdout.splitlines()[1])
    assert "practice" not in run(server, folder, game_id).stdout


def test_past_games_are_listed(server: ServerProcess, played: tuple[Path, str]) -> None:
    folder, game_id = played
    listed = run(server, folder, "--list")

    assert listed.returncode == 0, listed.stderr
    assert re.search(
        rf"{game_id}  \d{{4}}-\d\d-\d\d \d\d:\d\d  [\w-]+: Ann, Bot \w+, Bot \w+ \([\w ]+ won\)", listed.stdout
    )


def test_what_is_not_there_is_told_in_one_sentence(
    server: ServerProcess, played: tuple[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, game_id = played
    for flags in ((game_id, "--step", "99999"), (game_id, "--seat", "7"), ("nothing",)):
        ran = run(server, folder, *flags)
        assert ran.returncode == 2
        assert len(ran.stderr.splitlines()) == 1
        assert "Traceback" not in ran.stderr
    assert main(["replay"]) == 2
    assert main(["replay", "a", "--list"]) == 2
    assert main(["replay", "a", "--speed", "0"]) == 2
    assert "name a game, or say --list" in capsys.readouterr().err


def test_in_a_terminal_a_person_steers_the_replay_with_keys(server: ServerProcess, played: tuple[Path, str]) -> None:
    folder, game_id = played
    with terminal(server.address, folder, game_id, "--everything", "--wait", "3600", name="replay") as shown:
        shown.until("step 1 of ")
        shown.press(b" ")
        shown.until("paused")
        shown.press(RIGHT)
        shown.until(", paused")
        shown.press(b"x" + UP)
        shown.press(b" ")
        shown.until("speed 2")
        shown.press(DOWN)
        shown.until("speed 1")
        shown.press(LEFT)
        shown.until(", paused")
        shown.press(b"q")

        assert shown.process.wait(SECONDS_MAX) == 0
    assert "space: pause and go on" in shown.shown
    assert "Traceback" not in shown.shown


def test_at_full_speed_the_game_is_shown_to_its_end_and_can_be_looked_at_backwards(
    server: ServerProcess, played: tuple[Path, str]
) -> None:
    folder, game_id = played
    with terminal(server.address, folder, game_id, "--wait", "0", name="replay") as shown:
        shown.until("the end")
        assert "wins the game!" in shown.until("q: quit")
        shown.press(LEFT + LEFT)
        shown.until("paused")
        shown.press(b"q")

        assert shown.process.wait(SECONDS_MAX) == 0


def test_keys_that_come_in_pieces_or_mean_nothing_are_understood() -> None:
    keys = Keys()
    for piece in (b"\x1b", b"[", b"C", b"?", b"\x1b[9", b" q"):
        keys.typed(piece)
    pressed = [keys._pressed.get_nowait() for _ in range(keys._pressed.qsize())]  # noqa: SLF001 - without a loop

    assert pressed == ["forward", "pause", "quit"]
