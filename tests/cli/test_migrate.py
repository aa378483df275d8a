"""`liarsdice migrate`, as an operator uses it."""

import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import asyncpg
import pytest

from services.app.environment import database_problem
from services.cli.main import main
from tests.extent import extent
from tests.infra.postgres.databases import empty_database, folder_for_a_server, made_store, on_connection, server_url

ROOT = Path(__file__).parents[2]
STOPS = [
    (signal.SIGINT, "starting.lock"),
    (signal.SIGTERM, "starting.lock"),
    (signal.SIGTERM, "cluster.new"),
    (signal.SIGINT, "cluster.new"),
    (signal.SIGINT, "cluster"),
    (signal.SIGTERM, "cluster"),
    (signal.SIGTERM, "cluster/postmaster.pid"),
    (signal.SIGINT, "cluster/postmaster.pid"),
]
"""Signals, and stages of starting at which they come. Every other one of them has each stage once."""
NO_POSTGRES = "no Postgres answers there, or the connection was lost"


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> str:
    url = empty_database()
    monkeypatch.setenv("DATABASE_URL", url)
    return url


@contextmanager
def peer(answer: bytes | None) -> Iterator[int]:
    """The port of a server that is not Postgres. It sends the same bytes to every client, or nothing at all."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def talk() -> None:
            while True:
                try:
                    caller, _ = server.accept()
                except OSError:
                    return
                callers.append(caller)
                if answer is not None:
                    caller.recv(100)
                    caller.sendall(answer)
                    caller.close()

        callers: list[socket.socket] = []
        talking = Thread(target=talk, daemon=True)
        talking.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        talking.join()
        for caller in callers:
            caller.close()


@pytest.mark.usefixtures("database")
def test_a_store_is_created_once_and_told_to_be_up_to_date_after(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate", "--lanes", "2"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "ran 0001_roles_and_settings.sql"

    assert main(["migrate"]) == 0
    assert capsys.readouterr().out == "the store is up to date\n"
    assert main(["migrate", "--json"]) == 0
    assert capsys.readouterr().out == '{"ran": []}\n'


@pytest.mark.usefixtures("database")
def test_what_cannot_be_done_is_told_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    main(["migrate", "--lanes", "2"])

    assert main(["migrate", "--lanes", "3"]) == 2
    assert "created with 2 lanes and can't be changed to 3" in capsys.readouterr().err


def told_of(url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What the command prints about a database that can't be used: always one line, with a reason."""
    monkeypatch.setenv("DATABASE_URL", url)
    assert main(["migrate"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    start, _, reason = told.strip().partition(": the database can't be used: ")
    assert start == "liarsdice"
    assert reason
    return reason


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://nobody:secret@127.0.0.1:port/none",
        "postgresql://nobody:secret@127.0.0.1:1/none?sslmode=bogus",
        "postgresql://nobody:secret@127.0.0.1:1/none?secret",
        "postgresql://nobody:secret@[::1",
        "postgresql://nobody:sec[ret@127.0.0.1/none",
        "secret, not a url at all",
        "mysql://nobody:secret@127.0.0.1/none",
        "postgresql://nobody:sec#ret@127.0.0.1/none",
        "postgresql://nobody:secret",
        "postgresql://nobody:secr/et@127.0.0.1:1/none",
        "postgresql://nobody:12/secret@127.0.0.1:1/none",
        "postgresql://nobody:12?secret@127.0.0.1:1/none",
        "postgresql://nobody:12?sec=ret@127.0.0.1:1/none",
        "postgresql://nobody:sec?ret@127.0.0.1:1/none",
        "postgres://nobody:se@cret:word@localhost:1/none",
        "postgres://nobody:se@cret@localhost:1/none",
        "postgresql://nobody:pw@" + "secret" * 20 + "/none",
    ],
)
def test_of_an_address_that_cannot_be_read_nothing_is_shown(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = told_of(url, monkeypatch, capsys)

    assert told.startswith("DATABASE_URL has to look like postgresql://user:password@host:5432/name, and signs")
    assert "percent-encoded" in told
    assert not [part for part in ("secret", "sec[", "sec#", "ret@", "cret", "nobody") if part in told]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("postgresql://nobody:secret@127.0.0.1:1/none", "Connection refused"),
        ("postgresql://nobody:secret@localhost:1/none", "Connection refused"),
        ("postgresql://nobody:secret@/none?host=/nowhere", "No such file or directory"),
        ("postgresql://nobody:secret@127.0.0.1:99999/none", "the port in DATABASE_URL is not a number from 1 to 65535"),
        ("postgresql://nobody:secret@127.0.0.1:0/none", "the port in DATABASE_URL is not a number from 1 to 65535"),
        ("postgresql://127.0.0.1/none?port=99999", "the port in DATABASE_URL is not a number from 1 to 65535"),
        ("postgresql://[::1]:99999/none", "the port in DATABASE_URL is not a number from 1 to 65535"),
        ("postgresql://one:1,two:99999/none", "the port in DATABASE_URL is not a number from 1 to 65535"),
    ],
)
def test_a_database_that_is_not_there_is_told_in_a_sentence(
    url: str, reason: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told_of(url, monkeypatch, capsys) in {reason, NO_POSTGRES}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "it gives no answer within 0.3 seconds"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\nsecret", NO_POSTGRES),
        (b"N", NO_POSTGRES),
        (b"", NO_POSTGRES),
    ],
)
def test_somebody_else_at_the_port_is_told_in_a_sentence(
    answer: bytes | None, reason: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("services.app.environment.CONNECT_SECONDS_MAX", 0.3)
    with peer(answer) as port:
        told = told_of(f"postgresql://nobody:pw@127.0.0.1:{port}/none", monkeypatch, capsys)

    assert told in {reason, "Connection reset by peer"}


def test_a_wrong_password_and_a_missing_database_are_told_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = server_url()
    password = url.split(":")[2].partition("@")[0]

    wrong = told_of(url.replace(password, "secret"), monkeypatch, capsys)
    missing = told_of(url.replace("/postgres?", "/secret?"), monkeypatch, capsys)

    assert wrong == "it refuses the user or the password"
    assert missing == "there is no database of that name on its server"


def test_of_an_error_with_details_only_the_first_line_is_told() -> None:
    async def fail(connection: object) -> None:
        assert isinstance(connection, asyncpg.Connection)
        await connection.execute("CREATE TEMP TABLE one (a int UNIQUE); INSERT INTO one VALUES (1), (1)")

    with pytest.raises(asyncpg.UniqueViolationError) as failed:
        on_connection(server_url(), fail)

    assert "\n" in str(failed.value)
    told = 'the database can\'t be used: duplicate key value violates unique constraint "one_a_key"'
    assert database_problem(failed.value) == told


def test_every_problem_has_a_reason() -> None:
    problems = [
        OSError(),
        TimeoutError(),
        asyncpg.InternalClientError("secret"),
        ValueError("secret"),
        KeyError("secret"),
    ]
    for problem in problems:
        told = database_problem(problem)
        assert not told.endswith(": ")
        assert "secret" not in told


def test_without_a_database_an_embedded_one_is_made_where_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    with folder_for_a_server() as folder:
        assert main(["migrate", "--data", folder]) == 0
        assert (Path(folder) / "postgres" / "cluster" / "PG_VERSION").read_text() == "18\n"


@pytest.mark.at_length
@pytest.mark.parametrize(("number", "stage"), STOPS[:: extent(2, 1)])
def test_whoever_is_told_to_stop_while_starting_leaves_no_server_running(number: signal.Signals, stage: str) -> None:
    """At each stage that can be seen from outside, where the program is in the middle of something."""
    with folder_for_a_server() as folder:
        data = Path(folder) / "postgres"
        environment = {"PATH": os.defpath, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "services.cli", "migrate", "--data", folder]
        process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        while not (data / stage).exists() and process.poll() is None:
            time.sleep(0.002)
        process.send_signal(number)
        told = process.communicate(timeout=60)[1]

        assert process.returncode == 128 + number
        assert told == ("liarsdice: interrupted\n" if number == signal.SIGINT else "")
        assert not (data / "cluster" / "postmaster.pid").exists()
        with (data / "running.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_whoever_is_told_to_stop_while_waiting_for_another_process_stops_at_once(number: signal.Signals) -> None:
    with folder_for_a_server() as folder:
        command = [sys.executable, "-m", "services.cli", "migrate", "--data", folder]
        environment = {"PATH": os.defpath, "PYTHONPATH": str(ROOT)}
        made_store(Path(folder) / "postgres")
        with (Path(folder) / "postgres" / "starting.lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
            while "starting.lock" not in opened_by(process.pid) and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(number)
            process.communicate(timeout=20)

        assert process.returncode == 128 + number


def opened_by(process: int) -> str:
    """The names of the files that a process has open, where the system tells."""
    if not Path("/proc/self/fd").exists():
        time.sleep(2)
        return "starting.lock"
    names = []
    with suppress(OSError):
        for link in Path(f"/proc/{process}/fd").iterdir():
            names.append(str(link.readlink()))  # noqa: PERF401 - a file may be closed before its turn comes.
    return " ".join(names)
