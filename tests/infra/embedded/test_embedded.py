"""The embedded Postgres starts for every user, in every place and after every crash, or says what is wrong."""

import asyncio
import fcntl
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import asyncpg
import psycopg
import pytest

from infra.embedded.host import account_for, program
from infra.embedded.postgres import EmbeddedPostgres, EmbeddedPostgresFailed
from tests.infra.postgres.databases import made_store

ROOT = Path(__file__).parents[3]
AS_ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(not AS_ROOT, reason="only root can mount a disk or become another user")
NOBODY = pwd.getpwnam("nobody")
MOUNT, UNMOUNT = shutil.which("mount") or "mount", shutil.which("umount") or "umount"

HOLD = """
import sys
from infra.embedded.postgres import EmbeddedPostgres
with EmbeddedPostgres(sys.argv[1]) as server:
    print(server.url, flush=True)
    sys.stdin.readline()
"""
AS_ANOTHER = """
import os, sys
from infra.embedded.postgres import EmbeddedPostgres, EmbeddedPostgresFailed
os.setgroups([]), os.setgid(int(sys.argv[2])), os.setuid(int(sys.argv[2]))
try:
    with EmbeddedPostgres(sys.argv[1]):
        print("works")
except EmbeddedPostgresFailed as failed:
    print(failed)
"""
FORK = """
import os, sys
from infra.embedded.postgres import EmbeddedPostgres
with EmbeddedPostgres(sys.argv[1]) as server:
    if os.fork() == 0:
        server.stop()
        os._exit(0)
    os.wait()
    print(server.url, flush=True)
    sys.stdin.readline()
"""

Opening = Callable[..., EmbeddedPostgres]


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A place of our own, because every run of pytest closes the one it shares with others of the same user again."""
    with tempfile.TemporaryDirectory() as place:
        yield Path(place)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory in which a server has run before, for tests that need no new one."""
    return made_store(tmp_path / "data")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opening]:  # noqa: ARG001 - servers end before their place goes.
    """Starts servers, and stops at the end of the test those that it didn't stop itself."""
    servers = []

    def start(directory: Path, **settings: str) -> EmbeddedPostgres:
        server = EmbeddedPostgres(directory, settings, wait_seconds_max=20)
        servers.append(server)
        server.start()
        return server

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of eight megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run([MOUNT, "-t", "tmpfs", "-o", "size=8m", "tmpfs", place], check=False, capture_output=True)
    if mounted.returncode != 0:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.decode().strip()}")
    yield place
    subprocess.run([UNMOUNT, place], check=True)


@pytest.fixture
def place_of_nobody() -> Iterator[Path]:
    """A directory that the user nobody owns and can reach, unlike those that pytest makes for root."""
    place = Path(tempfile.mkdtemp())
    os.chown(place, NOBODY.pw_uid, NOBODY.pw_gid)
    yield place
    shutil.rmtree(place)


def asked(url: str, query: str) -> str:
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return str(row[0])


def done(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement.encode())


def postmaster(directory: Path) -> int:
    return int((directory / "cluster" / "postmaster.pid").read_text().splitlines()[0])


def sockets(url: str) -> Path:
    return Path(url.partition("?host=")[2])


def refused(directory: Path, settings: dict[str, str] | None = None) -> str:
    """The message for the user: always one sentence that says what to do."""
    with pytest.raises(EmbeddedPostgresFailed) as failed:
        EmbeddedPostgres(directory, settings, wait_seconds_max=20).start()
    return as_sentence(str(failed.value))


def as_sentence(told: str) -> str:
    assert "\n" not in told
    assert told.endswith(".")
    assert ": " in told
    assert "Traceback" not in told
    return told


def other_process(script: str, directory: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, str(directory)]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def told_to(user: int, directory: Path) -> str:
    """The message for another user who starts the server. Python itself may be in a place that only root can reach."""
    command = [sys.executable, "-c", AS_ANOTHER, str(directory), str(user)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, text=True)
    if "can't run /" in told.stdout:
        pytest.skip("the programs lie where another user doesn't get to")
    assert not told.stderr
    return told.stdout.strip()


def as_nobody(*command: str | Path) -> subprocess.CompletedProcess[bytes]:
    who = NOBODY.pw_uid
    return subprocess.run(command, cwd="/", capture_output=True, check=False, user=who, group=who, extra_groups=[])


def test_it_answers_to_asyncpg_and_psycopg_and_keeps_its_data(tmp_path: Path) -> None:
    """Also under a name with spaces, quotes and letters of the world."""
    directory = tmp_path / "Würfel und 'Becher' $HOME \"骰子\""

    async def ask(url: str) -> object:
        connection = await asyncpg.connect(url)
        try:
            return await connection.fetchval("SELECT name FROM winner")
        finally:
            await connection.close()

    with EmbeddedPostgres(directory) as server:
        done(server.url, "CREATE TABLE winner AS SELECT 'Ana'::text AS name")
    with EmbeddedPostgres(str(directory)) as server:
        assert asked(server.url, "SHOW server_version").startswith("18.")
        assert asyncio.run(ask(server.url)) == "Ana"


def test_the_example_of_the_document_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    example = (
        (ROOT / "docs" / "operate" / "embedded-postgres.md").read_text().partition("```python\n")[2].partition("```")[0]
    )

    ran = subprocess.run(
        [sys.executable, "-c", example], env={"PYTHONPATH": str(ROOT)}, capture_output=True, check=True
    )

    assert ran.stdout.startswith(b"postgresql://liarsdice:")


def test_a_path_too_long_for_a_socket_is_no_hindrance(tmp_path: Path, opened: Opening) -> None:
    server = opened(tmp_path / ("long" * 30) / ("longer" * 30))

    assert len(str(sockets(server.url))) < 90
    assert asked(server.url, "SELECT 1") == "1"


def test_it_is_safe_by_default_and_takes_settings(tmp_path: Path, opened: Opening) -> None:
    url = opened(tmp_path / "data", synchronous_commit="off", max_connections="33").url

    def setting(name: str) -> str:
        return asked(url, f"SHOW {name}")

    assert [setting(name) for name in ("fsync", "full_page_writes", "data_checksums")] == ["on"] * 3
    assert (setting("listen_addresses"), setting("unix_socket_permissions")) == ("", "0700")
    assert (setting("server_encoding"), setting("timezone")) == ("UTF8", "UTC")
    assert asked(url, "SELECT datcollate FROM pg_database WHERE datname = current_database()") == "C"
    assert (setting("synchronous_commit"), setting("max_connections")) == ("off", "33")


def test_what_it_makes_is_private(tmp_path: Path, opened: Opening) -> None:
    directory = tmp_path / "data"
    server = opened(directory)

    private = [directory, directory / "cluster", sockets(server.url)]
    assert [path.stat().st_mode & 0o777 for path in private] == [0o700] * 3
    assert [(directory / name).stat().st_mode & 0o777 for name in ("password", "postgres.log")] == [0o600] * 2


def test_nobody_connects_without_the_password(data: Path, opened: Opening) -> None:
    password = opened(data).url.split(":")[2].partition("@")[0]
    url = opened(data).url

    for wrong in (url.replace(password, "guess"), url.replace(f":{password}", "")):
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(wrong)


@needs_root
def test_another_user_does_not_even_reach_the_socket(data: Path, opened: Opening) -> None:
    server = opened(data)

    tried = as_nobody("ls", sockets(server.url) / ".s.PGSQL.5432")

    assert tried.returncode != 0
    assert b"Permission denied" in tried.stderr


def test_the_last_one_to_leave_ends_it(data: Path, opened: Opening) -> None:
    first, second = opened(data), opened(data)
    url = second.url
    assert first.url == url

    first.stop()
    first.stop()
    assert asked(url, "SELECT 1") == "1"

    second.stop()
    assert not sockets(url).exists()
    assert not (data / "cluster" / "postmaster.pid").exists()


def test_two_processes_that_start_at_once_share_one_server(tmp_path: Path) -> None:
    pair = [other_process(HOLD, tmp_path / "data") for _ in range(2)]
    urls = [first_line(process) for process in pair]
    assert urls[0] == urls[1]
    assert asked(urls[0], "SELECT 1") == "1"

    assert pair[0].communicate("\n")[0] == ""
    assert asked(urls[1], "SELECT 1") == "1"

    assert pair[1].communicate("\n")[0] == ""
    assert not sockets(urls[1]).exists()


def test_a_server_whose_user_was_killed_is_taken_over(data: Path, opened: Opening) -> None:
    process = other_process(HOLD, data)
    url = first_line(process)
    kill(process)

    server = opened(data)
    assert server.url == url
    server.stop()
    assert not sockets(url).exists()


def test_what_was_committed_survives_the_killing_of_the_server(data: Path, opened: Opening) -> None:
    server = opened(data)
    done(server.url, "CREATE TABLE kept AS SELECT generate_series(1, 1000)")
    old = server.url
    with psycopg.connect(server.url):
        os.kill(postmaster(data), signal.SIGKILL)
        server.start()

    assert asked(server.url, "SELECT count(*) FROM kept") == "1000"
    assert server.url == old


def test_a_process_id_left_behind_may_belong_to_somebody_else_now(data: Path, opened: Opening) -> None:
    opened(data).stop()
    account = account_for(data)
    who = account.user if AS_ROOT else None
    stranger = subprocess.Popen(["/bin/sleep", "60"], user=who)
    left = data / "cluster" / "postmaster.pid"
    left.write_text(f"{stranger.pid}\n{data}/cluster\n1700000000\n5432\n/tmp/liarsdice-socket-gone\n\n 1 2\nready   \n")
    os.chown(left, account.user, account.group)

    server = opened(data)

    assert asked(server.url, "SELECT 1") == "1"
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


def test_an_empty_file_left_behind_is_no_hindrance(data: Path, opened: Opening) -> None:
    opened(data).stop()
    (data / "cluster" / "postmaster.pid").touch()

    assert asked(opened(data).url, "SELECT 1") == "1"


def test_a_store_that_was_killed_in_the_making_is_made_anew(tmp_path: Path, opened: Opening) -> None:
    process = other_process(HOLD, tmp_path / "data")
    deadline = time.monotonic() + 20
    while not (tmp_path / "data" / "cluster.new" / "PG_VERSION").exists() and time.monotonic() < deadline:
        time.sleep(0.005)
    kill(process)

    assert asked(opened(tmp_path / "data").url, "SELECT 1") == "1"


def test_a_copy_of_the_server_in_a_forked_child_does_not_end_it(data: Path) -> None:
    process = other_process(FORK, data)

    assert asked(first_line(process), "SELECT 1") == "1"
    process.communicate("\n")


def test_stopping_after_the_directory_is_gone_is_quiet(data: Path, opened: Opening) -> None:
    server = opened(data)
    process, place = postmaster(data), sockets(server.url)
    shutil.rmtree(data)

    server.stop()

    assert not data.exists()
    os.kill(process, signal.SIGQUIT)
    with suppress(OSError):
        while place.joinpath(".s.PGSQL.5432").exists():
            time.sleep(0.01)
        shutil.rmtree(place)


@needs_root
def test_root_lets_only_the_account_of_the_server_pass(tmp_path: Path, opened: Opening) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)

    server = opened(closed / "data")

    assert asked(server.url, "SELECT 1") == "1"
    assert closed.stat().st_mode & 0o007 == 0
    assert (closed / "data").stat().st_uid == account_for(closed / "data").user != 0
    assert as_nobody("ls", closed / "data").returncode != 0


@needs_root
def test_a_plain_user_needs_no_root(place_of_nobody: Path) -> None:
    assert told_to(NOBODY.pw_uid, place_of_nobody / "data") == "works"
    assert (place_of_nobody / "data").stat().st_uid == NOBODY.pw_uid


@needs_root
def test_root_runs_the_store_of_a_plain_user_as_that_user(place_of_nobody: Path, opened: Opening) -> None:
    assert told_to(NOBODY.pw_uid, place_of_nobody / "data") == "works"

    opened(place_of_nobody / "data").stop()

    assert told_to(NOBODY.pw_uid, place_of_nobody / "data") == "works"


def test_a_file_in_place_of_the_directory_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")

    assert "because a file is in its place" in refused(tmp_path / "file")
    assert "because a file is in its place" in refused(tmp_path / "file" / "data")


def test_a_name_with_a_line_break_is_told(tmp_path: Path) -> None:
    assert "has a character that can't be printed" in refused(tmp_path / "two\nlines")


def test_a_directory_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious")

    assert "has something else in it already (thesis.txt)" in refused(tmp_path)
    assert list(tmp_path.iterdir()) == [tmp_path / "thesis.txt"]


def test_the_data_of_another_postgres_version_are_left_alone(tmp_path: Path, data: Path, opened: Opening) -> None:
    opened(data).stop()
    (data / "cluster" / "PG_VERSION").write_text("16\n")
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "PG_VERSION").write_text("17\n")

    assert "belongs to Postgres 16 and this is Postgres 18" in refused(data)
    assert "belongs to Postgres 17 and this is Postgres 18" in refused(tmp_path / "raw")


def test_a_server_that_somebody_started_by_hand_is_left_alone(data: Path, opened: Opening) -> None:
    opened(data).stop()
    who = account_for(data).user if AS_ROOT else None
    by_hand = [str(program("pg_ctl")), "--wait", f"--pgdata={data / 'cluster'}"]
    options = ["--silent", f"--options=-k '{data}' -h ''", f"--log={data / 'by-hand.log'}"]
    subprocess.run([*by_hand, *options, "start"], check=True, user=who, stdout=subprocess.DEVNULL)

    assert "is in use by a Postgres that was not started from here" in refused(data)

    subprocess.run([*by_hand, "--silent", "stop"], check=True, user=who)
    assert asked(opened(data).url, "SELECT 1") == "1"


def test_a_setting_that_does_not_exist_is_told_in_the_words_of_postgres(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        monkeypatch.setattr(tempfile, "tempdir", temporary)

        assert 'unrecognized configuration parameter "speed"' in refused(data, {"speed": "ludicrous"})

        assert not list(Path(temporary).iterdir())


@needs_root
def test_a_right_to_pass_that_was_taken_away_is_given_again(tmp_path: Path, data: Path, opened: Opening) -> None:
    """As a chmod does, which leaves the entry in the list and closes the mask over it."""
    opened(data).stop()
    tmp_path.chmod(0o700)

    assert asked(opened(data).url, "SELECT 1") == "1"


@needs_root
def test_a_full_disk_is_told(disk: Path) -> None:
    assert "is on a full disk" in refused(disk / "data")
    assert not (disk / "data" / "cluster.new").exists()


@needs_root
def test_a_disk_that_became_full_is_told(disk: Path, opened: Opening) -> None:
    subprocess.run([MOUNT, "-o", "remount,size=80m", disk], check=True)
    opened(disk / "data").stop()
    with suppress(OSError), (disk / "filler").open("wb", buffering=0) as filler:
        while filler.write(bytes(65_536)):
            pass

    assert "is on a full disk" in refused(disk / "data")

    (disk / "filler").unlink()
    assert asked(opened(disk / "data").url, "SELECT 1") == "1"
    opened(disk / "data").stop()


@needs_root
@pytest.mark.parametrize("made_before", [False, True])
def test_a_read_only_disk_is_told(disk: Path, opened: Opening, *, made_before: bool) -> None:
    if made_before:
        subprocess.run([MOUNT, "-o", "remount,size=80m", disk], check=True)
        opened(disk / "data").stop()
    subprocess.run([MOUNT, "-o", "remount,ro", disk], check=True)

    assert "is read-only" in refused(disk / "data")


@needs_root
def test_missing_permission_is_told(place_of_nobody: Path, tmp_path: Path) -> None:
    place_of_nobody.chmod(0o500)
    foreign = tmp_path / "foreign"

    assert "is closed to the user" in as_sentence(told_to(NOBODY.pw_uid, place_of_nobody / "data"))
    assert "is closed to the user" in as_sentence(told_to(NOBODY.pw_uid, foreign))


@needs_root
def test_a_user_without_a_name_is_told(place_of_nobody: Path) -> None:
    os.chown(place_of_nobody, 54321, 54321)

    assert "the user id 54321, which has no name" in as_sentence(told_to(54321, place_of_nobody / "data"))


def test_a_server_that_is_not_ready_in_time_is_told(data: Path, opened: Opening) -> None:
    server = opened(data)
    os.kill(postmaster(data), signal.SIGKILL)
    with (data / "running.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(EmbeddedPostgresFailed, match=r"is not ready after 0\.2 seconds"):
            EmbeddedPostgres(data, wait_seconds_max=0.2).start()

    server.start()
    assert asked(server.url, "SELECT 1") == "1"


def test_the_wheel_still_brings_the_programs_that_are_used() -> None:
    assert all(os.access(program(name), os.X_OK) for name in ("initdb", "postgres", "pg_ctl"))
