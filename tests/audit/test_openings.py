"""The openings of a round are published when it ends, so bundles need no key; those of a running round never are."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import asyncpg
import pytest
from eventsourcing.persistence import StoredEvent
from msgspec.structs import replace

from domain.events import CupsLifted
from infra.events.evidence import split_evidence
from infra.keys.log_keys import SignerRing
from infra.log.entries import FIRST_FORM
from infra.postgres.event_reader import EventReader
from infra.postgres.log_reader import LogReader
from infra.postgres.migrating import Connection, migrate
from services.audit import logbook as keeping
from services.audit.audits import Audits
from services.audit.bundle import BundledEvent, Inclusion, write_bundle
from services.audit.dispute_reader import DisputeReader
from services.audit.logbook import is_leaf, leaf_of
from services.audit.published_log import PublishedLog
from services.audit.refusals import GameNotOverYet, LogBehind, RoundNotOver
from services.audit.rounds import Rounds
from services.verifier import Failed, verify
from tests.audit.stored_games import MAPPER, Opened, games, on_log, openings_of, store_games
from tests.audit.test_checking import checked, store_with_log, with_all_rights
from tests.infra.postgres.databases import login, new_database, on_connection
from tests.servers import LOG_KEYS

PLAYED = games(5, seed=9)


def ends_of(events: Sequence[StoredEvent]) -> list[tuple[int | None, int]]:
    """The ended rounds of a game, and its own end as None, each with its version."""
    return [(leaf_of(event, b"").round, event.originator_version) for event in events if is_leaf(event)]


@asynccontextmanager
async def reading(url: str) -> AsyncIterator[tuple[Audits, LogReader, EventReader]]:
    """A process that has no key of any kind."""
    store, log = await EventReader.open(url), await LogReader.open(url)
    try:
        yield Audits(store, log), log, store
    finally:
        await log.close()
        await store.close()


def with_the_keys(events: Sequence[StoredEvent], round_number: int | None, version: int, inclusion: Inclusion) -> bytes:
    """The bundle that a process with the keys makes."""
    bundled = []
    for event in events[:version]:
        public, evidence = split_evidence(event.state)
        bundled.append(
            BundledEvent(
                version=event.originator_version,
                topic=event.topic,
                public=public,
                commitment=evidence.commitment,
                opened=MAPPER.opening(event),
                signed=evidence.signed,
                digest=evidence.digest,
            )
        )
    return write_bundle(str(events[0].originator_id), round_number, bundled, inclusion)


async def all_bundles(audits: Audits) -> dict[tuple[str, int | None], bytes]:
    return {
        (game_id, number): await audits.bundle(game_id, number)
        for game_id, events in PLAYED.items()
        for number, _ in ends_of(events)
    }


def test_a_bundle_is_made_without_any_key_and_is_byte_for_byte_that_of_the_keys() -> None:
    """By a login that may do nothing but read."""
    url = store_with_log(5)
    reader = login("only_reads", "IN ROLE liarsdice_reader", owns=False, url=url)

    async def work() -> None:
        async with reading(reader) as (audits, log, store):
            latest = await log.checkpoint()
            assert latest is not None
            for game_id in PLAYED:
                events = await store.read_stream(game_id)
                for number, version in ends_of(events):
                    found = await log.find(game_id, number)
                    assert found is not None
                    proof = await log.inclusion(found[0], latest[0])
                    note, key = latest[1].decode(), LOG_KEYS.vkeys[-1]
                    inclusion = Inclusion(leaf=found[0], proof=proof, checkpoint=note, key=key)
                    bundle = await audits.bundle(game_id, number)
                    assert bundle == with_the_keys(events, number, version, inclusion)
                    assert verify(bundle, key).round == number

    asyncio.run(work())


def test_whoever_reads_has_checkpoints_proofs_disputes_and_rounds_without_a_key() -> None:
    url = store_with_log(5)

    async def work() -> None:
        async with reading(url) as (_, log, store):
            latest = await PublishedLog(log).latest()
            assert latest.keys == LOG_KEYS.vkeys
            assert latest.size == sum(len(ends_of(events)) for events in PLAYED.values())
            assert await PublishedLog(log).consistency(1, latest.size)
            assert await DisputeReader(store).as_they_stand("sim-9-000000") == []
            assert await Rounds(log, DisputeReader(store)).of("sim-9-000000", (), None) == []

    asyncio.run(work())


def test_nothing_of_a_round_that_goes_on_is_laid_open_and_of_an_ended_one_only_what_the_cups_told() -> None:
    """Looked at after every few events, while others go on."""
    chance = Random(5)
    rest = {game_id: list(events) for game_id, events in PLAYED.items()}
    looked = 0

    async def work(opened: Opened) -> None:
        nonlocal looked
        logbook = opened.logbook()
        await logbook.start()
        while rest:
            game_id = chance.choice(list(rest))
            size = chance.randint(1, 40)
            piece, rest[game_id] = rest[game_id][:size], rest[game_id][size:]
            await opened.store.append(piece, f"{game_id}/{piece[0].originator_version}")
            await logbook.caught_up(10)
            events = PLAYED[game_id][: piece[-1].originator_version]
            ends = [version for _, version in ends_of(events)]
            laid_open = await opened.log.openings(game_id, 1 << 40)
            assert laid_open == openings_of(events[: ends[-1] if ends else 0])
            told = [MAPPER.to_domain_event(event).event for event in events]
            known = {deal.server_link for event in told if isinstance(event, CupsLifted) for deal in event.deals}
            for version in laid_open:
                dealt: Any = told[version - 1]
                assert dealt.server_link in known
            looked += len(openings_of(events)) > len(laid_open)
            if not rest[game_id]:
                del rest[game_id]
        await logbook.close()

    on_log(new_database(2), work)

    assert looked > 10, "or nothing was hidden when it was looked"


def test_nobody_without_a_key_gets_a_round_before_its_time() -> None:
    async def work(opened: Opened) -> None:
        game_id, events = next(iter(PLAYED.items()))
        (number, version), *_ = ends_of(events)
        ended_at = MAPPER.to_domain_event(events[version - 1]).event.at
        await opened.store.append(events[: version - 1], "before its end")
        await opened.logged()
        audits = Audits(opened.store, opened.log)
        with pytest.raises(RoundNotOver):
            await audits.bundle(game_id, number)
        await opened.store.append(events[version - 1 :], "its end")
        with pytest.raises(LogBehind):
            await audits.bundle(game_id, number)
        # For a reader who may not know of the end yet, the round looks as if it were running, logged or not.
        with pytest.raises(RoundNotOver):
            await audits.bundle(game_id, number, ended_at - 1)
        with pytest.raises(GameNotOverYet):
            await audits.bundle(game_id, None, ended_at - 1)
        await opened.logged()
        with pytest.raises(RoundNotOver):
            await audits.bundle(game_id, number, ended_at - 1)
        assert verify(await audits.bundle(game_id, number, ended_at)).round == number

    on_log(new_database(), work)


@pytest.fixture
def first_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let leaves be written as an older version of the program wrote them."""
    monkeypatch.setattr(keeping, "leaf_of", lambda stored, digest: replace(leaf_of(stored, digest), form=FIRST_FORM))


def as_it_was_before(url: str) -> None:
    """Remove all openings from a store, as if it were older than openings."""

    async def back(connection: Connection) -> None:
        await connection.execute("DROP TABLE liarsdice.log_openings, liarsdice.log_keys")
        await connection.execute("DROP TABLE liarsdice.cosigned_checkpoints, liarsdice.witnessing, liarsdice.published")
        await connection.execute("DROP TABLE lane_0.duty, liarsdice.servers")
        await connection.execute("ALTER TABLE liarsdice.log_leaves DROP COLUMN form")
        await connection.execute(
            "DROP INDEX liarsdice.checkpoints_made_at_number_idx, liarsdice.checkpoints_size_number_idx"
        )
        await connection.execute("DROP INDEX lane_0.lobby_owner_id_idx")
        for policy in await connection.fetch("SELECT policyname, schemaname, tablename FROM pg_policies"):
            await connection.execute("DROP POLICY {} ON {}.{}".format(*policy))
        await connection.execute("ALTER TABLE liarsdice.model_positions DROP COLUMN caught_up_at")
        await connection.execute("DELETE FROM liarsdice.migrations WHERE number >= 10")

    on_connection(url, back)
    assert on_connection(url, migrate)[0] == "0010_openings.sql"


async def completed(log: LogReader) -> None:
    """Wait until every leaf has its openings."""
    while await log.without_openings(0, 1 << 40, 1):  # noqa: ASYNC110 - the database does not tell
        await asyncio.sleep(0.01)


@pytest.mark.usefixtures("first_form")
def test_an_old_store_is_completed_in_steps_by_several_who_are_stopped_at_any_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = store_with_log(5)
    monkeypatch.setattr(keeping, "_COMPLETED_AT_ONCE", 2)
    monkeypatch.setattr(keeping, "_WINDOW", 5)
    chance = Random(1)

    async def before() -> dict[tuple[str, int | None], bytes]:
        async with reading(url) as (audits, _, _):
            return await all_bundles(audits)

    async def keep(opened: Opened) -> None:
        while True:
            logbook = opened.logbook()
            await logbook.start()
            await asyncio.sleep(chance.random() * 0.02)
            await logbook.close()

    async def work(opened: Opened) -> dict[tuple[str, int | None], bytes]:
        assert (await PublishedLog(opened.log).latest()).keys == ()
        audits = Audits(opened.store, opened.log)
        with pytest.raises(LogBehind):
            await audits.bundle("sim-9-000000", 1)
        assert (await checked(url)).differences == ()
        keepers = [asyncio.create_task(keep(opened)) for _ in range(2)]
        await asyncio.sleep(0.2)
        for keeper in keepers:
            keeper.cancel()
        await asyncio.gather(*keepers, return_exceptions=True)
        last = opened.logbook()
        await last.start()
        await completed(opened.log)
        await last.close()
        return await all_bundles(audits)

    complete = asyncio.run(before())
    as_it_was_before(url)
    assert on_log(url, work) == complete
    assert asyncio.run(checked(url)).differences == ()


@pytest.mark.usefixtures("first_form")
def test_who_keeps_the_log_of_an_old_store_completes_at_once_what_is_asked_for() -> None:
    url = store_with_log(2)
    as_it_was_before(url)

    async def work(opened: Opened) -> None:
        await opened.log.note_keys(LOG_KEYS.vkeys)
        audits = Audits(opened.store, opened.log)
        with pytest.raises(LogBehind):
            await audits.bundle("sim-9-000001", 1)
        await opened.logbook().prepare("sim-9-000001", 1)
        assert verify(await audits.bundle("sim-9-000001", 1)).round == 1

    on_log(url, work)


def test_a_leaf_that_an_older_program_adds_beside_this_one_is_completed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "_REST_SECONDS", 0.05)
    played = games(2, seed=9)
    first, second = played

    async def work(opened: Opened) -> None:
        await opened.store.append(played[first], "first")
        await opened.logged()
        logbook = opened.logbook()
        await logbook.start()
        await asyncio.sleep(0.2)  # By now it has found nothing to complete.

        async def nothing(_ends: object) -> dict[tuple[str, int], dict[int, bytes]]:
            return {}

        older = opened.logbook()
        monkeypatch.setattr(older._opener, "opened", nothing)  # noqa: SLF001 - an older program does not open
        monkeypatch.setattr(logbook, "_take", lambda *_: asyncio.sleep(60))
        await older.start()
        await opened.store.append(played[second], "second")
        await older.caught_up(10)
        await older.close()
        await completed(opened.log)
        assert await opened.log.openings(second, 1 << 40) == openings_of(played[second])
        await logbook.close()

    on_log(new_database(1), work)


def test_a_seal_that_does_not_open_stops_no_other_round_and_is_told(caplog: pytest.LogCaptureFixture) -> None:
    url, played = new_database(1), games(2, seed=9)
    first, second = played
    dealt = next(iter(openings_of(played[first])))

    def broken(event: StoredEvent) -> StoredEvent:
        start = event.state.index(b'"sealed":"') + 30
        flipped = b"A" if event.state[start : start + 1] != b"A" else b"B"
        state = event.state[:start] + flipped + event.state[start + 1 :]
        return StoredEvent(event.originator_id, event.originator_version, event.topic, state)

    played[first][dealt - 1] = broken(played[first][dealt - 1])

    async def work(opened: Opened) -> None:
        await store_games(opened.store, played)
        await opened.logged()
        audits = Audits(opened.store, opened.log)
        await opened.logbook().prepare(first, None)
        with pytest.raises(LogBehind):
            await audits.bundle(first, None)
        assert verify(await audits.bundle(second, None)).round is None

    on_log(url, work)

    assert f"event {dealt} of game {first} does not open" in caplog.text
    assert any(f"Event {dealt} of game {first}" in difference for difference in asyncio.run(checked(url)).differences)


def test_a_bundle_with_a_wrong_opening_is_refused_by_the_verifier_and_told_by_the_check() -> None:
    url = store_with_log(2)

    async def work() -> tuple[bytes, tuple[str, ...]]:
        connection = await with_all_rights(url)
        edit = "UPDATE liarsdice.log_openings SET openings[1] = sha256(openings[1]) || substr(openings[1], 33)"
        await connection.execute(f"{edit} WHERE leaf = 0")
        leaf = await connection.fetchrow("SELECT game_id, round FROM liarsdice.log_leaves WHERE index = 0")
        await connection.close()
        async with reading(url) as (audits, _, _):
            return await audits.bundle(leaf["game_id"], leaf["round"]), (await checked(url)).differences

    bundle, differences = asyncio.run(work())

    with pytest.raises(Failed) as failed:
        verify(bundle)
    assert failed.value.check == "commitments"
    assert len(differences) == 1
    assert "does not open it" in differences[0]


def test_an_event_that_is_missing_brings_nothing_after_the_end_into_a_bundle() -> None:
    url = store_with_log(2)
    (_, version), *_ = ends_of(PLAYED["sim-9-000000"])

    async def work() -> bytes:
        connection = await with_all_rights(url)
        await connection.execute(
            "DELETE FROM lane_0.stored_events WHERE originator_id = 'sim-9-000000' AND originator_version = 3"
        )
        await connection.close()
        async with reading(url) as (audits, _, _):
            return await audits.bundle("sim-9-000000", 1)

    bundle = asyncio.run(work())

    assert f'"version":{version},' in bundle.decode()
    assert f'"version":{version + 1},' not in bundle.decode()
    with pytest.raises(Failed):
        verify(bundle)


def test_a_checkpoint_is_told_with_the_keys_that_signed_it_and_no_others() -> None:
    """So a bundle names a key that its checkpoint is signed with, whatever keys the other server has."""
    url = store_with_log(1)

    async def work() -> None:
        connection = await asyncpg.connect(url)
        other = SignerRing(LOG_KEYS.origin, [b"x" * 32])
        await connection.execute("INSERT INTO liarsdice.log_keys (vkey) VALUES ($1)", other.vkeys[0])
        await connection.close()
        async with reading(url) as (audits, log, _):
            assert (await PublishedLog(log).latest()).keys == LOG_KEYS.vkeys
            assert verify(await audits.bundle("sim-9-000000", None), LOG_KEYS.vkeys[0]).round is None

    asyncio.run(work())
