"""A backup is made while people play, and a moment is restored from it, by the commands of docs/operate/backup.md."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from urllib.parse import quote

import asyncpg
import pytest

from domain.history.record import decode_record
from infra.embedded.host import account_for, give, program
from infra.embedded.postgres import EmbeddedPostgres
from infra.events.evidence import digest_of
from infra.keys.key_ring import create_keys, keys_in_file
from infra.keys.log_keys import create_log_keys, log_keys_in_file
from infra.log.notes import Cosigner
from infra.log.witness import LogRolledBack, Witness
from infra.postgres.event_reader import EventReader
from infra.postgres.log_reader import LogReader
from infra.postgres.migrating import migrate
from services.app.settings import Settings
from services.app.wiring import serving
from services.tables.unfinished import unfinished_games
from tests.backup_manifest import differences
from tests.extent import extent
from tests.infra.postgres.databases import folder_for_a_server, made_store, on_connection
from tests.journals import Evening, Journal
from tests.rpc.servers import Player, Server, Told, channel_to
from tests.servers import projected

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "operate" / "backup.md"
BLOCKS = re.findall(r"```bash\n(.*?)```", PAGE.read_text(), re.DOTALL)
ARCHIVE, BACK_UP, STOP, RESTORE, CHECK, RENEW, ABANDON, SAFE_AGAIN = BLOCKS
PAIRS, GAMES_LOST = extent(3, 12), extent(2, 60)
SETTINGS = Settings(sweep_seconds=0.05, grace_seconds=1.0, check_events_max=1_000_000)
EMPTY = """
listen_addresses = ''
unix_socket_directories = '{folder}'
fsync = off
full_page_writes = on
"""
"""What the test adds to Postgres's own configuration: a socket in its folder. It loses nothing here without `fsync`."""


@cache
def runs(name: str) -> bool:
    """Whether a program of the wheel runs at all: its linker has damaged one of them."""
    return subprocess.run([program(name), "--version"], capture_output=True, check=False).returncode == 0


class Site:
    """A machine with a Postgres, where somebody follows the page."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data = folder, folder / "data"
        self.account = account_for(made_store(folder / "postgres"))
        for name in ("archive", "safe", "data"):
            (folder / name).mkdir()
            give(folder / name, self.account)
        folder.chmod(0o711)
        give(folder, self.account)
        password = (folder / "postgres" / "password").read_text()
        self.url = f"postgresql://liarsdice:{quote(password)}@/postgres?host={quote(str(folder))}"
        self.environment = {
            "PATH": f"{program('psql').parent}:{os.defpath}",
            "PGHOST": str(folder),
            "PGUSER": "liarsdice",
            "PGPASSWORD": password,
            "PGDATABASE": "postgres",
            "PGDATA": str(folder / "postgres" / "cluster"),
            "ARCHIVE": str(folder / "archive"),
            "BACKUP": str(folder / "backup"),
            "RESTORED": str(folder / "restored"),
            "SAFE": str(folder / "safe"),
            "DATA": str(self.data),
            "DATABASE_URL": self.url,
            "PYTHONPATH": f"{ROOT}:{ROOT / 'proto' / 'gen'}",
        }
        configuration = folder / "postgres" / "cluster" / "postgresql.auto.conf"
        configuration.write_text(configuration.read_text() + EMPTY.format(folder=folder))

    def follow(self, block: str, *, exit_code: int = 0, **variables: str) -> str:
        """Run a block of the page; what it printed."""
        programs = f'liarsdice() {{ {sys.executable} -m services.cli "$@"; }}\n'
        if not runs("pg_verifybackup"):
            programs += "pg_verifybackup() { :; }\n"  # The test compares the backup with its manifest by itself, too.
        # Postgres refuses to run as root, and its account need not reach our Python.
        is_ours = os.geteuid() != 0 or "liarsdice" in block
        told = self.folder / "told"
        with told.open("wb") as output:  # A file and no pipe, which a server that is started here would keep open.
            ran = subprocess.run(
                ["/bin/bash", "-eu", "-c", programs + block],
                env=self.environment | variables,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                check=False,
                timeout=60,
                user=None if is_ours else self.account.user,
                group=None if is_ours else self.account.group,
            )
        assert ran.returncode == exit_code, told.read_text()
        return told.read_text()

    def make_keys(self) -> None:
        create_keys(self.data / "keys")
        create_log_keys(self.data / "log-keys", "dice.example/backup")
        for path in self.data.iterdir():
            give(path, self.account)

    @asynccontextmanager
    async def served(self) -> AsyncIterator[Server]:
        """`liarsdice serve` on the database as it is now."""
        keys, log_keys = keys_in_file(self.data / "keys"), log_keys_in_file(self.data / "log-keys")
        async with serving(self.url, keys, log_keys, SETTINGS) as running, channel_to(running) as channel:
            yield Server(running, channel)


@pytest.fixture
def site() -> Iterator[Site]:
    with folder_for_a_server() as folder:
        found = Site(Path(folder))
        found.make_keys()
        found.follow("pg_ctl start --wait --silent --log=$PGDATA/../start.log")
        try:
            yield found
        finally:
            for directory in ("$PGDATA", "$RESTORED"):
                found.follow(f"pg_ctl stop --pgdata={directory} --mode=immediate || true")


class Past:
    """What the world knows when the database is lost."""

    def __init__(self) -> None:
        self.journal = Journal()
        self.moment = datetime.min.replace(tzinfo=UTC)
        self.token_before = self.token_after = ""
        self.exported: list[bytes] = []
        self.last = b""
        self.reader = ("", "")


async def exported(reader: Player, after: str = "") -> tuple[list[bytes], str]:
    """The records of an export, and the token to go on after it."""
    answers = [answer async for answer in reader.export(after=after)]
    return [record for answer in answers for record in answer.records], answers[-1].resume_token


async def exported_once_ready(reader: Player, after: str, evening: Evening) -> tuple[list[bytes], str]:
    """What comes after a token that is ahead of the store, once the store has grown past it."""
    while True:
        await evening.more(games=2)
        try:
            return await exported(reader, after)
        except Told as told:
            assert told.reason == "EXPORT_NOT_READY", told  # noqa: PT017 - anything else is a fault


async def play(site: Site, past: Past) -> None:
    """Play; back up meanwhile; note a moment; play on."""
    async with site.served() as server:
        reader = await server.player("Reader")
        past.reader = (reader.token, reader.player_id)
        evening = Evening(past.journal)
        await evening.begin(server, PAIRS)
        await evening.more(games=1)
        await asyncio.to_thread(site.follow, BACK_UP)
        await evening.more(commands=20, games=1)
        past.exported, past.token_before = await exported(reader)
        await evening.more(commands=10)
        connection = await asyncpg.connect(site.url)
        past.moment = await connection.fetchval("SELECT clock_timestamp()")
        await connection.close()
        await evening.more(games=GAMES_LOST, commands=30)
        _, past.token_after = await exported(reader)
        past.last = (await reader.ask("GetCheckpoint")).checkpoint
        await evening.stop()


@pytest.mark.at_length
def test_a_moment_is_restored_with_everything_that_was_answered_before_it_and_nothing_after_it(site: Site) -> None:
    past = Past()
    site.follow(ARCHIVE)
    on_connection(site.url, lambda connection: migrate(connection, 2))
    asyncio.run(play(site, past))
    assert not differences(site.folder / "backup")
    site.follow(STOP)
    for name in ("keys", "log-keys"):
        (site.data / name).unlink()
    site.follow(RESTORE, MOMENT=past.moment.isoformat())
    asyncio.run(check_events(site, past))
    assert "everything is as it was signed" in site.follow(CHECK)
    check_log(site, past)
    asyncio.run(check_service(site, past))
    site.follow(SAFE_AGAIN)
    check_embedded(site)


def check_embedded(site: Site) -> None:
    """A restored directory can also be that of an embedded Postgres."""
    site.follow('pg_ctl stop --pgdata="$RESTORED" --silent && rm -r "$PGDATA" && mv "$RESTORED" "$PGDATA"')
    with EmbeddedPostgres(site.folder / "postgres") as postgres:
        assert on_connection(postgres.url, lambda connection: connection.fetchval("SELECT NOT pg_is_in_recovery()"))


async def check_events(site: Site, past: Past) -> None:
    """What was answered before the moment is there once, what was sent after it is not."""
    moment = past.moment.timestamp()
    before, after = past.journal.before(moment), past.journal.after(moment)
    assert min(len(before), len(after)) >= 30
    store = await EventReader.open(site.url)
    stored = [event for lane in range(store.lanes) for event in await store.read_lane(lane, 0, 100_000)]
    there = [(str(event.originator_id), event.originator_version, digest_of(event.state)) for event in stored]
    await store.close()

    assert len(there) == len(set(there))
    assert {(one.game_id, one.version, one.digest) for one in before} <= set(there)
    assert not {(one.game_id, one.version, one.digest) for one in after} & set(there)


def check_log(site: Site, past: Past) -> None:
    """The world has seen more of the log than there is: it begins anew, and nobody could have gone on without a word."""
    old = log_keys_in_file(site.data / "log-keys")
    witness = Witness(site.folder / "witness", [Cosigner("witness.example", b"w" * 32)], old.verifiers)
    witness.observe(past.last)
    with pytest.raises(LogRolledBack):
        witness.observe(asyncio.run(checkpoint(site.url)))
    last = site.folder / "last"
    last.write_bytes(past.last)
    assert "leaves that were published are lost" in site.follow(RENEW, LAST=str(last))
    new = log_keys_in_file(site.data / "log-keys")
    assert new.origin != old.origin
    Witness(site.folder / "witness", [Cosigner("witness.example", b"w" * 32)], new.verifiers).observe(
        asyncio.run(checkpoint(site.url))
    )


async def checkpoint(url: str) -> bytes:
    """The latest checkpoint in a database."""
    log = await LogReader.open(url)
    try:
        found = await log.checkpoint()
        assert found is not None
        return found[1]
    finally:
        await log.close()


async def check_service(site: Site, past: Past) -> None:
    """Games that were running are abandoned, old answers are repeated, and readers miss nothing and get nothing twice."""
    store = await EventReader.open(site.url)
    unfinished = await unfinished_games(store)
    await store.close()
    assert unfinished
    for count in (len(unfinished), 0):
        assert f"{count} games were abandoned" in site.follow(ABANDON)
    async with site.served() as server:
        reader = Player(server.channel, *past.reader)
        for one in past.journal.before(past.moment.timestamp()):
            answer = await Player(server.channel, one.token).ask(one.method, **one.fields)
            if "result" in answer.DESCRIPTOR.fields_by_name:
                assert (answer.result.version, answer.result.digest) == (one.version, one.digest)
        evening = Evening(Journal())
        await evening.begin(server, PAIRS)
        late, token = await exported_once_ready(reader, past.token_after, evening)
        await evening.stop()
        for game_id in [*unfinished, *evening.ended]:
            await projected(server.running, game_id)
        late += (await exported(reader, token))[0]
        assert {*unfinished, *evening.ended} <= {decode_record(record).game_id for record in late}
        everything, _ = await exported(reader)
        new, _ = await exported(reader, past.token_before)
        assert sorted(new + past.exported) == sorted(everything)
        ids = [decode_record(record).game_id for record in everything]
        assert len(ids) == len(set(ids))
        assert {*unfinished, *evening.ended} <= set(ids)
