"""The log's mathematics is that of RFC 6962, and nothing else verifies.

The suite tries every tree of up to 128 leaves and some of up to 1,024; `make chaos` tries all of them.
"""

import random
from collections.abc import Iterator
from functools import cache
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.log.merkle import (
    EMPTY_ROOT,
    SIZE_MAX,
    Node,
    appended,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    nodes_for_consistency,
    nodes_for_inclusion,
    nodes_for_root,
    root,
    verify_consistency,
    verify_inclusion,
)
from tests.extent import extent

SIZE = 1_024
LEAVES = [leaf_hash(f"leaf {number}".encode()) for number in range(SIZE)]
CHANCE = random.Random(6962)


# What RFC 6962, section 2.1, says, word for word: D[n] is the range from `start` to `end`.


@cache
def largest_power_of_two_below(number: int) -> int:
    power = 1
    while power * 2 < number:
        power *= 2
    return power


@cache
def tree_hash(start: int, end: int) -> bytes:
    """MTH of section 2.1."""
    if end == start:
        return sha256(b"").digest()
    if end - start == 1:
        return LEAVES[start]
    k = largest_power_of_two_below(end - start)
    return sha256(b"\x01" + tree_hash(start, start + k) + tree_hash(start + k, end)).digest()


def audit_path(m: int, start: int, end: int) -> tuple[bytes, ...]:
    """PATH of section 2.1.1."""
    if end - start == 1:
        return ()
    k = largest_power_of_two_below(end - start)
    if m < k:
        return (*remembered_path(m, start, start + k), tree_hash(start + k, end))
    return (*remembered_path(m - k, start + k, end), tree_hash(start, start + k))


remembered_path = cache(audit_path)


def subproof(m: int, start: int, end: int, *, known: bool = True) -> tuple[bytes, ...]:
    """SUBPROOF of section 2.1.2."""
    if m == end - start:
        return () if known else (tree_hash(start, end),)
    k = largest_power_of_two_below(end - start)
    if m <= k:
        return (*remembered_subproof(m, start, start + k, known=known), tree_hash(start + k, end))
    return (*remembered_subproof(m - k, start + k, end, known=False), tree_hash(start, start + k))


remembered_subproof = cache(subproof)


def shape(m: int, size: int, *, leaf: bool) -> str:
    """The turns that a verifier takes: they are all that a size adds to a proof."""
    turns, start, end, known = "", 0, size, True
    target = 1 if leaf else m
    while (end - start != 1) if leaf else (end - start != target):
        k = largest_power_of_two_below(end - start)
        if m < k or (m == k and not leaf):
            turns, end = f"L{turns}", start + k
        else:
            turns, start, m, target, known = f"R{turns}", start + k, m - k, 1 if leaf else m - k, False
    return turns if leaf or not known else f"{turns}*"


# The nodes of a log that grew by one leaf after the other.


def grown(leaves: list[bytes]) -> dict[Node, bytes]:
    nodes: dict[Node, bytes] = {}
    for size, leaf in enumerate(leaves):
        nodes |= appended(size, [leaf], nodes)
    return nodes


NODES = grown(LEAVES)


class OnlyThese(dict[Node, bytes]):
    """The nodes that a proof asked for, and those of them that it used."""

    def __init__(self, asked: tuple[Node, ...]) -> None:
        super().__init__((node, NODES[node]) for node in asked)
        self.used: set[Node] = set()

    def __getitem__(self, node: Node) -> bytes:
        self.used.add(node)
        return super().__getitem__(node)


def pairs(size_max: int) -> Iterator[tuple[int, int]]:
    return ((smaller, size) for size in range(1, size_max + 1) for smaller in range(size))


def sizes(part: int) -> Iterator[int]:
    """A quarter of the sizes: all small ones, and some large ones in the suite."""
    dense = extent(128, SIZE)
    return (size for size in range(part + 1, SIZE + 1, 4) if size <= dense or size % 61 == 0 or size > SIZE - 4)


def verified_too(size: int) -> bool:
    """All proofs of small trees are verified too, and of large ones some: it takes as long as making them."""
    return size <= 128 or CHANCE.random() < 0.05


def test_a_log_stores_each_complete_subtree_once_and_nothing_else() -> None:
    assert set(NODES) == {(level, index) for level in range(11) for index in range(SIZE >> level)}
    assert all(value == tree_hash(index << level, index + 1 << level) for (level, index), value in NODES.items())


def test_a_leaf_completes_the_nodes_that_end_with_it() -> None:
    assert list(appended(7, LEAVES[7:8], NODES)) == [(0, 7), (1, 3), (2, 1), (3, 0)]
    assert list(appended(8, LEAVES[8:9], NODES)) == [(0, 8)]
    assert appended(8, [], NODES) == {}


@pytest.mark.at_length
def test_leaves_that_come_together_complete_what_they_would_one_by_one() -> None:
    for old, new in CHANCE.sample(list(pairs(300)), extent(100, 2_000)):
        together = appended(old, LEAVES[old:new], OnlyThese(nodes_for_root(old)))

        assert {**grown(LEAVES[:old]), **together} == grown(LEAVES[:new])


def test_the_root_of_every_size_is_that_of_the_rfc() -> None:
    for size in range(SIZE + 1):
        asked = OnlyThese(nodes_for_root(size))
        assert root(size, asked) == tree_hash(0, size)
        assert asked.used == set(asked)


@pytest.mark.at_length
@pytest.mark.parametrize("part", range(4))
def test_every_inclusion_proof_is_that_of_the_rfc_and_verifies(part: int) -> None:
    for size in sizes(part):
        head = tree_hash(0, size)
        for index in range(size):
            proof = inclusion_proof(index, size, NODES)
            assert proof == audit_path(index, 0, size)
            assert not verified_too(size) or verify_inclusion(LEAVES[index], index, size, proof, head)


@pytest.mark.at_length
@pytest.mark.parametrize("part", range(4))
def test_every_consistency_proof_is_that_of_the_rfc_and_verifies(part: int) -> None:
    for new in sizes(part):
        head = tree_hash(0, new)
        for old in range(1, new + 1):
            proof = consistency_proof(old, new, NODES)
            assert proof == subproof(old, 0, new)
            assert not verified_too(new) or verify_consistency(old, tree_hash(0, old), new, head, proof)


@pytest.mark.at_length
def test_a_proof_asks_for_the_nodes_that_it_uses_and_for_no_others() -> None:
    for smaller, size in [*pairs(60), *CHANCE.sample(list(pairs(SIZE)), extent(500, 20_000))]:
        asked = OnlyThese(nodes_for_inclusion(smaller, size))
        assert inclusion_proof(smaller, size, asked) == audit_path(smaller, 0, size)
        assert asked.used == set(asked)

        asked = OnlyThese(nodes_for_consistency(smaller, size))
        assert consistency_proof(smaller, size, asked) == (subproof(smaller, 0, size) if smaller else ())
        assert asked.used == set(asked)


def test_the_nodes_of_a_proof_from_the_largest_log_are_few() -> None:
    assert len(nodes_for_root(SIZE_MAX)) == 63
    assert len(nodes_for_inclusion(0, SIZE_MAX)) <= 63 * 62
    assert len(nodes_for_consistency(SIZE_MAX - 1, SIZE_MAX)) <= 63 * 2


# The leaves and hashes that the reference implementation of Certificate Transparency is tested with.

PUBLISHED = [
    bytes.fromhex(text)
    for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
PUBLISHED_ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
PUBLISHED_INCLUSIONS = {
    (0, 1): [],
    (0, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (5, 8): [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 3): ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
    (1, 5): [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}
PUBLISHED_CONSISTENCIES = {
    (1, 1): [],
    (1, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (6, 8): [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 5): [
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}


def hexadecimal(proof: tuple[bytes, ...]) -> list[str]:
    return [value.hex() for value in proof]


def test_the_published_trees_have_the_published_roots_and_proofs() -> None:
    nodes = grown([leaf_hash(leaf) for leaf in PUBLISHED])

    assert [root(size, nodes).hex() for size in range(9)] == PUBLISHED_ROOTS
    for (index, size), inclusion in PUBLISHED_INCLUSIONS.items():
        assert hexadecimal(inclusion_proof(index, size, nodes)) == inclusion
    for (old, new), consistency in PUBLISHED_CONSISTENCIES.items():
        assert hexadecimal(consistency_proof(old, new, nodes)) == consistency


# What does not verify.


def flipped(value: bytes) -> Iterator[bytes]:
    """The bytes with each of their bits the other way round."""
    for bit in range(len(value) * 8):
        yield (int.from_bytes(value, "big") ^ 1 << bit).to_bytes(len(value), "big")


def spoiled(proof: tuple[bytes, ...]) -> Iterator[tuple[bytes, ...]]:
    """The proof with any bit of it flipped, and with a hash too few or too many anywhere."""
    for place, value in enumerate(proof):
        for other in flipped(value):
            yield (*proof[:place], other, *proof[place + 1 :])
        yield (*proof[:place], *proof[place + 1 :])
        yield (*proof[:place], value, *proof[place:])
        if len(set(proof)) > 1:
            yield (*proof[place + 1 :], *proof[: place + 1]) if place + 1 < len(proof) else proof[::-1]
    yield (*proof, EMPTY_ROOT)
    yield (EMPTY_ROOT, *proof)


SAMPLE = [(0, 1), (0, 2), (1, 2), (2, 3), (0, 8), (5, 8), (6, 7), *CHANCE.sample(list(pairs(SIZE)), 12)]


@pytest.mark.parametrize(("index", "size"), SAMPLE)
def test_an_inclusion_proof_with_anything_changed_does_not_verify(index: int, size: int) -> None:
    leaf, proof, head = LEAVES[index], inclusion_proof(index, size, NODES), tree_hash(0, size)
    assert verify_inclusion(leaf, index, size, proof, head)

    assert not any(verify_inclusion(other, index, size, proof, head) for other in flipped(leaf))
    assert not any(verify_inclusion(leaf, index, size, proof, other) for other in flipped(head))
    assert not any(verify_inclusion(leaf, index, size, other, head) for other in spoiled(proof))
    assert not any(verify_inclusion(leaf, other, size, proof, head) for other in range(-2, size + 2) if other != index)
    assert not any(verify_inclusion(leaf, index ^ 1 << bit, size, proof, head) for bit in range(70))


@pytest.mark.parametrize(("old", "new"), [pair for pair in SAMPLE if pair[0]])
def test_a_consistency_proof_with_anything_changed_does_not_verify(old: int, new: int) -> None:
    proof, before, after = consistency_proof(old, new, NODES), tree_hash(0, old), tree_hash(0, new)
    assert verify_consistency(old, before, new, after, proof)

    assert not any(verify_consistency(old, other, new, after, proof) for other in flipped(before))
    assert not any(verify_consistency(old, before, new, other, proof) for other in flipped(after))
    assert not any(verify_consistency(old, before, new, after, other) for other in spoiled(proof))
    assert not verify_consistency(new, after, old, before, proof)
    assert not verify_consistency(old, after, new, before, proof)


def test_another_size_verifies_only_where_the_way_is_the_same_and_never_with_its_own_root() -> None:
    """RFC 6962 fixes the size in the signed tree head, not in the proof; a checker must take both from there."""
    for index, size in [*pairs(40), *SAMPLE]:
        proof, head = inclusion_proof(index, size, NODES), tree_hash(0, size)
        for other in {size ^ 1 << bit for bit in range(11)} - {0}:
            same = index < other and shape(index, other, leaf=True) == shape(index, size, leaf=True)
            assert verify_inclusion(LEAVES[index], index, other, proof, head) == same
            if other <= SIZE:
                assert not verify_inclusion(LEAVES[index], index, other, proof, tree_hash(0, other))


def test_other_sizes_are_consistent_only_where_the_way_is_the_same_and_never_with_their_own_roots() -> None:
    for old, new in [pair for pair in [*pairs(40), *SAMPLE] if pair[0]]:
        proof, before, after = consistency_proof(old, new, NODES), tree_hash(0, old), tree_hash(0, new)
        way = shape(old, new, leaf=False)
        for bit in range(11):
            other = new ^ 1 << bit
            same = old < other and shape(old, other, leaf=False) == way
            assert verify_consistency(old, before, other, after, proof) == same
            assert other > SIZE or not verify_consistency(old, before, other, tree_hash(0, other), proof)
            other = old ^ 1 << bit
            same = 0 < other < new and shape(other, new, leaf=False) == way
            assert verify_consistency(other, before, new, after, proof) == same
            assert other > SIZE or not verify_consistency(other, tree_hash(0, other), new, after, proof)


def test_two_logs_that_part_anywhere_are_not_consistent() -> None:
    for changed in range(20):
        leaves = [*LEAVES[:changed], leaf_hash(b"another"), *LEAVES[changed + 1 : 40]]
        nodes = grown(leaves)
        for old in range(changed + 1, 20):
            proof = consistency_proof(old, 40, nodes)
            assert verify_consistency(old, root(old, nodes), 40, root(40, nodes), proof)
            assert not verify_consistency(old, tree_hash(0, old), 40, root(40, nodes), proof)
            assert not verify_consistency(old, root(old, nodes), 40, tree_hash(0, 40), proof)


def test_the_empty_log_is_the_beginning_of_every_log_and_holds_no_leaf() -> None:
    full = tree_hash(0, 5)

    assert nodes_for_root(0) == ()
    assert root(0, {}) == EMPTY_ROOT
    assert consistency_proof(0, 5, {}) == consistency_proof(0, 0, {}) == consistency_proof(5, 5, {}) == ()
    assert verify_consistency(0, EMPTY_ROOT, 0, EMPTY_ROOT, ())
    assert verify_consistency(0, EMPTY_ROOT, 5, full, ())
    assert not verify_consistency(0, full, 5, full, ())
    assert not verify_consistency(0, full, 0, full, ())
    assert not verify_consistency(0, EMPTY_ROOT, 0, full, ())
    assert not verify_consistency(0, EMPTY_ROOT, 5, full, (full,))
    assert not verify_consistency(5, full, 5, full, (full,))
    assert not verify_consistency(4, tree_hash(0, 4), 5, full, ())
    assert not verify_inclusion(LEAVES[0], 0, 0, (), EMPTY_ROOT)


def test_hashes_of_another_length_never_verify() -> None:
    """Hashed one after the other they would be the same bytes."""
    left, right = LEAVES[:2]
    head = node_hash(left, right)
    assert verify_inclusion(left, 0, 2, (right,), head)

    assert node_hash(left + right[:1], right[1:]) == head
    assert not verify_inclusion(left + right[:1], 0, 2, (right[1:],), head)
    assert not verify_inclusion(left, 0, 2, (right,), head[:-1])
    assert not verify_consistency(1, left + right[:1], 2, head, (right[1:],))


NUMBERS = st.integers(-2, 20) | st.integers() | st.just(SIZE_MAX) | st.just(10**5_000)
HASHES = st.binary(max_size=40) | st.sampled_from(LEAVES[:8]) | st.just(EMPTY_ROOT)


@given(HASHES, NUMBERS, NUMBERS, st.lists(HASHES, max_size=70), HASHES)
def test_whatever_is_made_up_is_answered_and_does_not_verify(
    leaf: bytes, small: int, large: int, proof: list[bytes], head: bytes
) -> None:
    nothing_to_prove = small in {0, large} and not proof
    assert verify_inclusion(leaf, small, large, proof, head) == (
        (small, large, proof) == (0, 1, []) and leaf == head and len(leaf) == 32
    )
    assert nothing_to_prove or not verify_consistency(small, leaf, large, head, proof)
