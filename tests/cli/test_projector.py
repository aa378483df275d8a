"""`liarsdice projector` as a process: it updates the read models and reports its health, with no keys and few rights."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from eventsourcing.persistence import StoredEvent

from infra.embedded.postgres import EmbeddedPostgres
from infra.postgres.connections import Connection
from infra.postgres.migrating import migrate
from infra.postgres.store import EventStore
from services.http.health import LIVE_PATH, READY_PATH
from services.projector.metrics import METRICS_PATH
from tests.audit.stored_games import games, store_games
from tests.infra.postgres.databases import empty_database, folder_for_a_server, login, new_database, on_connection
from tests.servers import ServerProcess

ROOT = Path(__file__).parents[2]
SECONDS_MAX = 30
GAMES = 5


def environment_of(url: str | None, folder: str) -> dict[str, str]:
    environment = {"PATH": os.defpath, "HOME": folder, "PYTHONPATH": f"{ROOT}:{ROOT / 'proto' / 'gen'}"}
    return environment if url is None else {**environment, "DATABASE_URL": url}


@contextmanager
def projector(url: str | None, folder: str) -> Iterator[str]:
    """The address of a projector's health server. The projector is ended in order afterwards."""
    command = [sys.executable, "-m", "services.cli", "projector", "--data", folder, "--listen", "127.0.0.1:0"]
    process = subprocess.Popen(
        command, env=environment_of(url, folder), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1].removesuffix(READY_PATH)
    finally:
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=SECONDS_MAX)
    assert process.returncode == 0
    assert said == "going down\n"


def until_it_answers(address: str, status: int) -> dict[str, str]:
    """The answer about readiness, once it has this status."""
    ends = time.monotonic() + SECONDS_MAX
    while (answer := httpx.get(address + READY_PATH)).status_code != status:
        assert time.monotonic() < ends, answer.text
        time.sleep(0.05)
    return dict(answer.json())


def store(url: str, played: dict[str, list[StoredEvent]]) -> None:
    async def stored() -> None:
        opened = await EventStore.open(url)
        await store_games(opened, played)
        await opened.close()

    asyncio.run(stored())


def records(url: str) -> int:
    async def counted(connection: Connection) -> int:
        return int(await connection.fetchval("SELECT count(*) FROM history_v2.records"))

    return on_connection(url, counted)


def until_there_are(count: int, url: str) -> None:
    ends = time.monotonic() + SECONDS_MAX
    while records(url) != count:
        assert time.monotonic() < ends
        time.sleep(0.05)


def test_a_projector_does_what_servers_leave_to_it_with_no_keys_and_as_a_login_that_may_do_little_else() -> None:
    url = new_database()
    limited = login("only_projects", owns=False, url=url)
    on_connection(
        url, lambda connection: connection.execute("GRANT liarsdice_projector, liarsdice_reader TO only_projects")
    )
    with folder_for_a_server() as folder:
        server = ServerProcess(url, folder, 0.0, "--no-projector")
        store(url, games(GAMES))
        time.sleep(1.5)
        assert records(url) == 0

        with projector(limited, folder) as address, projector(limited, folder):
            until_there_are(GAMES, url)
            assert until_it_answers(address, 200) == {"status": "ready"}
            assert httpx.get(address + LIVE_PATH).json() == {"status": "live"}
        server.end()
        status = [sys.executable, "-m", "services.cli", "projections", "status"]
        told = subprocess.run(
            status, env=environment_of(limited, folder), capture_output=True, check=True, timeout=SECONDS_MAX
        )
        assert b"history v2" in told.stdout


def test_an_embedded_store_is_made_and_projected() -> None:
    with folder_for_a_server() as folder, projector(None, folder) as address:
        assert until_it_answers(address, 200) == {"status": "ready"}


def test_a_model_that_has_stopped_before_an_event_makes_a_projector_not_ready() -> None:
    url = new_database(lanes=1)
    store(url, {"damaged": [StoredEvent("damaged", 1, "game-ended.v1", b"damage")]})
    with folder_for_a_server() as folder, projector(url, folder) as address:
        told = until_it_answers(address, 503)

        assert told["status"] == "not ready"
        assert told["problem"].startswith("the model ")
        assert told["problem"].endswith(" has stopped before position 1 of lane 0")
        assert httpx.get(address + LIVE_PATH).status_code == 200
        measured = httpx.get(address + METRICS_PATH)
        assert measured.headers["content-type"].startswith("text/plain; version=")
        assert re.search(r'^liarsdice_model_faults{model="\w+",state="live"} 1\.0$', measured.text, re.MULTILINE)
        assert 'liarsdice_model_lag_events{model="history",state="live"}' in measured.text


def test_a_projector_outlives_its_database_and_is_not_ready_meanwhile() -> None:
    with folder_for_a_server() as folder:
        postgres = EmbeddedPostgres(Path(folder) / "data")
        postgres.start()
        try:
            on_connection(postgres.url, migrate)
            with projector(postgres.url, folder) as address:
                until_it_answers(address, 200)
                postgres.stop()
                told = until_it_answers(address, 503)
                assert told == {"status": "not ready", "problem": "the database can't be used"}
                assert httpx.get(address + METRICS_PATH).status_code == 503
                assert httpx.get(address + LIVE_PATH).status_code == 200

                postgres.start()
                until_it_answers(address, 200)
                postgres.stop()
        finally:
            postgres.stop()


def test_whoever_asks_something_else_gets_a_plain_answer_or_none_and_harms_nobody() -> None:
    with folder_for_a_server() as folder, projector(new_database(), folder) as address:
        assert httpx.get(address + "/").status_code == 404
        assert httpx.post(address + READY_PATH).status_code == 405
        head = httpx.head(address + LIVE_PATH)
        assert (head.status_code, head.content) == (200, b"")
        assert httpx.get(address + LIVE_PATH + "?verbose").status_code == 200
        port = urlsplit(address).port
        for nonsense in (b"", b"\r\n\r\n", b"\xff" * 100_000, b"GET " + READY_PATH.encode()):
            with socket.create_connection(("127.0.0.1", port)) as caller:
                caller.sendall(nonsense)
        assert httpx.get(address + LIVE_PATH).status_code == 200


def test_a_database_that_nobody_migrated_is_told_in_a_sentence() -> None:
    with folder_for_a_server() as folder:
        ran = subprocess.run(
            [sys.executable, "-m", "services.cli", "projector"],
            env=environment_of(empty_database(), folder),
            capture_output=True,
            check=False,
            timeout=SECONDS_MAX,
        )

    assert ran.returncode == 2
    assert ran.stderr.decode().startswith("liarsdice: This database is at version 0 and the program needs ")


def test_a_port_that_is_taken_or_none_is_told_in_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, folder_for_a_server() as folder:
        port = taken.getsockname()[1]
        for address, sentence in (
            (f"127.0.0.1:{port}", f"liarsdice: can't listen on 127.0.0.1:{port}: is the port taken?\n"),
            ("nonsense", "liarsdice: --listen takes HOST:PORT, not nonsense\n"),
        ):
            ran = subprocess.run(
                [sys.executable, "-m", "services.cli", "projector", "--listen", address],
                env=environment_of(new_database(), folder),
                capture_output=True,
                check=False,
                timeout=SECONDS_MAX,
            )
            assert (ran.returncode, ran.stderr.decode()) == (2, sentence)
