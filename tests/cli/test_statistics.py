"""`liarsdice statistics` at a real server."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args
from urllib.request import urlopen

import pytest

from domain.statistics.answers import Grouping
from services.cli.main import main
from tests.cli.test_replay import run
from tests.servers import ServerProcess, server_process

TRIES_MAX = 5


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with server_process(http=True) as running:
        yield running


@pytest.fixture(scope="module")
def folder(server: ServerProcess, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the tokens of an Ann are who has played a game that is counted, and in which somebody doubted a bid of hers."""
    for _ in range(TRIES_MAX):
        folder = tmp_path_factory.mktemp("ann")
        ran = run(server, folder, "--name", "Ann", "--new", "--bots", "2", "--auto", "calculating", name="play")
        assert ran.returncode == 0, ran.stderr
        while "1 rated games" not in (own := run(server, folder, name="statistics").stdout):
            time.sleep(0.1)
        if "Calibration" in own:
            break
    return folder


def printed(server: ServerProcess, folder: Path, *flags: str) -> str:
    ran = run(server, folder, *flags, name="statistics")
    assert ran.returncode == 0, ran.stderr
    assert "\x1b" not in ran.stdout
    return ran.stdout


def test_the_own_numbers_are_printed_each_with_its_count_and_interval(server: ServerProcess, folder: Path) -> None:
    own = printed(server, folder)

    assert own.startswith("Ann ")
    assert "all books: 1 games, 0 for practice, 0 abandoned" in own
    assert re.search(r"games won +(0|100)\.0 % +\d+\.\d % to \d+\.\d % +[01] of 1", own)
    assert re.search(r"rating +\d+\.\d +±\d+\.\d \(3 sigma\) +1 rated games", own)
    assert re.search(r"best decisions +\d+\.\d % +\d+\.\d % to \d+\.\d % +\d+ of \d+", own)
    assert re.search(r"strength of hands \(dice luck\) +\d+ for \d+\.\d +\d+\.\d to \d+\.\d +\d+", own)
    assert "Calibration" in own
    assert re.search(r"below [\d.]+ s +\d+ moves", own)
    assert "0 games" in printed(server, folder, "--since", "2100-01-01")


def test_a_leaderboard_and_two_players_are_printed(server: ServerProcess, folder: Path, tmp_path: Path) -> None:
    ranked = printed(server, folder, "--leaderboard", "decisions")
    people = printed(server, tmp_path, "--leaderboard", "games", "--kind", "human")
    found = re.search(r"Ann +(\S+)", people)
    assert found is not None
    compared = printed(server, tmp_path, found[1], "--against", "bot.calculating")

    assert re.search(r"1 +\w+", ranked)
    assert "bot.calculating" in ranked
    assert "bot.calculating" not in people
    assert "Nobody has played such games yet." in printed(server, folder, "--leaderboard", "--until", "1990-01-01")
    practice = printed(server, folder, "--leaderboard", "wins", "--played", "practice")
    assert "Nobody has played such games yet." in practice
    assert re.search(r"games together +2", compared), "once with each of the two bots"


def test_who_only_looks_at_numbers_does_not_become_a_player(server: ServerProcess, tmp_path: Path) -> None:
    nobody = run(server, tmp_path, name="statistics")

    assert nobody.returncode == 2
    assert "does not know you yet" in nobody.stderr
    printed(server, tmp_path, "bot.calculating")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["ann", "--leaderboard"], "leave PLAYER or --leaderboard out"),
        (["--leaderboard", "--played", "practice"], "only ended games are rated"),
        (["--leaderboard", "--size", "101"], "--size takes 1 to 100"),
        (["ann", "--matrix", "bob", "cleo"], "a matrix is not about one player"),
        (["ann", "--games"], "leave PLAYER or --games out"),
        (["ann", "--since", "2026-01-02", "--until", "2026-01-02"], "--until must be later than --since"),
        (["ann", "--kind", "human"], "say --leaderboard too"),
        (["ann", "--by", "week", "--games-min", "3"], "say --leaderboard too"),
        (["ann", "--by", "week", "--size", "3"], "say --leaderboard or --decisions too"),
    ],
)
def test_flags_that_make_no_sense_are_refused(
    flags: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["statistics", *flags]) == 2
    assert sentence in capsys.readouterr().err


def test_every_answer_as_json_is_that_of_http(server: ServerProcess, folder: Path) -> None:
    own = json.loads(printed(server, folder, "--json"))
    player = own["player_id"]
    asked = {
        f"players/{player}/statistics?since=2020-01-01": (player, "--since", "2020-01-01"),
        "leaderboards?measure=wins&page_size=1": ("--leaderboard", "wins", "--size", "1"),
        f"head-to-head?player={player}&other=bot.calculating": (player, "--against", "bot.calculating"),
        "statistics/games?by=players": ("--games", "players"),
        f"matrix?players={player},bot.calculating": ("--matrix", player, "bot.calculating"),
    }

    assert own["games"] == 1
    for path, flags in asked.items():
        with urlopen(f"http://{server.http}/api/v1/{path}") as answer:
            assert without_time(json.loads(printed(server, folder, *flags, "--json"))) == without_time(
                json.load(answer)
            )
    listed = json.loads(run(server, folder, "--list", "--size", "1", "--json").stdout)
    with urlopen(f"http://{server.http}/api/v1/games?page_size=1") as answer:
        told = json.load(answer)
    # A page token is bound to the list that it came from, and each door has a list of its own.
    assert bool(listed.pop("next_page_token")) == bool(told.pop("next_page_token"))
    assert without_time(listed) == without_time(told)


@pytest.mark.parametrize("by", get_args(Grouping))
def test_groups_are_printed_and_told_as_http_tells_them(by: str, server: ServerProcess, folder: Path) -> None:
    told = json.loads(printed(server, folder, "--by", by, "--json"))
    assert told.pop("freshness")["complete"]
    with urlopen(f"http://{server.http}/api/v1/players/{told['player_id']}/groups?by={by}") as answer:
        groups = json.load(answer)["groups"]
    assert told == {"player_id": told["player_id"], "by": by, "groups": groups}
    assert groups

    table = printed(server, folder, "--by", by)
    assert all(re.search(rf"^ *{one['group']} +{one['games']} ", table, re.MULTILINE) for one in groups)


def test_decisions_are_printed_the_worst_first(server: ServerProcess, folder: Path) -> None:
    told = json.loads(printed(server, folder, "--decisions", "worst", "--size", "1000", "--json"))
    path = f"players/{told['player_id']}/decisions?order=worst&page_size=100"
    with urlopen(f"http://{server.http}/api/v1/{path}") as answer:
        listed = json.load(answer)["decisions"]
    assert told["decisions"][:100] == listed
    regrets = [one["regret"] for one in told["decisions"]]
    assert regrets == sorted(regrets, reverse=True)

    lines = printed(server, folder, "--decisions", "worst", "--size", "2").splitlines()
    assert sum(listed[0]["game_id"] in line for line in lines) == 2
    assert f"{100 * regrets[0]:.1f} %" in "\n".join(lines)
    nothing = printed(server, folder, "--decisions", "--until", "1990-01-01")
    assert "There is nothing to show of such games yet." in nothing


def test_everybody_against_everybody_is_printed(server: ServerProcess, folder: Path) -> None:
    own = json.loads(printed(server, folder, "--json"))["player_id"]
    table = printed(server, folder, "--matrix", own, "bot.calculating")
    assert re.search(rf"{own} +(0|50|100)\.0 % of 2", table), "once with each of the two bots"


def without_time(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without the time of its freshness, which complete answers over HTTP leave out for the sake of caches."""
    assert answer["freshness"].pop("caught_up_to", None) is None or answer["freshness"]["complete"]
    return answer


def test_decisions_are_exported_as_the_server_has_them_and_with_a_state_only_new_ones(
    server: ServerProcess, folder: Path, tmp_path: Path
) -> None:
    state, out = ("--state", str(tmp_path / "state")), tmp_path / "out"

    def exported(*flags: str) -> bytes:
        ran = run(server, folder, "--decisions", "--out", str(out), *flags, name="export")
        assert ran.returncode == 0, ran.stderr
        return out.read_bytes()

    def served(path: str) -> bytes:
        with urlopen(f"http://{server.http}/api/v1/{path}") as answer:
            return bytes(answer.read())

    of_bot = ("--player", "bot.calculating", "--order", "worst", "--action", "bid")
    path = "players/bot.calculating/decisions/export?order=worst&action=bid"
    assert exported(*of_bot, *state) == served(path)
    assert exported(*of_bot, "--format", "csv") == served(f"{path}&format=csv")
    assert exported(*of_bot, *state) == b""
    game_id = json.loads(served("players/bot.calculating/decisions/export").splitlines()[0])["game_id"]
    assert exported("--game", game_id) == served(f"games/{game_id}/decisions/export")


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (("--decisions",), "needs either --player or --game"),
        (("--decisions", "--player", "a", "--format", "notation"), "and not as notation"),
        (("--decisions", "--game", "a", "--order", "worst"), "--order is about the decisions of a player"),
        (("--action", "bid"), "say --decisions too"),
        (("--no-bluffs",), "--bluffs is about decisions"),
    ],
)
def test_flags_of_an_export_that_do_not_fit_together_are_refused(
    flags: tuple[str, ...], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", *flags]) != 0
    assert problem in capsys.readouterr().err


def test_how_games_go_is_printed_and_luck_beside_groups_of_whole_games(server: ServerProcess, folder: Path) -> None:
    games = printed(server, folder, "--games")

    assert "opener won" in games
    # Tests that ran before on this server have played games too.
    assert re.search(r"[\w-]+ +\d+ +\d+\.\d +\d+\.\d +\d+\.\d +\d+\.\d % +33\.3 % +\d", games)
    assert re.search(r"luck\n", re.sub(r" +\n", "\n", printed(server, folder, "--by", "game")))
    assert "luck" not in printed(server, folder, "--by", "dice_left")
