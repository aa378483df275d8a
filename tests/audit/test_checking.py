"""The check of a whole store finds nothing in an honest one, and everything that somebody with all rights changes."""

import asyncio
from random import Random
from typing import Any

import asyncpg
import pytest

from infra.events.mapping import EventMapper, EventTranscoder
from infra.keys.log_keys import SignerRing
from infra.postgres.audit_log import AuditLog
from infra.postgres.store import EventStore
from services.audit.store_check import Checked, StoreCheck, StoreDiffers, begin_check
from tests.audit.stored_games import MAPPER, Opened, games, on_log, store_games
from tests.extent import extent
from tests.infra.postgres.databases import new_database
from tests.servers import LOG_KEYS

TABLES = (
    "lane_0.stored_events",
    "lane_0.head",
    "liarsdice.log_leaves",
    "liarsdice.log_nodes",
    "liarsdice.log_openings",
    "liarsdice.checkpoints",
)


def store_with_log(count: int = 6) -> str:
    """A store with some games in it that are all in the log."""
    url = new_database(1)

    async def work(opened: Opened) -> None:
        await store_games(opened.store, games(count, seed=9), Random(2))
        await opened.logged()

    on_log(url, work)
    return url


async def checked(url: str, mapper: EventMapper = MAPPER, keys: SignerRing = LOG_KEYS) -> Checked:
    """What a check of a store finds."""
    store, log = await EventStore.open(url), await AuditLog.open(url)
    try:
        return await StoreCheck(store, log, mapper, keys.vkeys).run()
    finally:
        await log.close()
        await store.close()


async def with_all_rights(url: str) -> Any:
    """A connection of a superuser who has switched off every guard."""
    connection = await asyncpg.connect(url)
    for table in (*TABLES, "liarsdice.log_head"):
        await connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
    return connection


def test_an_honest_store_holds_with_the_keys_and_without() -> None:
    url = store_with_log()

    found = asyncio.run(checked(url))
    assert found.differences == ()
    assert found.events == sum(map(len, games(6, seed=9).values()))
    assert found.leaves == found.size > 6
    assert asyncio.run(checked(url, EventMapper(EventTranscoder()))).differences == ()


@pytest.mark.at_length
def test_every_byte_of_a_stored_event_that_is_changed_is_found() -> None:
    """Each time one random byte of one random event, in a store that is put right again afterwards."""
    url, chance = store_with_log(2), Random(4)

    async def work() -> list[str]:
        connection, missed = await with_all_rights(url), []
        rows = await connection.fetch("SELECT notification_id, state FROM lane_0.stored_events")
        for _ in range(extent(30, 1_000)):
            row = chance.choice(rows)
            state = bytearray(row["state"])
            state[chance.randrange(len(state))] ^= 1 << chance.randrange(8)
            await connection.execute(
                "UPDATE lane_0.stored_events SET state = $2 WHERE notification_id = $1",
                row["notification_id"],
                bytes(state),
            )
            if not (await checked(url)).differences:
                missed.append(bytes(state).decode(errors="replace"))
            await connection.execute(
                "UPDATE lane_0.stored_events SET state = $2 WHERE notification_id = $1",
                row["notification_id"],
                row["state"],
            )
        assert (await checked(url)).differences == ()
        await connection.close()
        return missed

    assert asyncio.run(work()) == []


SOME = "(SELECT notification_id FROM lane_0.stored_events WHERE topic = 'bid-placed.v1' ORDER BY 1 LIMIT 1 OFFSET 3)"
EDITS = {
    "an event is taken out": "DELETE FROM lane_0.stored_events WHERE notification_id = SOME",
    "the last events are taken out": "DELETE FROM lane_0.stored_events"
    " WHERE notification_id > (SELECT position - 5 FROM lane_0.head)",
    "a game is taken out": "DELETE FROM lane_0.stored_events WHERE originator_id = 'sim-9-000002'",
    "an event goes to another game": "UPDATE lane_0.stored_events SET originator_id = 'sim-9-000002', originator_version = 10000"
    " WHERE notification_id = SOME",
    "an event gets another topic": "UPDATE lane_0.stored_events SET topic = 'rolled.v1' WHERE notification_id = SOME",
    "a digest is taken out": "UPDATE lane_0.stored_events SET state = convert_to(regexp_replace("
    """convert_from(state, 'UTF8'), ',"digest":"[^"]*"', ''), 'UTF8') WHERE notification_id = SOME""",
    "a leaf is taken out": "DELETE FROM liarsdice.log_leaves WHERE index = 3",
    "the last leaf is taken out": "DELETE FROM liarsdice.log_leaves"
    " WHERE index = (SELECT max(index) FROM liarsdice.log_leaves)",
    "a leaf has another digest": "UPDATE liarsdice.log_leaves SET digest = sha256(digest) WHERE index = 3",
    "a leaf has another form": "UPDATE liarsdice.log_leaves SET form = 1 WHERE index = 3",
    "a leaf has another round": "UPDATE liarsdice.log_leaves SET round = 77 WHERE index = 0",
    "a node is another": "UPDATE liarsdice.log_nodes SET hash = sha256(hash) WHERE level = 1 AND index = 0",
    "a node is taken out": "DELETE FROM liarsdice.log_nodes WHERE level = 1 AND index = 1",
    "the checkpoint is another": "UPDATE liarsdice.checkpoints"
    " SET note = set_byte(note, 15, get_byte(note, 15) # 1) WHERE size = (SELECT max(size) FROM liarsdice.checkpoints)",
    "the last checkpoint is taken out": "DELETE FROM liarsdice.checkpoints"
    " WHERE number = (SELECT max(number) FROM liarsdice.checkpoints)",
    "the log says it is longer": "UPDATE liarsdice.log_head SET size = size + 3",
    "the log says it is shorter": "UPDATE liarsdice.log_head SET size = size - 1",
    "the log says it has followed further": "UPDATE lane_0.notification_tracking SET notification_id = 1000000",
    "it is not known where digests begin": "DELETE FROM liarsdice.settings WHERE name LIKE 'digests of%'",
    "it is said that digests begin later": """WITH later AS (
        UPDATE liarsdice.settings SET value = '1000000' WHERE name LIKE 'digests of%'
    ) UPDATE lane_0.stored_events SET state = convert_to(regexp_replace(
        convert_from(state, 'UTF8'), ',"digest":"[^"]*"', ''), 'UTF8') WHERE notification_id = SOME""",
    "sealed dice are taken out": """UPDATE lane_0.stored_events SET state = convert_to(regexp_replace(
        convert_from(state, 'UTF8'), ',"sealed":"[^"]*"', ''), 'UTF8') WHERE topic = 'dice-dealt.v1'""",
    "what opens an event is another": """UPDATE liarsdice.log_openings
        SET openings[1] = set_byte(openings[1], 40, get_byte(openings[1], 40) # 1) WHERE leaf = 0""",
    "what opens an event has another salt": """UPDATE liarsdice.log_openings
        SET openings[1] = sha256(openings[1]) || substr(openings[1], 33) WHERE leaf = 0""",
    "what opens an event is nothing": "UPDATE liarsdice.log_openings SET openings[1] = NULL WHERE leaf = 0",
    "what opens an event is taken out": "UPDATE liarsdice.log_openings SET versions = '{}', openings = '{}' WHERE leaf = 0",
    "what opens an event is what opens another": """UPDATE liarsdice.log_openings SET openings[1] = (
        SELECT openings[1] FROM liarsdice.log_openings WHERE leaf > 0 AND cardinality(openings) > 0 LIMIT 1
    ) WHERE leaf = 0""",
    "something opens an event after the leaf": """UPDATE liarsdice.log_openings
        SET versions = versions || 10000, openings = openings || openings[1] WHERE leaf = 0""",
    "there is no checkpoint": "DELETE FROM liarsdice.checkpoints",
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_what_somebody_with_all_rights_does_is_found(edit: str) -> None:
    url = store_with_log(4)

    async def work() -> Checked:
        connection = await with_all_rights(url)
        assert not (await connection.execute(edit.replace("SOME", SOME))).endswith(" 0")
        await connection.close()
        return await checked(url)

    assert asyncio.run(work()).differences


def test_events_that_are_made_anew_with_all_their_digests_do_not_fit_the_log() -> None:
    url = store_with_log(4)
    other = games(4, seed=10)

    async def work() -> tuple[str, ...]:
        connection = await with_all_rights(url)
        await connection.execute("DELETE FROM lane_0.stored_events WHERE originator_id = 'sim-9-000001'")
        positions = [
            row[0]
            for row in await connection.fetch(
                "SELECT number FROM generate_series(1, (SELECT position FROM lane_0.head)) AS number"
                " WHERE NOT EXISTS (SELECT FROM lane_0.stored_events WHERE notification_id = number)"
            )
        ]
        forged = other["sim-10-000001"][: len(positions)]
        for position, event in zip(positions, forged, strict=False):
            await connection.execute(
                "INSERT INTO lane_0.stored_events (originator_id, originator_version, topic, state, notification_id)"
                " VALUES ('sim-9-000001', $1, $2, $3, $4)",
                event.originator_version,
                event.topic,
                event.state,
                position,
            )
        await connection.close()
        return (await checked(url)).differences

    assert any("sim-9-000001" in difference for difference in asyncio.run(work()))


def test_a_checkpoint_of_other_keys_is_not_ours() -> None:
    found = asyncio.run(checked(store_with_log(1), keys=SignerRing(LOG_KEYS.origin, [b"o" * 32])))

    assert any("checkpoint is not ours" in difference for difference in found.differences)


def test_a_store_that_differs_is_not_served_and_a_large_one_is_checked_meanwhile(caplog: Any) -> None:
    url = store_with_log(1)

    async def work() -> None:
        store, log = await EventStore.open(url), await AuditLog.open(url)

        def check() -> StoreCheck:
            return StoreCheck(store, log, MAPPER, LOG_KEYS.vkeys)

        try:
            assert await begin_check(check(), store, 0) is None
            assert await begin_check(check(), store, 10_000) is None
            connection = await with_all_rights(url)
            await connection.execute("UPDATE liarsdice.log_leaves SET digest = sha256(digest) WHERE index = 0")
            await connection.close()
            with pytest.raises(StoreDiffers, match="The log has something else for version"):
                await begin_check(check(), store, 10_000)
            task = await begin_check(check(), store, 1)
            assert task is not None
            await task
            assert "The log has something else for version" in caplog.text
        finally:
            await log.close()
            await store.close()

    asyncio.run(work())


def test_a_store_is_checked_while_others_write_to_it() -> None:
    url, chance = new_database(2), Random(8)

    async def work(opened: Opened) -> None:
        logbook = opened.logbook()
        await logbook.start()
        writing = asyncio.create_task(store_games(opened.store, games(25, seed=8), chance))
        found = []
        while not writing.done():
            found.append(await checked(url))
        await writing
        await logbook.caught_up(10)
        found.append(await checked(url))
        await logbook.close()
        assert len(found) > 3
        assert [one.differences for one in found if one.differences] == []
        assert found[-1].leaves > found[0].leaves

    on_log(url, work)


def test_one_changed_event_is_told_once() -> None:
    url = store_with_log(2)

    async def work() -> tuple[str, ...]:
        connection = await with_all_rights(url)
        edit = """UPDATE lane_0.stored_events SET state = convert_to(replace(
            convert_from(state, 'UTF8'), '"seat":', '"seat": '), 'UTF8') WHERE notification_id = SOME"""
        await connection.execute(edit.replace("SOME", SOME))
        await connection.close()
        return (await checked(url)).differences

    assert len(asyncio.run(work())) == 1
