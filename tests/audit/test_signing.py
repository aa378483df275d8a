"""The server signs only leaves that it made itself from stored events, or that its own keys have signed before."""

import asyncio
import logging
from collections.abc import Sequence
from random import Random

import asyncpg
import pytest
from eventsourcing.persistence import StoredEvent

from infra.events.evidence import digest_of, split_evidence
from infra.keys.log_keys import SignerRing
from infra.log import merkle
from infra.log.checkpoints import open_checkpoint
from infra.postgres.audit_log import Ending, SigningStopped
from infra.postgres.connections import Connection
from infra.postgres.log_reader import Leaf
from infra.postgres.queries import query
from services.audit.bundle import BundledEvent, Inclusion, write_bundle
from services.audit.logbook import Logbook, is_leaf, leaf_of
from services.verifier import verify
from tests.audit.stored_games import MAPPER, Opened, games, on_log, openings_of, store_games
from tests.infra.postgres.databases import login, new_database
from tests.servers import LOG_KEYS

PLAYED = games(2)
NEVER_PLAYED = games(1, seed=77)
FIRST, SECOND = ({game_id: events} for game_id, events in PLAYED.items())
KEY = LOG_KEYS.vkeys[0]


def leaves_of(played: dict[str, list[StoredEvent]]) -> list[Leaf]:
    return [leaf_of(event, digest_of(event.state) or b"") for one in played.values() for event in one if is_leaf(event)]


async def forge(connection: Connection, leaves: Sequence[Leaf]) -> None:
    """Add leaves to the log as the program does, but without any key."""
    size = int(await connection.fetchval(query("lock_log")))
    rows = await connection.fetch("SELECT level, index, hash FROM liarsdice.log_nodes")
    nodes = {(level, index): value for level, index, value in rows}
    added = merkle.appended(size, [merkle.leaf_hash(leaf.text) for leaf in leaves], nodes)
    columns = zip(
        *((leaf.game_id, leaf.version, leaf.topic, leaf.round, leaf.digest, leaf.form) for leaf in leaves), strict=True
    )
    await connection.execute(
        query("add_leaves"), list(range(size, size + len(leaves))), *(list(column) for column in columns)
    )
    levels, indexes = zip(*added, strict=True)
    await connection.execute(query("add_nodes"), levels, indexes, list(added.values()))
    await connection.execute(query("grow_log"), size + len(leaves))


async def forged_bundle(opened: Opened) -> bytes | None:
    """A proof of the game that never took place; None if no checkpoint covers it."""
    ((game_id, events),) = NEVER_PLAYED.items()
    found = await opened.log.find(game_id, None)
    latest = await opened.log.checkpoint()
    if found is None or latest is None or latest[0] <= found[0]:
        return None
    openings = openings_of(events)
    bundled = []
    for event in events:
        public, evidence = split_evidence(event.state)
        version = event.originator_version
        bundled.append(
            BundledEvent(
                version=version,
                topic=event.topic,
                public=public,
                commitment=evidence.commitment,
                opened=openings.get(version),
                digest=evidence.digest,
            )
        )
    size, note = latest
    proof = await opened.log.inclusion(found[0], size)
    return write_bundle(
        game_id, None, bundled, Inclusion(leaf=found[0], proof=proof, checkpoint=note.decode(), key=KEY)
    )


async def as_role(url: str, role: str, leaves: Sequence[Leaf]) -> None:
    """Forge leaves with the rights of a role."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(f"SET ROLE {role}")
        async with connection.transaction():
            await forge(connection, leaves)
    finally:
        await connection.close()


async def until_stopped(logbook: Logbook) -> str:
    """The reason why nothing is signed, as soon as there is one."""
    async with asyncio.timeout(10):
        while logbook.problem is None:  # noqa: ASYNC110 - it is asked
            await asyncio.sleep(0.01)
    return logbook.problem


def test_a_login_that_fills_read_models_adds_nothing_to_the_log() -> None:
    url = new_database(1)
    mine = login("only_fills_models", "IN ROLE liarsdice_projector", owns=False, url=url)

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        asyncio.run(as_role(mine, "liarsdice_projector", leaves_of(NEVER_PLAYED)))


def test_a_signature_over_leaves_of_a_game_that_never_took_place_would_prove_it() -> None:
    """So that the tests below can fail: nothing but the signature is missing."""

    async def work(opened: Opened) -> None:
        await store_games(opened.store, NEVER_PLAYED)
        await opened.logged()
        bundle = await forged_bundle(opened)
        assert bundle is not None
        assert verify(bundle, KEY).game_id in NEVER_PLAYED

    on_log(new_database(1), work)


def test_leaves_of_a_game_that_never_took_place_are_not_signed_until_they_are_gone(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even the login that keeps the log can't make the server vouch for them: it has no key."""
    monkeypatch.setattr("services.audit.logbook.LOOK_AGAIN_SECONDS", 0.05)
    url = new_database(1)
    mine = login("only_keeps_the_log", "IN ROLE liarsdice_log", owns=False, url=url)

    async def work(opened: Opened) -> None:
        logbook = opened.logbook()
        await logbook.start()
        await store_games(opened.store, FIRST)
        await logbook.caught_up(30)
        before = await opened.log.checkpoint()
        await as_role(mine, "liarsdice_log", leaves_of(NEVER_PLAYED))
        await store_games(opened.store, SECOND)
        problem = await until_stopped(logbook)
        await asyncio.sleep(0.3)

        assert "nothing is signed" in problem
        assert await opened.log.checkpoint() == before
        assert await forged_bundle(opened) is None
        assert [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR] == [problem]
        with pytest.raises(SigningStopped):
            await (await opened.another_log()).sign_again(LOG_KEYS)

        await taken_out(url, len(leaves_of(FIRST)))
        await logbook.caught_up(30)
        await logbook.close()
        assert logbook.problem is None
        assert {leaf for _, leaf in await opened.log.leaves(0, 1_000)} == set(leaves_of(PLAYED))

    on_log(url, work)


async def taken_out(url: str, size: int) -> None:
    """The log as it was at a size, put right by somebody with all rights."""
    connection = await asyncpg.connect(url)
    for table in ("log_leaves", "log_nodes", "log_head"):
        await connection.execute(f"ALTER TABLE liarsdice.{table} DISABLE TRIGGER ALL")
    async with connection.transaction():
        await connection.execute("DELETE FROM liarsdice.log_leaves WHERE index >= $1", size)
        await connection.execute("DELETE FROM liarsdice.log_nodes WHERE (index + 1) << level > $1", size)
        await connection.execute("UPDATE liarsdice.log_head SET size = $1", size)
    await connection.close()


FIRST_CHECKPOINT = "SELECT size, note FROM liarsdice.checkpoints ORDER BY number LIMIT 1"
NOT_OURS = {
    "the head alone is moved": ("UPDATE liarsdice.log_head SET size = size + 1", "head says"),
    "a leaf is in the way": (
        "INSERT INTO liarsdice.log_leaves SELECT size, 'never', 1, 'game-ended.v1', NULL, '' FROM liarsdice.log_head",
        "head says",
    ),
    "a node is in the way": (
        "INSERT INTO liarsdice.log_nodes SELECT 0, size, '' FROM liarsdice.log_head",
        "only this server should add",
    ),
    "a checkpoint that nobody signed": (
        "INSERT INTO liarsdice.checkpoints (size, note) SELECT size, 'x' FROM liarsdice.log_head",
        "not ours",
    ),
    "an old checkpoint again": (
        "INSERT INTO liarsdice.checkpoints (size, note) TABLE first_one",
        "head says",
    ),
    "an old checkpoint under a new size": (
        "INSERT INTO liarsdice.checkpoints (size, note) SELECT log_head.size, note FROM liarsdice.log_head, first_one",
        "another size",
    ),
}


@pytest.mark.parametrize("known", [True, False], ids=["a server that runs", "a server that starts"])
@pytest.mark.parametrize(("statement", "why"), NOT_OURS.values(), ids=NOT_OURS)
def test_a_log_that_is_not_as_it_was_signed_is_not_extended(statement: str, why: str, *, known: bool) -> None:
    url = new_database(1)

    async def work(opened: Opened) -> None:
        await store_games(opened.store, FIRST, Random(1))
        await logged_in_two_steps(opened)
        before = await opened.log.sizes()
        connection = await asyncpg.connect(url)
        await connection.execute("SET ROLE liarsdice_log")
        await connection.execute(f"WITH first_one AS ({FIRST_CHECKPOINT}) {statement}")
        await connection.close()
        log = opened.log if known else await opened.another_log()
        with pytest.raises(SigningStopped, match=why):
            await log.follow(
                0, [Ending(1 << 40, Leaf("next", 1, "game-ended.v1", None, bytes(32)), None)], 1 << 40, LOG_KEYS
            )
        assert (await opened.log.checkpoint_of(before[0] + 1)) is None

    on_log(url, work)


async def logged_in_two_steps(opened: Opened) -> None:
    """Write the log with at least two checkpoints."""
    leaves = leaves_of(FIRST)
    for number, leaf in enumerate(leaves, 1):
        await opened.log.follow(0, [Ending(number, leaf, {})], number, LOG_KEYS)


def test_a_log_that_comes_back_shorter_is_not_signed_by_a_server_that_has_seen_it_longer() -> None:
    """As after a restore of an old backup below a running server: somebody may have the lost checkpoint."""
    url = new_database(1)

    async def work(opened: Opened) -> None:
        await logged_in_two_steps(opened)
        await taken_out(url, 2)
        connection = await asyncpg.connect(url)
        await connection.execute("ALTER TABLE liarsdice.checkpoints DISABLE TRIGGER ALL")
        await connection.execute("DELETE FROM liarsdice.checkpoints WHERE size > 2")
        await connection.execute("UPDATE lane_0.notification_tracking SET notification_id = 2")
        await connection.close()
        next_one = [Ending(3, Leaf("other", 1, "game-ended.v1", None, bytes(32)), {})]

        with pytest.raises(SigningStopped, match="has seen"):
            await opened.log.follow(0, next_one, 3, LOG_KEYS)
        # A server that starts now knows nothing of it, and goes on. Now the first one sees another past.
        other = await opened.another_log()
        for number in range(3, len(leaves_of(FIRST)) + 2):
            leaf = Leaf("other", number, "game-ended.v1", None, bytes(32))
            await other.follow(0, [Ending(number, leaf, {})], number, LOG_KEYS)
            with pytest.raises(SigningStopped, match=r"has seen|this server knows"):
                await opened.log.sign_again(LOG_KEYS)

    on_log(url, work)


def test_servers_that_take_turns_extend_what_the_others_signed() -> None:
    url = new_database(1)

    async def work(opened: Opened) -> None:
        logs = [opened.log, await opened.another_log(), await opened.another_log()]
        leaves = leaves_of(PLAYED)
        chance = Random(5)
        for number, leaf in enumerate(leaves, 1):
            await chance.choice(logs).follow(0, [Ending(number, leaf, {})], number, LOG_KEYS)
        size, note = await opened.log.checkpoint() or (0, b"")
        _, checkpoint = open_checkpoint(note, LOG_KEYS.verifiers)
        assert size == checkpoint.size == len(leaves)
        assert checkpoint.root == await opened.log.root(size)
        assert [leaf for _, leaf in await opened.log.leaves(0, 1_000)] == leaves

    on_log(url, work)


def test_a_server_with_none_of_the_keys_of_the_latest_checkpoint_signs_nothing() -> None:
    async def work(opened: Opened) -> None:
        await logged_in_two_steps(opened)
        strange = SignerRing(LOG_KEYS.origin, [b"s" * 32])
        logbook = Logbook(opened.store, opened.feed, await opened.another_log(), MAPPER, strange, duties=opened.duties)
        with pytest.raises(SigningStopped, match="not ours"):
            await logbook.start()

    on_log(new_database(1), work)
