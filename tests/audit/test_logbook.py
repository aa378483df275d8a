"""The log takes in every end of a round or game once, whichever process stops at whichever moment."""

import asyncio
from base64 import b64encode
from hashlib import sha256
from itertools import pairwise
from random import Random

import pytest
from msgspec.structs import replace

from infra.keys.log_keys import SignerRing
from infra.log import merkle
from infra.log.checkpoints import open_checkpoint
from infra.log.merkle import leaf_hash, node_hash
from infra.log.notes import read_vkey
from infra.postgres.audit_log import AuditLog
from infra.postgres.log_reader import Leaf
from services.audit.logbook import Logbook, is_leaf, leaf_of
from services.audit.published_log import PublishedLog
from tests.audit.stored_games import MAPPER, Opened, games, on_log, openings_of, store_games
from tests.infra.postgres.databases import new_database
from tests.servers import LOG_KEYS

PLAYED = games(12)
EVERYTHING = 1 << 40
EXPECTED = {
    leaf_of(event, MAPPER.to_domain_event(event).digest or b"")
    for events in PLAYED.values()
    for event in events
    if is_leaf(event)
}


def naive_root(hashes: list[bytes]) -> bytes:
    """RFC 6962, section 2.1, as it is written there."""
    if len(hashes) == 1:
        return hashes[0]
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    return node_hash(naive_root(hashes[:split]), naive_root(hashes[split:]))


async def check_log(log: AuditLog) -> None:
    """Every end is in the log once, with its openings, in the order of its game, and the checkpoint is signed over all."""
    leaves = await log.leaves(0, 10_000)
    assert [index for index, _ in leaves] == list(range(len(EXPECTED)))
    assert {leaf for _, leaf in leaves} == EXPECTED
    for game_id in PLAYED:
        versions = [leaf.version for _, leaf in leaves if leaf.game_id == game_id]
        assert all(one < other for one, other in pairwise(versions))
        assert await log.openings(game_id, EVERYTHING) == openings_of(PLAYED[game_id])
    latest = await log.checkpoint()
    assert latest is not None
    size, note = latest
    _, checkpoint = open_checkpoint(note, [read_vkey(vkey) for vkey in LOG_KEYS.vkeys])
    root = naive_root([leaf_hash(leaf.text) for _, leaf in leaves])
    assert (size, checkpoint.size, checkpoint.root) == (len(leaves), len(leaves), root)


@pytest.mark.parametrize("lanes", [1, 3])
def test_every_end_becomes_a_leaf_with_a_signed_checkpoint_over_all(lanes: int) -> None:
    async def work(opened: Opened) -> None:
        await store_games(opened.store, PLAYED, Random(1))
        await opened.logged()
        await check_log(opened.log)

    on_log(new_database(lanes), work)


def test_several_who_keep_the_log_and_are_stopped_at_any_time_write_it_once() -> None:
    chance = Random(3)

    async def keep(opened: Opened) -> None:
        while True:
            logbook = opened.logbook()
            await logbook.start()
            try:
                await asyncio.sleep(chance.random() * 0.05)
            finally:
                await logbook.close()

    async def work(opened: Opened) -> None:
        keepers = [asyncio.create_task(keep(opened)) for _ in range(3)]
        await store_games(opened.store, PLAYED, chance)
        await asyncio.sleep(0.3)
        for keeper in keepers:
            keeper.cancel()
        await asyncio.gather(*keepers, return_exceptions=True)
        await opened.logged()
        await check_log(opened.log)

    on_log(new_database(2), work)


def test_all_leaves_can_be_proven_and_every_size_is_a_beginning_of_the_next() -> None:
    async def work(opened: Opened) -> None:
        await store_games(opened.store, PLAYED)
        await opened.logged()
        leaves = await opened.log.leaves(0, 10_000)
        size = len(leaves)
        root = await opened.log.root(size)
        for index, leaf in leaves:
            proof = await opened.log.inclusion(index, size)
            assert merkle.verify_inclusion(leaf_hash(leaf.text), index, size, proof, root)
        for old in range(0, size, 5):
            old_root, proof = await opened.log.root(old), await opened.log.consistency(old, size)
            assert merkle.verify_consistency(old, old_root, size, root, proof)
        some = next(leaf for _, leaf in leaves if leaf.round == 1)
        assert await opened.log.find(some.game_id, 1) == next(pair for pair in leaves if pair[1] == some)
        assert await opened.log.find("nobody", 1) is None

    on_log(new_database(), work)


def test_the_keys_that_there_are_sign_from_the_start_on_and_are_told_to_who_has_none() -> None:
    """So that nobody has to wait for the next round to end, and the old key can be taken out afterwards."""

    async def work(opened: Opened) -> None:
        await store_games(opened.store, PLAYED)
        await opened.logged()
        before = await opened.log.checkpoint()
        both = SignerRing(LOG_KEYS.origin, [b"l" * 32, b"n" * 32])
        for ring, count in ((both, 2), (both, 2), (SignerRing(LOG_KEYS.origin, [b"n" * 32]), 1)):
            logbook = Logbook(opened.store, opened.feed, opened.log, MAPPER, ring, duties=opened.duties)
            await logbook.start()
            await logbook.close()
            latest = await opened.log.checkpoint()
            assert latest is not None
            assert before is not None
            assert latest[0] == before[0]
            for vkey in ring.vkeys:
                note, _ = open_checkpoint(latest[1], [read_vkey(vkey)])
                assert len(note.signatures) == count
            assert logbook.keys == ring.vkeys[::-1] == (await PublishedLog(opened.log).latest()).keys

    on_log(new_database(), work)


def test_what_was_stored_before_there_were_digests_is_chained_all_the_same() -> None:
    events = next(iter(PLAYED.values()))
    bare = [MAPPER.to_stored_event(replace(MAPPER.to_domain_event(event), digest=None)) for event in events]

    async def work(opened: Opened) -> None:
        await opened.store.append(bare, "all")
        await opened.logged()
        leaves = [leaf for _, leaf in await opened.log.leaves(0, 1_000)]
        assert [(leaf.version, leaf.topic) for leaf in leaves] == [
            (event.originator_version, event.topic) for event in events if is_leaf(event)
        ]
        assert len({leaf.digest for leaf in leaves}) == len(leaves)

    on_log(new_database(), work)


def test_a_leaf_is_the_text_of_the_document() -> None:
    digest = b64encode(bytes(32)).decode()

    def place(text: bytes) -> str:
        return b64encode(sha256(text).digest()).decode()

    version, ended = b"liarsdice.version-place.v1\ngame\n7\n", b"liarsdice.end-place.v1\ngame\n"

    for round_number, end in ((2, b"round 2\n"), (None, b"game\n")):
        leaf = Leaf("game", 7, "any", round_number, bytes(32))
        lines = ("liarsdice.leaf.v2", place(version), place(ended + end), digest, "")
        assert leaf.text == "\n".join(lines).encode()


def test_a_leaf_of_the_first_form_stays_as_it_was() -> None:
    leaf = Leaf("game", 7, "round-ended.v1", 2, bytes(32), form=1)

    assert leaf.text == (b"liarsdice.leaf.v1\ngame\n7\nround-ended.v1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n")
