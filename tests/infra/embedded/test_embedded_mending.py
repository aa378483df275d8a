"""The embedded Postgres after something was taken from it: its socket, its password, its process, the right files."""

import fcntl
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from infra.embedded.host import account_for
from infra.embedded.postgres import EmbeddedPostgres, EmbeddedPostgresFailed
from tests.infra.postgres.databases import folder_for_a_server, made_store

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


@pytest.fixture
def data() -> Iterator[Path]:
    with folder_for_a_server() as folder:
        yield made_store(Path(folder) / "data")


def asked(url: str) -> bool:
    with psycopg.connect(url, connect_timeout=5) as connection:
        return connection.execute("SELECT 1").fetchone() == (1,)


def postmaster(data: Path) -> int:
    return int((data / "cluster" / "postmaster.pid").read_text().splitlines()[0])


def sockets(server: EmbeddedPostgres) -> Path:
    return Path(server.url.partition("?host=")[2])


def is_free(data: Path) -> bool:
    """Whether no process of a server runs, by the lock that each of them holds."""
    with (data / "running.lock").open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def refused(server: EmbeddedPostgres) -> str:
    with pytest.raises(EmbeddedPostgresFailed) as failed:
        server.start()
    told = str(failed.value)
    assert "\n" not in told
    assert ": " in told
    assert told.endswith(".")
    return told


def told_if_killed_at_once(data: Path) -> str:
    """The message if the server is killed as soon as its process exists; empty if it was ready before."""
    stopping = threading.Event()

    def kill() -> None:
        while not stopping.is_set():
            try:
                os.kill(postmaster(data), signal.SIGKILL)
            except (OSError, IndexError, ValueError):
                time.sleep(0.0005)
            else:
                return

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        with EmbeddedPostgres(data, wait_seconds_max=20):
            return ""
    except EmbeddedPostgresFailed as failed:
        return str(failed)
    finally:
        stopping.set()
        killer.join()


def test_a_server_that_was_killed_comes_back_under_the_same_address(data: Path) -> None:
    with EmbeddedPostgres(data) as server:
        url = server.url
        assert server.is_reachable()
        os.kill(postmaster(data), signal.SIGKILL)
        while server.is_reachable():
            time.sleep(0.01)

        server.start()

        assert server.url == url
        assert asked(url)


def test_a_server_whose_socket_was_cleaned_away_is_started_again_under_the_same_address(data: Path) -> None:
    with EmbeddedPostgres(data, wait_seconds_max=20) as server:
        url = server.url
        shutil.rmtree(sockets(server))
        assert not server.is_reachable()

        with EmbeddedPostgres(data, wait_seconds_max=20) as another:
            assert another.url == url
            assert asked(url)


def test_a_server_whose_socket_was_cleaned_away_is_stopped(data: Path) -> None:
    server = EmbeddedPostgres(data, wait_seconds_max=20)
    server.start()
    shutil.rmtree(sockets(server))

    server.stop()

    assert is_free(data)


def test_a_server_that_does_not_end_in_time_is_told(data: Path) -> None:
    server = EmbeddedPostgres(data, wait_seconds_max=0.5)
    with EmbeddedPostgres(data):
        server.start()
    process = postmaster(data)
    os.kill(process, signal.SIGSTOP)
    try:
        with pytest.raises(EmbeddedPostgresFailed, match=r"has not ended after 0\.5 seconds"):
            server.stop()
    finally:
        os.kill(process, signal.SIGCONT)
    while not is_free(data):
        time.sleep(0.01)


def test_a_socket_directory_that_somebody_else_has_taken_is_not_used(data: Path) -> None:
    with EmbeddedPostgres(data) as server:
        before = sockets(server)
    before.mkdir(mode=0o755)
    try:
        with EmbeddedPostgres(data) as server:
            assert sockets(server) != before
            assert asked(server.url)
        assert list(before.iterdir()) == []
    finally:
        before.rmdir()


def test_a_store_that_is_gone_is_not_replaced_by_an_empty_one(data: Path) -> None:
    with EmbeddedPostgres(data) as server:
        (data / "cluster").rename(data / "taken")
        try:
            assert "has lost its store while it was in use" in refused(server)
        finally:
            (data / "taken").rename(data / "cluster")


@pytest.mark.parametrize("left", [None, "", "two words\n"])
def test_a_missing_password_is_told_and_no_server_is_left_running(data: Path, left: str | None) -> None:
    (data / "password").unlink()
    if left is not None:
        (data / "password").write_text(left)
        os.chown(data / "password", account_for(data).user, account_for(data).group)

    told = refused(EmbeddedPostgres(data, wait_seconds_max=20))

    assert told.startswith(f"The password of the store is not in {data / 'password'}: restore that file")
    assert is_free(data)


def test_a_start_that_is_interrupted_leaves_no_server_running(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    def interrupted(*_: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr("infra.embedded.postmaster.answers", interrupted)
    with pytest.raises(KeyboardInterrupt):
        EmbeddedPostgres(data, wait_seconds_max=20).start()

    assert is_free(data)


def test_whoever_keeps_others_from_starting_is_waited_for_only_so_long(data: Path) -> None:
    with (data / "starting.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        told = refused(EmbeddedPostgres(data, wait_seconds_max=0.2))

    assert "has been starting or stopping the Postgres" in told
    assert "more than 0.2 seconds: end that process or try again" in told


def test_a_start_that_waits_can_be_given_up_and_tried_again(data: Path) -> None:
    server = EmbeddedPostgres(data)
    with (data / "starting.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        threading.Timer(0.1, server.give_up).start()

        assert "was given up" in refused(server)

    server.stop()
    assert is_free(data)
    with server:
        assert asked(server.url)


def test_a_server_that_was_killed_while_it_started_is_told_as_that(data: Path) -> None:

    told = next(told for told in (told_if_killed_at_once(data) for _ in range(50)) if told)

    assert told == f"The data directory {data} has a Postgres that was ended from outside while it started: try again."


@needs_root
@pytest.mark.parametrize("name", ["starting.lock", "in-use.lock", "running.lock", "postgres.log", "password"])
def test_root_gives_away_no_file_that_has_another_name_elsewhere(data: Path, name: str) -> None:
    precious = data.parent / "precious"
    precious.write_text("precious")
    precious.chmod(0o600)
    (data / name).unlink()
    os.link(precious, data / name)

    told = refused(EmbeddedPostgres(data, wait_seconds_max=20))

    assert told == f"The file {data / name} is not a plain file with a single name: remove it."
    assert precious.stat().st_uid == 0
    assert is_free(data)


@needs_root
def test_root_gives_away_no_file_that_was_moved_here(data: Path) -> None:
    (data / "postgres.log").write_text("precious")
    os.chown(data / "postgres.log", 0, 0)

    assert "does not belong to the user" in refused(EmbeddedPostgres(data, wait_seconds_max=20))
    assert (data / "postgres.log").stat().st_uid == 0


@needs_root
@pytest.mark.parametrize("name", ["password", "cluster/PG_VERSION", "postgres.log"])
def test_root_follows_no_link_to_read(data: Path, name: str) -> None:
    precious = data.parent / "precious"
    precious.write_text("precious")
    (data / name).unlink()
    (data / name).symlink_to(precious)

    assert "precious" not in refused(EmbeddedPostgres(data, wait_seconds_max=20))
    assert is_free(data)


def test_a_process_that_got_the_id_of_a_killed_server_is_left_alone(data: Path) -> None:
    """Also while something of the server still runs."""
    server = EmbeddedPostgres(data, wait_seconds_max=20)
    server.start()
    server.wait_seconds_max = 0.3
    os.kill(postmaster(data), signal.SIGKILL)
    while not is_free(data):
        time.sleep(0.01)
    account = account_for(data)
    stranger = subprocess.Popen(["/bin/sleep", "60"], user=account.user if os.geteuid() == 0 else None)
    left = data / "cluster" / "postmaster.pid"
    left.write_text("\n".join([str(stranger.pid), *left.read_text().splitlines()[1:], ""]))
    try:
        assert not server.is_reachable()
        with (data / "running.lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with pytest.raises(EmbeddedPostgresFailed, match="has not ended"):
                server.stop()
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()
