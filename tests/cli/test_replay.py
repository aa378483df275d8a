"""`liarsdice replay`, in a terminal and through a pipe, at a real server."""

import asyncio
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.cli.main import main
from services.cli.replay.pressed_keys import Jump, Key, Keys
from services.client import Client
from tests.cli.terminals import ENVIRONMENT, command, terminal
from tests.servers import SECONDS_MAX, ServerProcess, server_process

LEFT, RIGHT, UP, DOWN = b"\x1b[D", b"\x1b[C", b"\x1b[A", b"\x1bOB"
PAGE_UP, PAGE_DOWN, HOME, END = b"\x1b[5~", b"\x1b[6~", b"\x1b[H", b"\x1bOF"


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
        rf"Ann, Bot \w+, Bot \w+ +[\w ]+ won +[\w-]+ +\d+ +\d{{4}}-\d\d-\d\d \d\d:\d\d +{game_id}", listed.stdout
    )


def test_listed_games_are_chosen_by_flags(server: ServerProcess, played: tuple[Path, str]) -> None:
    folder, game_id = played
    own = run(server, folder, "--list", "--mine", "--result", "ended", "--since", "2020-01-01").stdout
    player = json.loads(run(server, folder, "--json", name="statistics").stdout)["player_id"]

    assert game_id in own
    assert game_id in run(server, folder, "--list", "--player", player).stdout
    for flags in (("--until", "2020-01-01"), ("--result", "abandoned"), ("--rulebook", "pirates")):
        assert run(server, folder, "--list", *flags).stdout == "No such games.\n"
    assert "No player with the id bob is known" in run(server, folder, "--list", "--player", "bob").stderr
    assert run(server, folder, "--list", "--page", "9").stdout == "The list has no such page.\n"


def test_the_list_has_pages_for_people_and_programs(server: ServerProcess, played: tuple[Path, str]) -> None:
    folder, _ = played
    again = run(server, folder, "--new", "--bots", "1", "--auto", "cautious", "--rulebook", "palafico", name="play")
    assert again.returncode == 0, again.stderr
    both, first, second = (
        json.loads(run(server, folder, "--list", "--json", "--size", size, "--page", page).stdout)
        for size, page in (("2", "1"), ("1", "1"), ("1", "2"))
    )

    assert first["games"] + second["games"] == both["games"]
    assert both["games"][0]["rulebook"] == "palafico"
    assert first["next_page_token"]
    assert "There are more: --page 2 shows the next." in run(server, folder, "--list", "--size", "1").stdout


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
    assert main(["replay", "a", "--mine", "--page", "2"]) == 2
    assert main(["replay", "--list", "--mine", "--player", "ann"]) == 2
    assert main(["replay", "--list", "--size", "101"]) == 2
    told = capsys.readouterr().err
    assert "name a game, or say --list" in told
    assert "--mine, --page: only with --list" in told
    assert "--size takes 1 to 100" in told


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


def test_in_a_terminal_a_person_jumps_to_rounds_challenges_and_steps(
    server: ServerProcess, played: tuple[Path, str]
) -> None:
    folder, game_id = played
    lines = run(server, folder, game_id).stdout.splitlines()
    rounds = [place for place, line in enumerate(lines, 1) if re.search(r"Round \d+ begins", line)]
    challenges = [place for place, line in enumerate(lines, 1) if " doubts " in line]
    ways: list[tuple[bytes, int]] = [
        (b"r 2\r", rounds[1]),
        (b"c", challenges[1]),
        (b"C", challenges[0]),
        (PAGE_DOWN, rounds[1]),
        (PAGE_UP, rounds[0]),
        (b"g4\x7f12\n", 12),
        (END, len(lines)),
        (HOME, 1),
    ]
    with terminal(server.address, folder, game_id, "--wait", "3600", name="replay") as shown:
        shown.until("step 1 of ", "speed 1")
        for keys, step in ways:
            shown.press(keys)
            shown.until(f"step {step} of {len(lines)}, ")
        shown.press(b"r9")
        shown.until("Go to round 9")
        shown.press(b"9\r")
        shown.until(f"The rounds are 1 to {len(rounds)}.")
        shown.press(b"g0\r")
        shown.until(f"The steps are 1 to {len(lines)}.")
        shown.press(b"C")
        shown.until("No challenge came before.")
        shown.press(b"?")
        shown.until("hide this help")
        shown.press(b"?" + b"g" + b"\x04")

        assert shown.process.wait(SECONDS_MAX) == 0
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
    for piece in (b"\x1b", b"[", b"C", b"z", b"\x1b[1;5C", b"\x1bOP", b"\x1b[3~", b"\x1b[9", b" q"):
        keys.typed(piece)

    assert pressed(keys) == ["forward", "pause", "quit"]


def test_a_number_is_typed_to_its_end_and_can_be_mended_or_left() -> None:
    keys = Keys()
    keys.typed(b"r 1")
    half_typed = keys.half_typed
    keys.typed(b"\x7f5q\n")
    keys.typed(b"g7\x1b[C")
    keys.typed(b"r\x7f")
    keys.typed(b"g\n")

    assert (half_typed, keys.half_typed) == ("Go to round 1", None)
    assert [key for key in pressed(keys) if key != "typing"] == [Jump("round", 5), "forward"]


def pressed(keys: Keys) -> list[Key | Jump]:
    return [keys._pressed.get_nowait() for _ in range(keys._pressed.qsize())]  # noqa: SLF001 - without a loop
