"""The how-tos are followed step by step, in a copy of the repository, and what they promise happens."""

import os
import re
import signal
import socket
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from infra.postgres.migrating import Connection
from tests.how_to import FOLDER, copy_of_the_repository, follow
from tests.infra.postgres.databases import folder_for_a_server, new_database, on_connection

SECONDS_MAX = 90


class Copy:
    """A copy of the repository, and a database for what is started from it."""

    def __init__(self, folder: Path) -> None:
        self.root = copy_of_the_repository(folder)
        (self.root / ".venv").symlink_to(Path(sys.prefix))
        self.database = new_database(1)

    def follow(self, page: Path) -> None:
        """Make the changes of a page, and run all its commands as one session."""
        follow(page, self.root)
        script = "\n".join(re.findall(r"^```sh\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE))
        # The environment is shared, and is not to be installed anew.
        script = script.replace("make ", "make -o .venv/dev.stamp ")
        with socket.socket() as one, socket.socket() as other:
            for free, named in ((one, ":50051"), (other, ":8080")):
                free.bind(("127.0.0.1", 0))
                script = script.replace(named, f":{free.getsockname()[1]}")
            server = f"127.0.0.1:{one.getsockname()[1]}"
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment |= {
            "DATABASE_URL": self.database,
            "HOME": str(self.root),
            "LIARSDICE_KEYS": b64encode(b"k" * 32).decode(),
            "LIARSDICE_LOG_KEYS": b64encode(b"l" * 32).decode(),
            "LIARSDICE_SERVER": server,
            "PYTHONPATH": f"{self.root}:{self.root / 'proto' / 'gen'}",
        }
        with (self.root / "session.log").open("wb") as log:
            session = subprocess.Popen(
                ["/bin/sh", "-eux", "-c", script],
                cwd=self.root,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            with suppress(subprocess.TimeoutExpired):  # It waits for ever for a server that did not come up.
                session.wait(SECONDS_MAX)
            with suppress(ProcessLookupError):  # What has failed may have left its server behind.
                os.killpg(session.pid, signal.SIGKILL)
            session.wait()
        logs = [self.root / name for name in ("session.log", "server.log")]
        assert session.returncode == 0, "\n".join(log.read_text() for log in logs if log.exists())

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """What a query finds in the database."""

        async def fetched(connection: Connection) -> list[tuple[Any, ...]]:
            return [tuple(row) for row in await connection.fetch(sql)]

        return on_connection(self.database, fetched)


@pytest.fixture
def copy() -> Iterator[Copy]:
    with folder_for_a_server() as folder:
        yield Copy(Path(folder) / "repository")


def test_a_sixth_rulebook_is_played_over_grpc_and_proven(copy: Copy) -> None:
    copy.follow(FOLDER / "add-a-rulebook.md")

    assert copy.rows("SELECT rulebook, result FROM history_v2.records") == [("harbour", "ended")]
    assert "HA-5" in (copy.root / "docs" / "reference" / "rules.md").read_text()


def test_a_new_rpc_is_generated_handled_and_called(copy: Copy) -> None:
    copy.follow(FOLDER / "add-an-rpc.md")

    assert "CheckName" in (copy.root / "proto" / "gen" / "liarsdice" / "v1" / "player_service_pb2.pyi").read_text()


def test_a_new_read_model_has_the_games_that_were_stored(copy: Copy) -> None:
    copy.follow(FOLDER / "add-a-read-model.md")

    rows = copy.rows("SELECT quantity, face, dice FROM bold_bids_v1.bids")
    assert len(rows) == 5
    assert all(quantity >= 1 and 2 <= face <= 6 and 2 <= dice <= 20 for quantity, face, dice in rows)


def test_every_how_to_is_followed() -> None:
    followed = set(re.findall(r"FOLDER / \"([a-z-]+\.md)\"", Path(__file__).read_text()))

    assert followed == {page.name for page in FOLDER.glob("*.md")}
