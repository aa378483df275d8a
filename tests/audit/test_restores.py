"""The log when a database fails over or is restored: what is published stays, and what is lost is said."""

import asyncio
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from domain.refusals import Refusal
from infra.keys.log_keys import SignerRing, create_log_keys, log_keys_in_file
from infra.log.checkpoints import open_checkpoint, read_checkpoint
from infra.log.notes import read_note
from infra.log.succession import Succession, open_succession, sign_succession
from infra.postgres.audit_log import AuditLog, Ending, SigningStopped
from infra.postgres.connections import CommitInDoubt, connect_appender, open_pool
from infra.postgres.event_reader import EventReader
from infra.postgres.log_reader import Leaf, LogReader
from services.audit.audits import Audits
from services.audit.logbook import Logbook
from services.audit.store_check import StoreCheck
from services.cli.main import main
from services.verifier import Failed, verify
from tests.audit.stored_games import MAPPER, Opened, games, on_log, store_games
from tests.infra.postgres.databases import new_database, on_connection, server_url
from tests.infra.postgres.standbys import Standby, with_standby
from tests.servers import KEYS_ENVIRONMENT, LOG_KEYS

PLAYED = games(4)
BEFORE, AFTER = dict(list(PLAYED.items())[:2]), dict(list(PLAYED.items())[2:])
ORIGIN = "dice.example/log"


async def logged(opened: Opened, keys: SignerRing) -> None:
    """Let the log take in everything."""
    logbook = Logbook(opened.store, opened.feed, opened.log, MAPPER, keys, duties=opened.duties)
    await logbook.start()
    await logbook.caught_up(30)
    await logbook.close()


def played(url: str, games: dict[str, list[object]], keys: SignerRing) -> bytes:
    """Store games and log them; returns the checkpoint."""

    async def work(opened: Opened) -> bytes:
        await store_games(opened.store, games)  # type: ignore[arg-type]  # they are what it takes
        await logged(opened, keys)
        found = await opened.log.checkpoint()
        assert found is not None
        return found[1]

    return on_log(url, work)


def backup(url: str) -> str:
    """A copy of a database as it is now."""
    name = urlsplit(url).path.removeprefix("/")
    copy = f"{name}_copy"
    on_connection(server_url(), lambda connection: connection.execute(f"CREATE DATABASE {copy} TEMPLATE {name}"))
    return urlunsplit(urlsplit(url)._replace(path=f"/{copy}"))


class Restored:
    """A server whose database was restored to an older state than the world has seen."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.old = folder, create_log_keys(folder / "log-keys", ORIGIN)
        url = new_database()
        self.first = played(url, BEFORE, self.old)  # type: ignore[arg-type]  # as above
        self.url = backup(url)
        self.last = folder / "last"
        self.last.write_bytes(played(url, AFTER, self.old))  # type: ignore[arg-type]  # as above
        monkeypatch.setenv("DATABASE_URL", self.url)
        monkeypatch.setenv("LIARSDICE_KEYS", KEYS_ENVIRONMENT["LIARSDICE_KEYS"])
        monkeypatch.delenv("LIARSDICE_LOG_KEYS", raising=False)

    def renew(self, checkpoint: Path, *flags: str) -> int:
        return main(
            ["renew-log", str(checkpoint), "--data", str(self.folder), "--out", str(self.folder / "note"), *flags]
        )


@pytest.fixture
def restored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Restored:
    return Restored(tmp_path, monkeypatch)


def test_a_log_that_begins_anew_commits_to_the_last_checkpoint_of_the_old_one(
    restored: Restored, capsys: pytest.CaptureFixture[str]
) -> None:
    assert restored.renew(restored.last, "--origin", f"{ORIGIN}/2") == 0
    told = capsys.readouterr().out
    new = log_keys_in_file(restored.folder / "log-keys")
    last = read_checkpoint(read_note(restored.last.read_bytes()).text)
    first = read_checkpoint(read_note(restored.first).text)
    succession = open_succession((restored.folder / "note").read_bytes(), (*restored.old.verifiers, *new.verifiers))

    assert new.origin == f"{ORIGIN}/2"
    assert new.vkeys[0] in told
    assert f"{last.size - first.size} leaves that were published are lost" in told
    assert succession.last == last
    assert (succession.first.origin, succession.first.size, succession.first.root) == (
        new.origin,
        first.size,
        first.root,
    )
    assert log_keys_in_file(restored.folder / f"log-keys.until-{last.size}").vkeys == restored.old.vkeys

    async def work(opened: Opened) -> None:
        with pytest.raises(SigningStopped):
            await opened.log.sign_again(restored.old)
        await store_games(opened.store, AFTER)
        await logged(opened, new)
        (key,) = new.vkeys
        store = await EventReader.open(restored.url)
        try:
            assert (await StoreCheck(store, opened.log, MAPPER, new.vkeys).run()).differences == ()
            for game_id in PLAYED:
                bundle = await Audits(store, opened.log).bundle(game_id, None)
                assert verify(bundle, key).game_id == game_id
                with pytest.raises(Failed):
                    verify(bundle, restored.old.vkeys[0])
        finally:
            await store.close()

    on_log(restored.url, work)


def test_what_is_cut_off_in_the_middle_is_completed_by_the_same_command(restored: Restored) -> None:
    async def cut_off() -> None:
        log = await AuditLog.open(restored.url)
        await log.begin_anew(restored.old, create_log_keys(restored.folder / "log-keys.new"))
        await log.close()

    asyncio.run(cut_off())
    assert restored.renew(restored.last) == 0
    new = log_keys_in_file(restored.folder / "log-keys")
    note = (restored.folder / "note").read_bytes()
    assert open_succession(note, (*restored.old.verifiers, *new.verifiers)).first.origin == new.origin


@pytest.mark.parametrize(
    ("which", "sentence"),
    [
        ("its own", "the log can go on"),
        ("an older one", "more than the"),
        ("of another log", "has no checkpoint of this log"),
        ("none", "can't read"),
        ("the same name", "needs another name"),
    ],
)
def test_a_log_that_need_not_begin_anew_does_not(
    restored: Restored, capsys: pytest.CaptureFixture[str], which: str, sentence: str
) -> None:
    older = SignerRing(ORIGIN, [b"x" * 32])
    given, flags = restored.folder / "given", tuple[str, ...]()
    match which:
        case "its own":
            given.write_bytes(restored.first)
        case "an older one":
            small = read_checkpoint(read_note(restored.first).text)
            given.write_bytes(bytes(restored.old.sign(type(small)(ORIGIN, 1, bytes(32)))))
        case "of another log":
            other = read_checkpoint(read_note(restored.last.read_bytes()).text)
            given.write_bytes(bytes(older.sign(other)))
        case "the same name":
            given, flags = restored.last, ("--origin", ORIGIN)
        case _:
            pass

    assert restored.renew(given, *flags) == 2
    assert sentence in capsys.readouterr().err
    assert log_keys_in_file(restored.folder / "log-keys").vkeys == restored.old.vkeys
    played(restored.url, AFTER, restored.old)  # type: ignore[arg-type]  # the log can still go on


def test_a_succession_that_not_both_logs_have_signed_is_refused() -> None:
    old, new = SignerRing("old", [b"o" * 32]), SignerRing("new", [b"n" * 32])
    liar = SignerRing("new", [b"l" * 32])
    ends = [read_checkpoint(f"{name}\n{size}\n{'A' * 43}=\n") for name, size in (("old", 9), ("new", 7))]
    note = sign_succession(Succession(*ends), old, new)

    assert open_succession(note, (*old.verifiers, *new.verifiers)) == Succession(*ends)
    for keys in (old.verifiers, new.verifiers, (*old.verifiers, *liar.verifiers)):
        with pytest.raises(Refusal):
            open_succession(note, keys)
    with pytest.raises(Refusal):
        open_succession(note.replace(b"\n9\n", b"\n8\n"), (*old.verifiers, *new.verifiers))
    with pytest.raises(Refusal):
        open_checkpoint(note, (*old.verifiers, *new.verifiers))


A_WHILE_SECONDS = 0.4


def test_a_checkpoint_is_published_once_the_named_standbys_have_it_and_no_giving_up_publishes_it() -> None:
    """If its client cancels a commit that waits for a standby, Postgres shows it at once. So nobody may cancel it."""

    async def work(url: str, standby: Standby) -> None:
        reader, log = await LogReader.open(url), await AuditLog.open(url)
        await standby.away()
        logging = asyncio.create_task(_log_a_game(log))
        await standby.waiting()
        assert await reader.checkpoint() is None
        logging.cancel()
        await asyncio.gather(logging, return_exceptions=True)
        await asyncio.sleep(A_WHILE_SECONDS)
        assert await reader.checkpoint() is None, "giving up has published it"
        await standby.back()
        await _log_a_game(log)
        assert await reader.checkpoint() is not None
        for one in (reader, log):
            await one.close()

    with_standby(work)


def test_a_checkpoint_whose_wait_somebody_ends_is_published_only_once_the_standby_is_back() -> None:
    """Postgres then shows the commit to everybody. As after a restart of the primary, no standby has it."""

    async def work(url: str, standby: Standby) -> None:
        reader, log = await LogReader.open(url), await AuditLog.open(url)
        await standby.away()
        logging = asyncio.create_task(_log_a_game(log))
        await standby.waiting()
        await standby.cancel_waits()
        with pytest.raises(CommitInDoubt):
            await logging
        assert await log.latest() is not None, "the database shows it"
        unpublished = (await reader.checkpoint(), await reader.checkpoint_of(1), await reader.published(0))
        assert unpublished == (None, None, None)

        again = asyncio.create_task(_log_a_game(log))
        await standby.waiting()
        assert await reader.checkpoint() is None
        await standby.back()
        await again
        size, note = await reader.checkpoint() or (0, b"")
        assert (size, await reader.checkpoint_of(1), await reader.published(0)) == (1, note, (1, note))
        for one in (reader, log):
            await one.close()

    with_standby(work)


def test_a_checkpoint_that_was_not_published_before_a_stop_is_published_after_the_next_start() -> None:
    async def work(url: str, standby: Standby) -> None:
        reader, log = await LogReader.open(url), await AuditLog.open(url)
        await standby.away()
        logging = asyncio.create_task(_log_a_game(log))
        await standby.waiting()
        await standby.cancel_waits()
        await asyncio.gather(logging, return_exceptions=True)
        await standby.back()
        await log.close()
        assert await reader.checkpoint() is None

        log = await AuditLog.open(url)
        await log.sign_again(LOG_KEYS)
        assert await reader.checkpoint() is not None
        for one in (reader, log):
            await one.close()

    with_standby(work)


async def _log_a_game(log: AuditLog) -> None:
    leaf = Leaf("game", 9, "game-ended.v1", None, bytes(32))
    await log.follow(0, [Ending(1, leaf, None)], 1, LOG_KEYS)


@pytest.mark.parametrize(
    ("asked", "used"), [("off", "on"), ("on", "on"), ("remote_apply", "remote_apply"), ("local", "local")]
)
def test_what_the_operator_asks_of_commits_is_kept_unless_it_is_nothing(asked: str, used: str) -> None:
    url = new_database()
    name = urlsplit(url).path.removeprefix("/")
    on_connection(url, lambda one: one.execute(f"ALTER DATABASE {name} SET synchronous_commit = {asked}"))

    async def settings() -> list[str]:
        appender = await connect_appender(url)
        pool = await open_pool(url, "liarsdice_log", durable=True)
        try:
            return [await one.fetchval("SHOW synchronous_commit") for one in (appender, pool)]
        finally:
            await appender.close()
            await pool.close()

    assert asyncio.run(settings()) == [used, used]
