"""`liarsdice play` with a chain of the player's own, which outlives the program."""

import asyncio
import re
import signal
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from liarsdice.v1 import game_pb2

from domain.fairness.findings import Findings
from services.cli.main import main
from services.client import Client, TokenFile
from tests.cli.play.test_playing import ASKED, OVER, SCRIPT, piped, play_to_the_end
from tests.cli.terminals import ENVIRONMENT, command, terminal
from tests.client.liars import Liar
from tests.servers import SECONDS_MAX, ServerProcess, server_process


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with server_process() as running:
        yield running


async def checked(server: ServerProcess, folder: Path, game_id: str) -> Findings:
    token = TokenFile(folder / "tokens.json").token(server.address)
    async with Client.connect(server.address, token) as client:
        return await client.table(game_id).check_dice()


def seats(folder: Path) -> list[Path]:
    return list((folder / "seats").glob("*.seat"))


def game_in(shown: str) -> str:
    found = re.search(r"Table (\w+),", shown)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("flags", [(), ("--sign",), ("--server-rolls",)])
def test_a_game_is_played_with_a_chain_of_ones_own_unless_the_server_is_to_roll(
    flags: tuple[str, ...], server: ServerProcess, tmp_path: Path
) -> None:
    ran = piped(server, tmp_path, SCRIPT, "--new", "--bots", "1", "--rulebook", "bidding-track", *flags)

    assert ran.returncode == 0, ran.stderr
    findings = asyncio.run(checked(server, tmp_path, game_in(ran.stdout)))
    own = "--server-rolls" not in flags
    assert (0 not in findings.held_by_server) == own
    assert ("Dice proven: all" in ran.stdout) == own
    assert not seats(tmp_path), "a game that is over is forgotten"


def test_a_player_who_is_killed_in_the_middle_of_a_round_plays_on(server: ServerProcess, tmp_path: Path) -> None:
    with terminal(server.address, tmp_path, "--name", "Ann", "--new", "--bots", "1", "--sign") as player:
        player.until("Your turn")
        game_id = game_in(player.shown)
        (kept,) = seats(tmp_path)
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
        player.process.send_signal(signal.SIGKILL)
        player.process.wait(SECONDS_MAX)
    with terminal(server.address, tmp_path, "--join", game_id) as player:
        player.until("Your turn")
        play_to_the_end(player)
        assert "Dice proven: all" in player.shown
    assert not asyncio.run(checked(server, tmp_path, game_id)).failures


def test_who_sat_down_elsewhere_is_told_that_the_seat_cannot_roll_here(server: ServerProcess, tmp_path: Path) -> None:
    flags = ("--new", "--bots", "1", "--rulebook", "single-hand", "--option", "opener=0")
    with terminal(server.address, tmp_path, "--name", "Ann", *flags) as player:
        player.until("Your turn")
        game_id = game_in(player.shown)
        player.type("q")
        player.process.wait(SECONDS_MAX)
    (kept,) = seats(tmp_path)
    kept.rename(tmp_path / kept.name)
    with terminal(server.address, tmp_path, "--join", game_id) as player:
        player.until("Your turn")
        player.until(ASKED)
        player.type("50 2")
        player.until("a chain that is not kept here")
        player.type("q")
        player.process.wait(SECONDS_MAX)
    (tmp_path / kept.name).rename(kept)
    with terminal(server.address, tmp_path, "--join", game_id) as player:
        player.until("Your dice:", "Your turn")


def test_a_spoiled_file_of_a_seat_is_told_in_a_sentence(server: ServerProcess, tmp_path: Path) -> None:
    with terminal(server.address, tmp_path, "--name", "Ann", "--new", "--bots", "1") as player:
        player.until("Your turn")
        game_id = game_in(player.shown)
    (kept,) = seats(tmp_path)
    kept.write_text("nothing")

    ran = piped(server, tmp_path, SCRIPT, "--join", game_id)

    assert ran.returncode == 2
    assert "not a valid file of a seat's secrets" in ran.stderr


def test_a_false_server_is_told_in_a_sentence(server: ServerProcess, tmp_path: Path) -> None:
    def too_high(game: game_pb2.Game, _events: Any) -> None:
        game.link_number += 7

    async def story() -> tuple[int | None, bytes]:
        async with asyncio.timeout(SECONDS_MAX), Liar.before(server.address) as liar:
            liar.lie = too_high
            playing = await asyncio.create_subprocess_exec(
                *command(liar.address, tmp_path, "--new", "--auto", "cautious"),
                env=ENVIRONMENT,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
            )
            _, told = await playing.communicate()
            assert not liar.links
            return playing.returncode, told

    code, told = asyncio.run(story())

    assert code == 2
    assert b"the server is false in game" in told


def test_who_signs_keeps_the_chain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command("127.0.0.1:1", tmp_path, "--sign", "--server-rolls")[3:]) == 2

    assert "--sign needs a chain of your own" in capsys.readouterr().err


def test_the_rematch_has_a_chain_of_ones_own_too(server: ServerProcess, tmp_path: Path) -> None:
    with terminal(server.address, tmp_path, "--name", "Ann", "--new", "--bots", "1") as player:
        play_to_the_end(player)
        player.until("Type r for a rematch")
        player.type("r")
        player.until("Your dice:")
        assert len(seats(tmp_path)) == 1
        play_to_the_end(player)
        assert OVER in player.shown
