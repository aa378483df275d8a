"""`liarsdice play`, in a terminal and through a pipe, at a real server."""

import re
import signal
import subprocess
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest

from services.cli.main import main
from services.cli.play.chooser import Chooser, Seating, Wish
from services.cli.play.keyboard import Keyboard
from services.cli.play.screen import Screen
from services.cli.terminal import PipedConsole
from services.client import Client
from services.tables.lobby import Lobby
from tests.cli.terminals import ENVIRONMENT, Terminal, command, terminal
from tests.rpc.servers import Server, on_server
from tests.servers import SECONDS_MAX, ServerProcess, server_process

ASKED, OVER = "\n> ", "wins the game!"
# Whoever opens can't doubt, so the next line opens; whoever does not open doubts.
SCRIPT = "d\n1 2\n" * 200


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with server_process() as running:
        yield running


def play_to_the_end(player: Terminal) -> None:
    """Doubt everything, and open with the lowest bid where there is nothing to doubt."""
    for line in cycle(("d", "1x2")):
        if OVER in player.until(ASKED, OVER):
            return
        player.type(line)


def piped(server: ServerProcess, folder: Path, typed: str, *flags: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(server.address, folder, *flags),
        input=typed,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS_MAX,
    )


async def behind(*_: object) -> bool:
    """A list of tables that does not get everything in time."""
    return False


def test_the_list_of_tables_says_that_some_may_be_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def story(server: Server) -> None:
        monkeypatch.setattr(Lobby, "caught_up", behind)
        ann = await server.player("Ann")
        async with Client.connect(server.running.address, ann.token) as client:
            seating = Seating(own_chain=False, sign_moves=False)
            assert await Chooser(client, Screen(PipedConsole()), Keyboard(None), seating).table(Wish()) is None

    on_server(story)
    assert "Some tables may be missing: the server is still catching up." in capsys.readouterr().out


def test_a_person_plays_a_whole_game_against_bots_and_then_a_rematch(server: ServerProcess, tmp_path: Path) -> None:
    with terminal(server.address, tmp_path, "--name", "Ann", "--new", "--bots", "2") as player:
        play_to_the_end(player)
        player.until("Type r for a rematch")
        player.type("r")
        player.until("Your dice:")
        play_to_the_end(player)
        player.until("Type r for a rematch")
        player.type("q")

        assert player.process.wait(SECONDS_MAX) == 0
    assert "the cups are lifted" in player.shown
    assert "┌───────┐" in player.shown


@pytest.mark.parametrize("rulebook", ["bidding-track", "palafico"])
def test_a_script_plays_a_whole_game_through_a_pipe_without_colours(
    server: ServerProcess, tmp_path: Path, rulebook: str
) -> None:
    ran = piped(server, tmp_path, SCRIPT, "--new", "--bots", "1", "--rulebook", rulebook)

    assert ran.returncode == 0, ran.stderr
    assert OVER in ran.stdout
    assert "\x1b" not in ran.stdout


def test_a_bot_plays_a_seat_from_outside_and_needs_no_keyboard(server: ServerProcess, tmp_path: Path) -> None:
    ran = piped(server, tmp_path, "", "--new", "--bots", "2", "--rulebook", "pirates", "--auto", "calculating")

    assert ran.returncode == 0, ran.stderr
    assert OVER in ran.stdout
    assert re.search(r"\w+ (bids|doubts)", ran.stdout)


def test_play_goes_on_when_the_server_is_killed_and_started_again_in_the_middle_of_a_round(tmp_path: Path) -> None:
    with (
        server_process() as server,
        terminal(server.address, tmp_path, "--name", "Ann", "--new", "--bots", "1") as player,
    ):
        while "Your turn" not in player.until(ASKED):
            pass
        server.end()
        player.until("connection lost, trying again")
        server.start()
        player.until("connected again")
        player.until("Your turn")
        player.type("o")
        player.until("Odds are shown.")
        play_to_the_end(player)
        assert player.shown.count("connection lost, trying again") == 1


def test_a_bid_typed_while_the_server_is_away_is_made_once_it_is_back(tmp_path: Path) -> None:
    with (
        server_process() as server,
        terminal(server.address, tmp_path, "--name", "Ann", "--new", "--bots", "1") as player,
    ):
        while "Your turn" not in (told := player.until(ASKED)):
            pass
        server.end()
        player.until("connection lost, trying again")
        player.type("d" if "Bids so far" in told else "1 2")
        player.until("This is sent once it is back.")
        server.start()
        player.until(made := "Ann doubts it" if "Bids so far" in told else "Ann bids 1 x 2")
        assert player.shown.count(made) == 1


def test_who_leaves_keeps_the_seat_and_is_offered_it_again(server: ServerProcess, tmp_path: Path) -> None:
    with terminal(server.address, tmp_path, "--name", "Zoe", "--new", "--bots", "1") as player:
        player.until("Your turn")
        player.type("q")
        player.until("it stays yours")
        assert player.process.wait(SECONDS_MAX) == 0
    with terminal(server.address, tmp_path) as player:
        player.until("You are Zoe")
        player.until("  1  bidding-track: Zoe, Bot Ada (yours, bidding)")
        player.until(ASKED)
        player.type("1")
        player.until("Zoe: 5 dice, you", "Zoe: 4 dice, you")
        told = player.until("Your turn")

    assert told.count("Bids so far") <= 1


def test_an_interrupt_leaves_cleanly_and_the_seat_stays(server: ServerProcess, tmp_path: Path) -> None:
    with terminal(server.address, tmp_path, "--name", "Ann", "--new", "--bots", "1") as player:
        player.until("Your turn")
        player.process.send_signal(signal.SIGINT)
        player.until("You left.")

        assert player.process.wait(SECONDS_MAX) == 130
        assert "Traceback" not in player.shown


def test_two_people_find_each_other_at_a_table_and_a_third_looks_on(server: ServerProcess, tmp_path: Path) -> None:
    with terminal(server.address, tmp_path, "--name", "Ann") as ann:
        ann.until(ASKED)
        ann.type("n")
        ann.until("Which rulebook?")
        ann.type("palafico")
        ann.until("Who may sit down? Enter for everybody")
        ann.type("")
        ann.until("How many bots, 0 to 3?")
        ann.type("0")
        ann.until("How many seconds for each turn?")
        ann.type("600")
        game = re.search(r"Table (\w+), by palafico, 600 seconds a turn", ann.until("Wait for others"))
        assert game is not None
        with (
            terminal(server.address, tmp_path, "--name", "Bob", "--join", game[1]) as bob,
            terminal(server.address, tmp_path, "--name", "Cleo", "--watch", game[1]) as cleo,
        ):
            bob.until("Bob: 5 dice, you")
            cleo.until("Bob: 5 dice", "Bob sits down.")
            ann.until("Bob sits down.")
            ann.until("Type start to begin")
            ann.type("start")
            for player in (ann, bob):
                player.until("Your dice:")
            ann.type("f")
            ann.until("Type yes")
            ann.type("yes")
            for player in (bob, cleo):
                player.until("Ann gives up and is out.")
                player.until(f"Bob {OVER}")
            assert cleo.process.wait(SECONDS_MAX) == 0
            assert "Your" not in cleo.shown
            ann.until("Type r for a rematch")
            bob.until("Type r for a rematch")
            ann.type("r")
            bob.until("There is a rematch: type r to sit down there.")
            ann.until("Ann: 5 dice, you")
            bob.type("r")
            ann.until("Bob sits down.")
            bob.until("Bob: 5 dice, you")
            ann.type("start")
            told = ann.until("Your dice:")

    assert "leaves" not in told
    assert "sits down" not in told
    late = piped(server, tmp_path, "", "--watch", game[1])
    assert "The game is over: Bob has won." in late.stdout


def test_enter_tells_whose_turn_it_is(server: ServerProcess, tmp_path: Path) -> None:
    flags = (
        "--new",
        "--bots",
        "0",
        "--rulebook",
        "single-hand",
        "--option",
        "opener=0",
        "--option",
        "turn_seconds=none",
    )
    with terminal(server.address, tmp_path, "--name", "Ann", *flags) as ann:
        game = re.search(r"Table (\w+),", ann.until("Wait for others"))
        assert game is not None
        with (
            terminal(server.address, tmp_path, "--name", "Bob", "--join", game[1]) as bob,
            terminal(server.address, tmp_path, "--name", "Cleo", "--watch", game[1]) as cleo,
        ):
            cleo.until("Bob")
            cleo.type("")
            cleo.until("Waiting for the game to begin.")
            ann.until("Type start to begin")
            ann.type("start")
            ann.until("Your turn.")
            bob.until("Your dice:")
            ann.type("")
            ann.until("Your turn: bid.")
            for other in (bob, cleo):
                other.type("")
                other.until("Waiting for Ann to bid.")
            ann.type("2 3")
            for player in (ann, bob):
                player.until("Ann bids 2 x 3")
            ann.type("")
            ann.until("Waiting for Bob to bid or doubt.")


def test_a_private_table_has_a_clock_and_tells_how_to_invite_others(server: ServerProcess, tmp_path: Path) -> None:
    with terminal(server.address, tmp_path, "--name", "Ann", "--new", "--private") as ann:
        ann.until("120 seconds a turn")
        ann.until("Invite with: ")
        invitation = ann.until("\r\n").split()
        refused = piped(server, tmp_path, "", "--name", "Bob", "--join", invitation[1])
        assert refused.returncode == 2
        assert "this is not its invitation code" in refused.stderr

        with terminal(server.address, tmp_path, "--name", "Bob", *invitation) as bob:
            ann.until("Bob sits down.")
            bob.until("Ann: 5 dice")
            bob.until(ASKED)
            bob.type("leave")
            ann.until("Bob leaves the table.")


def test_what_is_half_typed_is_shown_again_below_what_happens_meanwhile(server: ServerProcess, tmp_path: Path) -> None:
    flags = (
        "--new",
        "--bots",
        "0",
        "--rulebook",
        "single-hand",
        "--option",
        "opener=0",
        "--option",
        "turn_seconds=600",
    )
    with terminal(server.address, tmp_path, "--name", "Ann", *flags) as ann:
        game = re.search(r"Table (\w+),", ann.until("Wait for others"))
        assert game is not None
        with terminal(server.address, tmp_path, "--name", "Bob", "--join", game[1]) as bob:
            ann.until("Type start to begin")
            ann.type("start")
            ann.until("Your turn.")
            ann.until(ASKED)
            ann.press(b"34\x7f ")
            ann.until("34\b \b ")
            bob.until("Your dice:")
            bob.type("q")
            told = ann.until("Bob has lost the connection, or left the terminal.\r\n> 3 ")
            ann.press(b"5\n")
            ann.until("Ann bids 3 x 5")

    assert told.endswith("\r\n> 3 ")


@pytest.mark.parametrize("ending", ["q", "\x04", "interrupt"])
def test_the_terminal_is_left_as_it_was_found(server: ServerProcess, tmp_path: Path, ending: str) -> None:
    with terminal(server.address, tmp_path, "--name", "Ann") as ann:
        before = ann.attributes
        ann.until(ASKED)
        during = ann.attributes
        if ending == "interrupt":
            ann.process.send_signal(signal.SIGINT)
        else:
            ann.press(ending.encode() + b"\n")
        ann.process.wait(SECONDS_MAX)
        after = ann.attributes

    assert during != before
    assert after == before


def test_a_private_table_can_be_made_and_joined_by_answering_questions(server: ServerProcess, tmp_path: Path) -> None:
    with (
        terminal(server.address, tmp_path, "--name", "Ann", "--rulebook", "pirates") as ann,
        terminal(server.address, tmp_path, "--name", "Bob") as bob,
    ):
        for line, question in (
            ("n", "Who may sit down?"),
            ("p", "How many bots, 0 to 3? Enter for 0."),
            ("", "clock."),
        ):
            ann.until(ASKED)
            ann.type(line)
            ann.until(question)
        ann.type("")
        ann.until("Invite with: ")
        invitation = ann.until("\r\n").strip()
        assert {"--join", "--code"} <= {*invitation.split()}
        for line, answer in (
            ("p", "What does the invitation say?"),
            ("nonsense", "That is no invitation"),
            ("p", "What does the invitation say?"),
            (invitation[:-3] + "xyz", "this is not its invitation code"),
            ("p", "What does the invitation say?"),
            (invitation, "Bob: 5 dice, you"),
        ):
            bob.until(ASKED)
            bob.type(line)
            bob.until(answer)
        ann.until("Bob sits down.")


def test_a_server_that_is_not_there_is_told_while_it_is_tried(tmp_path: Path) -> None:
    with terminal("127.0.0.1:1", tmp_path, "--name", "Ann") as ann:
        ann.until("Trying to reach the server at 127.0.0.1:1 ...")
        ann.until("liarsdice: the server at 127.0.0.1:1 does not answer: is it running, and are the address")
        assert ann.process.wait(SECONDS_MAX) == 2
        ann.until("\r\n")

    assert "failed to connect" not in ann.shown


def test_who_is_out_may_look_on_and_is_told_once_how_to_leave(server: ServerProcess, tmp_path: Path) -> None:
    with terminal(server.address, tmp_path, "--name", "Ann", "--new", "--bots", "2") as ann:
        ann.until("Your dice:")
        ann.type("f")
        ann.until("Type yes")
        ann.type("yes")
        ann.until("You are out. Look on for as long as you like; q leaves.")
        ann.until("wins the game!")

    assert ann.shown.count("You are out.") == 1


def test_nobody_is_invited_to_a_private_table_that_has_begun(server: ServerProcess, tmp_path: Path) -> None:
    with terminal(server.address, tmp_path, "--name", "Ann", "--new", "--bots", "1", "--private") as ann:
        ann.until("Your dice:")

        assert "Invite" not in ann.shown


def test_help_says_how_many_bots_there_are_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["play", "--help"])

    assert "(default: 2, or 0 with --private)" in " ".join(capsys.readouterr().out.split())


def test_more_bots_than_there_are_seats_are_refused_before_there_is_a_table(
    server: ServerProcess, tmp_path: Path
) -> None:
    refused = piped(server, tmp_path, "", "--name", "Max", "--new", "--rulebook", "pirates", "--bots", "4")
    listed = piped(server, tmp_path, "q\n", "--name", "Max")

    assert refused.returncode == 2
    assert "a table of pirates has room for 3 bots beside you, not for 4" in refused.stderr
    assert "Max" in listed.stdout
    assert "yours" not in listed.stdout


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--new", "--join", "x"), "only one of --new, --join and --watch can be meant"),
        (("--new", "--bots", "-1"), "--bots takes a number from 0 on"),
        (("--new", "--option", "colour=red"), "there is no option 'colour'"),
        (("--new",), "the server at 127.0.0.1:1 does not answer"),
        (("--tls-key", "x"), "--tls-certificate and --tls-key belong together"),
        (("--tls-ca", "nowhere.pem"), "can't read nowhere.pem"),
    ],
)
def test_what_cannot_be_played_is_told_in_a_sentence(
    flags: tuple[str, ...], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command("127.0.0.1:1", tmp_path, *flags)[3:]) == 2

    assert sentence in capsys.readouterr().err
