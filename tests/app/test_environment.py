"""The program as it is put together: it outlives its database and keeps to its keys."""

import asyncio
import logging
import os
import pickle
import signal
import ssl
import time
from base64 import b64encode
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest

from domain.options import Options
from infra.embedded.postmaster import postmaster_of
from infra.failure import CommandFailed
from infra.keys.key_files import KeysMissing, KeysRefused
from infra.keys.key_ring import Key, add_key, create_keys, keys_in_file
from infra.keys.log_keys import SignerRing, create_log_keys
from infra.postgres.failures import SchemaTooOld
from infra.postgres.key_ids import SealedWithOtherKeys
from services.app.environment import (
    database_told,
    find_log_keys,
    lanes_of_database,
    migrate_database,
    open_sealed_database,
)
from services.app.handed_keys import keys_to_hand
from services.simulation.simulation import Setup, play_game
from services.tables.application import GameApplication
from tests.app.opened import open_games
from tests.certificates import made
from tests.infra.postgres.databases import empty_database, folder_for_a_server, login, new_database, on_connection

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

    with folder_for_a_server() as folder, caplog.at_level(logging.WARNING, "infra.embedded.keeper"):
        version = asyncio.run(run(Path(folder)))

        assert version >= 10
        assert postmaster_of(Path(folder) / "postgres" / "cluster") is None
    told = [record.message for record in caplog.records if record.name == "infra.embedded.keeper"]
    assert told == ["The embedded Postgres was gone and has been started again."]


async def opened(data: Path) -> None:
    async with open_games(data):
        pass


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> str:
    """A database that several hosts use."""
    url = empty_database()
    monkeypatch.setenv("DATABASE_URL", url)
    return url


def noted(url: str) -> list[str]:
    query = "SELECT value FROM liarsdice.settings WHERE name = 'sealing_key_ids'"
    return str(on_connection(url, lambda connection: connection.fetchval(query))).split()


def newest(data: Path) -> str:
    return keys_in_file(data / "keys").newest.id.hex()


@pytest.mark.usefixtures("shared")
def test_no_key_is_made_for_a_store_that_others_may_share(tmp_path: Path) -> None:
    with pytest.raises(KeysMissing, match="copy their key file, or run `liarsdice keys add` if the store is new"):
        asyncio.run(opened(tmp_path / "data"))

    assert not (tmp_path / "data").exists()


def test_a_host_with_another_key_is_refused_and_changes_nothing(tmp_path: Path, shared: str) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    create_keys(one / "keys")
    create_keys(other / "keys")
    asyncio.run(opened(one))

    with pytest.raises(SealedWithOtherKeys) as refused:
        asyncio.run(opened(other))

    assert f"is sealed with the key {newest(one)}, but this host has only the key {newest(other)}" in str(refused.value)
    assert noted(shared) == [newest(one)]
    asyncio.run(opened(one))


def test_a_new_key_beside_the_old_one_is_noted_too(tmp_path: Path, shared: str) -> None:
    data = tmp_path / "data"
    create_keys(data / "keys")
    first = newest(data)
    asyncio.run(opened(data))
    add_key(data / "keys")

    asyncio.run(opened(data))
    asyncio.run(opened(data))

    assert noted(shared) == [first, newest(data)]


def test_of_hosts_that_start_at_once_with_keys_of_their_own_one_wins(tmp_path: Path, shared: str) -> None:
    hosts = [tmp_path / str(number) for number in range(4)]
    for host in hosts:
        create_keys(host / "keys")

    async def open_all() -> list[BaseException | None]:
        return await asyncio.gather(*map(opened, hosts), return_exceptions=True)

    results = asyncio.run(open_all())

    assert [type(result) for result in results].count(SealedWithOtherKeys) == 3
    assert noted(shared) == [newest(hosts[results.index(None)])]


def test_with_keys_and_database_of_the_environment_no_directory_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: str
) -> None:
    monkeypatch.setenv("LIARSDICE_KEYS", b64encode(b"k" * 32).decode())
    (tmp_path / "file").touch()

    asyncio.run(opened(tmp_path / "file" / "data"))

    assert noted(shared) == [Key(b"k" * 32).id.hex()]


def test_a_directory_for_the_keys_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(KeysRefused, match="can't be used: Not a directory"):
        asyncio.run(opened(tmp_path / "file" / "data"))


def test_the_keys_of_the_log_are_made_for_a_store_of_our_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)

    ring = find_log_keys(tmp_path, "example.com/dice")

    assert find_log_keys(tmp_path, "example.com/dice").vkeys == ring.vkeys
    assert [path.name for path in tmp_path.iterdir()] == ["log-keys"]


def test_the_keys_of_the_log_are_not_made_for_a_store_that_others_may_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://somewhere/else")

    with pytest.raises(KeysMissing, match="or run `liarsdice keys add --log` if the store is new"):
        find_log_keys(tmp_path, "example.com/dice")
    assert not list(tmp_path.iterdir())

    created = create_log_keys(tmp_path / "log-keys", "example.com/dice")
    assert find_log_keys(tmp_path, "example.com/dice").vkeys == created.vkeys


def test_the_keys_of_the_log_in_the_environment_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIARSDICE_LOG_KEYS", b64encode(b"k" * 32).decode())

    assert find_log_keys(tmp_path, "a").vkeys == SignerRing("a", [b"k" * 32]).vkeys
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("trusted", [True, False])
def test_who_pretends_to_be_the_database_hears_nothing_where_certificates_are_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, trusted: bool
) -> None:
    """As k8s/base sets it, by the variables of Postgres."""
    _, certificate, key = made(tmp_path, "database")
    _, other, _ = made(tmp_path, "other")
    monkeypatch.setenv("PGSSLMODE", "verify-full")
    monkeypatch.setenv("PGSSLROOTCERT", str(certificate if trusted else other))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    heard: list[bytes] = []
    answers: list[asyncio.Task[None]] = []

    def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers.append(asyncio.create_task(answer(reader, writer)))

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(8)  # It asks for TLS.
        writer.write(b"S")
        with suppress(OSError):
            await writer.start_tls(context)
            heard.append(await reader.read(4))
        writer.close()

    async def connect() -> None:
        async with await asyncio.start_server(answered, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            try:
                await migrate_database(f"postgresql://ann:secret@127.0.0.1:{port}/dice")
            finally:
                await asyncio.gather(*answers)

    with (
        pytest.raises(CommandFailed, match="connection was lost" if trusted else "its certificate is not"),
        database_told(),
    ):
        asyncio.run(connect())
    assert len(heard) == trusted


def test_a_login_that_owns_nothing_opens_a_store_that_is_up_to_date_and_migrates_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = new_database(lanes=1)
    monkeypatch.setenv("DATABASE_URL", login("owns_nothing", "IN ROLE liarsdice_appender", owns=False, url=url))
    monkeypatch.setenv("LIARSDICE_KEYS", b64encode(b"k" * 32).decode())

    async def opened() -> None:
        async with open_sealed_database(tmp_path):
            pass

    asyncio.run(opened())
    asyncio.run(opened())
    last = "DELETE FROM liarsdice.migrations WHERE number = (SELECT max(number) FROM liarsdice.migrations)"
    on_connection(url, lambda connection: connection.execute(last))
    with pytest.raises(SchemaTooOld, match="run `liarsdice migrate`"):
        asyncio.run(opened())


@pytest.mark.parametrize(("processes", "lanes"), [(1, 4), (2, 4), (4, 4), (7, 7)])
def test_a_new_store_has_a_lane_for_each_process_and_one_that_exists_keeps_what_it_has(
    processes: int, lanes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", empty_database())
    monkeypatch.setenv("LIARSDICE_KEYS", b64encode(b"k" * 32).decode())

    async def lanes_with(processes: int) -> int:
        async with open_sealed_database(tmp_path, processes) as (url, _):
            return await lanes_of_database(url, "liarsdice_appender")

    assert asyncio.run(lanes_with(processes)) == lanes
    assert asyncio.run(lanes_with(9)) == lanes


def test_an_embedded_store_has_a_lane_and_as_many_connections_as_its_processes_need(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)

    async def opened_with(folder: Path, processes: int) -> tuple[int, int]:
        async with open_sealed_database(folder, processes) as (url, _):
            connection = await asyncpg.connect(url)
            connections = int(await connection.fetchval("SHOW max_connections"))
            await connection.close()
            return await lanes_of_database(url, "liarsdice_appender"), connections

    with folder_for_a_server() as one, folder_for_a_server() as two:
        assert asyncio.run(opened_with(Path(one), 1)) == (1, 100)
        assert asyncio.run(opened_with(Path(two), 2)) == (4, 176)


def test_keys_are_handed_on_as_they_were_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("DATABASE_URL", "LIARSDICE_KEYS", "LIARSDICE_LOG_KEYS"):
        monkeypatch.delenv(variable, raising=False)
    handed = keys_to_hand(tmp_path, None)
    log_keys = find_log_keys(tmp_path)
    add_key(tmp_path / "keys")

    assert pickle.loads(pickle.dumps(handed)).sealing().ids == keys_in_file(tmp_path / "keys").ids[:1]  # noqa: S301 - our own
    assert (handed.signing().vkeys, handed.origin) == (log_keys.vkeys, log_keys.origin)
    assert not any(text in repr(handed) for text in handed.texts.values())
