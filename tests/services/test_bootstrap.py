"""The program as it is put together: it outlives its database and keeps to its keys."""

import asyncio
import logging
import os
import signal
import time
from pathlib import Path

import pytest

from domain.options import Options
from infra.postgres.embedded_postmaster import postmaster_of
from services.application import GameApplication
from services.bootstrap import open_games
from services.simulation import Setup, play_game
from tests.infra.postgres.databases import folder_for_a_server

SCRIPT = play_game(Setup("bidding-track", Options(), 3), 5, 0).commands
RECOVERY_SECONDS_MAX = 30.0


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.delenv("LIARSDICE_KEYS", raising=False)


async def play(games: GameApplication, first: int, last: int) -> None:
    for number, command in enumerate(SCRIPT[first:last], first):
        await games.execute("game", command, str(number))


async def play_as_soon_as_possible(games: GameApplication, first: int, last: int) -> None:
    deadline = time.monotonic() + RECOVERY_SECONDS_MAX
    while True:
        try:
            return await play(games, first, last)
        except Exception:  # noqa: BLE001 - whatever is told while the database is away
            assert time.monotonic() < deadline
            await asyncio.sleep(0.1)


def test_a_killed_database_is_started_again_and_the_games_go_on(caplog: pytest.LogCaptureFixture) -> None:
    async def run(folder: Path) -> int:
        async with open_games(folder) as games:
            await play(games, 0, 5)
            server = postmaster_of(folder / "postgres" / "cluster")
            assert server is not None
            os.kill(server.process, signal.SIGKILL)
            await play_as_soon_as_possible(games, 5, 10)
            return (await games.load("game"))[1]

    with folder_for_a_server() as folder, caplog.at_level(logging.WARNING, "infra.postgres.embedded_keeping"):
        version = asyncio.run(run(Path(folder)))

        assert version >= 10
        assert postmaster_of(Path(folder) / "postgres" / "cluster") is None
    told = [record.message for record in caplog.records if record.name == "infra.postgres.embedded_keeping"]
    assert told == ["The embedded Postgres was gone and has been started again."]
