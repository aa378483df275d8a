"""Commands that read a server wait until its read models have caught up, or fail, and never leave games out silently."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.postgres.players import PlayerStore
from services.access.identity import token_hash
from services.cli.main import FAILED, main
from services.client import Client, TokenFile
from tests.archive.stored import Made, store
from tests.cli.terminals import terminal
from tests.infra.postgres.databases import folder_for_a_server, new_database
from tests.projector.models import Models, on_models
from tests.projector.test_projector import Poisoned
from tests.servers import ServerProcess

TOKEN = "lqd_" + "d" * 43
GAMES = [Made(game_id=f"game-{number}", players=("ann", "bob"), ended_at=1_000_000 * number) for number in (1, 2, 3)]
READS = {
    "export": ["export", "--out", "games.ndjson"],
    "leaderboard": ["statistics", "--leaderboard"],
    "player": ["statistics", "bot.cautious"],
    "comparison": ["statistics", "bot.cautious", "--against", "bot.bluffing"],
    "groups": ["statistics", "bot.cautious", "--by", "week"],
    "decisions": ["statistics", "bot.cautious", "--decisions"],
    "list": ["replay", "--list"],
    "report": ["report", "bot.cautious", "--out", "-"],
    "collusion": ["collusion", "bot.cautious", "bot.bluffing"],
    "clubs": ["club", "list"],
    "table": ["club", "table", "{club}"],
    "attendance": ["club", "attendance", "{club}"],
    "games of a club": ["club", "export", "{club}"],
}


@pytest.fixture(scope="module")
def behind() -> Iterator[ServerProcess]:
    """A server whose read models nobody keeps, on a store with games."""
    url = new_database(lanes=1)
    on_models(url, lambda models: store(models, GAMES))

    with folder_for_a_server() as folder:
        running = ServerProcess(url, folder, 0.0, "--no-http", "--no-projector")
        try:
            yield running
        finally:
            running.end()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder and the home of those who call."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


@pytest.fixture(scope="module")
def club(behind: ServerProcess) -> str:
    """The id of a club of Dot, who may audit too. Lists know that they lack it."""

    async def founded() -> str:
        players = await PlayerStore.open(url_of(behind))
        await players.add("dot", "Dot", token_hash(TOKEN), ("player", "auditor"))
        await players.close()
        async with Client.connect(behind.address, TOKEN) as client:
            found = await client.clubs.found("Thursday")
            while (await client.past.freshness()).of("clubs").freshness.complete:  # noqa: ASYNC110 - nobody tells when
                await asyncio.sleep(0.1)
            return found.club.club_id

    return asyncio.run(founded())


def of(server: ServerProcess) -> list[str]:
    """The flags of a call to a server, which is one of Dot."""
    TokenFile(Path("tokens.json")).keep(server.address, "Dot", TOKEN)
    return ["--server", server.address, "--token-file", "tokens.json"]


def url_of(server: ServerProcess) -> str:
    return server.environment["DATABASE_URL"]


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_command_that_may_not_wait_fails_with_a_sentence(
    read: list[str], behind: ServerProcess, club: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [part.format(club=club) for part in read]
    assert main([*asked, *of(behind), "--wait-seconds", "0"]) == FAILED

    told = capsys.readouterr()
    assert "the read models are still catching up (0 %), and games would be missing; try again later" in told.err
    assert told.out == ""
    assert not Path("games.ndjson").exists()


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_who_takes_what_is_there_is_told_that_games_may_be_missing(
    read: list[str], behind: ServerProcess, club: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [part.format(club=club) for part in read]
    assert main([*asked, *of(behind), "--stale-ok"]) == 0

    assert "games may be missing" in capsys.readouterr().err


@pytest.mark.parametrize("read", ["groups", "decisions", "collusion", "clubs", "table", "attendance"])
def test_json_says_itself_that_games_may_be_missing(
    read: str, behind: ServerProcess, club: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [part.format(club=club) for part in READS[read]]
    assert main([*asked, *of(behind), "--stale-ok", "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["freshness"]["complete"] is False


def test_a_report_says_itself_that_games_may_be_missing(
    behind: ServerProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*READS["report"], *of(behind), "--stale-ok"]) == 0

    assert "Games may be missing: the server had not caught up with its games." in capsys.readouterr().out


@pytest.mark.parametrize("player", ["ann", "nobody"])
def test_while_models_are_behind_nobody_is_told_that_a_player_does_not_exist(
    player: str, behind: ServerProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["statistics", player, "--server", behind.address, "--wait-seconds", "0"]) == FAILED
    assert "games would be missing" in capsys.readouterr().err

    assert main(["statistics", player, "--server", behind.address, "--stale-ok"]) == FAILED
    assert f"No player with the id {player} is known yet, but the read models are behind" in capsys.readouterr().err


def test_the_store_itself_is_waited_for_too(
    behind: ServerProcess, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", url_of(behind))

    assert main(["projections", "wait", "--wait-seconds", "0.1"]) == FAILED
    assert "the read models are still catching up after 0.1 seconds (0 %)" in capsys.readouterr().err


def test_in_a_terminal_a_bar_shows_how_far_it_is(behind: ServerProcess, tmp_path: Path) -> None:
    with terminal(behind.address, tmp_path, "--list", "--wait-seconds", "1", name="replay") as screen:
        assert "waiting for the read models" in screen.until("try again later")


def test_a_command_waits_until_everything_is_there_and_says_so(
    behind: ServerProcess, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    later = threading.Timer(1.0, lambda: on_models(url_of(behind), Models.caught_up))
    later.start()
    began = time.monotonic()
    assert main([*READS["export"], "--server", behind.address]) == 0
    later.join()

    assert time.monotonic() - began > 1.0
    assert len(Path("games.ndjson").read_text().splitlines()) == len(GAMES)
    told = capsys.readouterr().err
    assert told.startswith("waiting for the read models: 0 %\n")
    assert "3 games in" in told
    for read in (READS["leaderboard"], READS["list"]):
        assert main([*read, "--server", behind.address, "--wait-seconds", "0"]) == 0
    printed = capsys.readouterr()
    assert "Ann" in printed.out
    assert printed.out.count("game-") == len(GAMES)
    assert printed.err == ""
    assert main(["statistics", "ann", "--server", behind.address, "--wait-seconds", "0"]) == 0
    assert main(["statistics", "nobody", "--server", behind.address, "--stale-ok"]) == FAILED
    assert "No player with the id nobody is known from a game that everybody may see." in capsys.readouterr().err
    monkeypatch.setenv("DATABASE_URL", url_of(behind))
    assert main(["projections", "wait", "--wait-seconds", "5"]) == 0


def test_a_model_that_has_stopped_is_not_waited_for(behind: ServerProcess, capsys: pytest.CaptureFixture[str]) -> None:
    """The last of these tests: it damages the store."""

    async def stopped(models: Models) -> None:
        await store(models, [Made(game_id="game-4", players=("ann", "bob"), ended_at=9_000_000)])
        await models.caught_up(models.projector([Poisoned("game-4")]))

    on_models(url_of(behind), stopped)

    assert main([*READS["export"], "--server", behind.address]) == FAILED
    assert "the read model history has stopped, and games may be missing until" in capsys.readouterr().err
