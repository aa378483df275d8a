r"""The mathematics of a Merkle log, as in RFC 6962, section 2.1: roots, proofs and their verification.

A log of any size consists of complete subtrees, and a complete subtree never changes. Such a subtree is a node: on level 0
it is a leaf, on level k it has 2^k leaves, and its index counts the nodes of its level from the left. Only nodes are
stored. All other hashes of a proof are computed from them.

Nothing here reads or writes. `nodes_for_...` returns the nodes that a result needs, and the function without `nodes_for_`
computes the result from a mapping with those nodes:

    nodes_for_root(5)           (2, 0)        (0, 4)        the log of five leaves
                               /      \
                          (1, 0)      (1, 1)
                          /    \      /    \
                      (0, 0) (0, 1) (0, 2) (0, 3)
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TypeAlias

HASH_LENGTH = 32
SIZE_MAX = (1 << 63) - 1
"""The most leaves of a log: what Postgres can count."""
EMPTY_ROOT = sha256(b"").digest()

Node: TypeAlias = tuple[int, int]
"""The level and the index of a complete subtree."""
_Range: TypeAlias = tuple[int, int]
"""The leaves from one index on to before another; one hash of a proof stands for them."""


def leaf_hash(leaf: bytes) -> bytes:
    """The hash of a leaf."""
    return sha256(b"\x00" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of the node above these two."""
    return sha256(b"\x01" + left + right).digest()


def appended(size: int, leaves: Sequence[bytes], nodes: Mapping[Node, bytes]) -> dict[Node, bytes]:
    """The nodes to store when leaves with these hashes are added to a log; `nodes` must have those for its root."""
    completed: dict[Node, bytes] = {}
    edge = [nodes[node] for node in nodes_for_root(size)]
    for leaf_index, leaf in enumerate(leaves, size):
        level, index, value = 0, leaf_index, leaf
        completed[level, index] = value
        # A node with an odd index is a right child: with the left child, which ends the edge, it completes the node above.
        while index & 1:
            level, index, value = level + 1, index >> 1, node_hash(edge.pop(), value)
            completed[level, index] = value
        edge.append(value)
    return completed


def nodes_for_root(size: int) -> tuple[Node, ...]:
    """The nodes that the root of a log is computed from, from the left."""
    assert 0 <= size <= SIZE_MAX
    return tuple(_nodes((0, size)))


def root(size: int, nodes: Mapping[Node, bytes]) -> bytes:
    """The root of a log."""
    assert 0 <= size <= SIZE_MAX
    return _hash((0, size), nodes) if size else EMPTY_ROOT


def nodes_for_inclusion(index: int, size: int) -> tuple[Node, ...]:
    """The nodes that the proof for the leaf at `index` is computed from."""
    return tuple(node for part in _inclusion(index, size) for node in _nodes(part))


def inclusion_proof(index: int, size: int, nodes: Mapping[Node, bytes]) -> tuple[bytes, ...]:
    """The proof that the leaf at `index` is in a log of `size`, from its sibling up."""
    return tuple(_hash(part, nodes) for part in _inclusion(index, size))


def nodes_for_consistency(old: int, new: int) -> tuple[Node, ...]:
    """The nodes that the proof between two sizes is computed from."""
    return tuple(node for part in _consistency(old, new) for node in _nodes(part))


def consistency_proof(old: int, new: int, nodes: Mapping[Node, bytes]) -> tuple[bytes, ...]:
    """The proof that the log of size `new` begins with the log of size `old`; empty if `old` is 0 or `new`."""
    return tuple(_hash(part, nodes) for part in _consistency(old, new))


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether the proof leads from the hash of a leaf to the root, as in RFC 9162, section 2.1.3.2.

    A proof alone does not prove the size, because some sizes have the same path to a leaf. Take the size and the root
    together from a checkpoint.
    """
    return len(root) == HASH_LENGTH and root_by_proof(leaf, index, size, proof) == root


def root_by_proof(leaf: bytes, index: int, size: int, proof: Sequence[bytes]) -> bytes | None:
    """The root to which the proof leads from the hash of a leaf; None if it is no proof for this leaf and size."""
    if not (0 <= index < size <= SIZE_MAX and _are_hashes((leaf, *proof))):
        return None
    position, last, value = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return None
        if position & 1 or position == last:
            value = node_hash(sibling, value)
            position, last = _above_the_edge(position, last)
        else:
            value = node_hash(value, sibling)
        position, last = position >> 1, last >> 1
    return value if last == 0 else None


def verify_consistency(old_size: int, old_root: bytes, new_size: int, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether the log with the new root begins with the log with the old root, as in RFC 9162, section 2.1.4.2."""
    if not (0 <= old_size <= new_size <= SIZE_MAX and _are_hashes((old_root, new_root, *proof))):
        return False
    if old_size == 0 and old_root != EMPTY_ROOT:
        return False
    if old_size in {0, new_size}:
        return not proof and (old_size < new_size or old_root == new_root)
    # If the old size is a power of two, the old root is itself a node of the new log, and the proof leaves it out.
    path = proof if old_size & (old_size - 1) else (old_root, *proof)
    return bool(proof) and _leads_to_both(path, old_size, old_root, new_size, new_root)


def _leads_to_both(path: Sequence[bytes], old_size: int, old_root: bytes, new_size: int, new_root: bytes) -> bool:
    position, last = old_size - 1, new_size - 1
    while position & 1:
        position, last = position >> 1, last >> 1
    old_value = new_value = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if position & 1 or position == last:
            old_value, new_value = node_hash(sibling, old_value), node_hash(sibling, new_value)
            position, last = _above_the_edge(position, last)
        else:
            new_value = node_hash(new_value, sibling)
        position, last = position >> 1, last >> 1
    return last == 0 and (old_value, new_value) == (old_root, new_root)


def _above_the_edge(position: int, last: int) -> tuple[int, int]:
    """Position and last index above the levels on which the right edge has no sibling."""
    while position and not position & 1:
        position, last = position >> 1, last >> 1
    return position, last


def _are_hashes(values: Sequence[bytes]) -> bool:
    # With other lengths two different pairs could give the same bytes to hash.
    return all(len(value) == HASH_LENGTH for value in values)


def _inclusion(index: int, size: int) -> list[_Range]:
    """PATH of RFC 6962, section 2.1.1: on the way down to the leaf, the other side of each split."""
    assert 0 <= index < size <= SIZE_MAX
    others, start, end = [], 0, size
    while end - start > 1:
        middle = _middle(start, end)
        if index < middle:
            others.append((middle, end))
            end = middle
        else:
            others.append((start, middle))
            start = middle
    return others[::-1]


def _consistency(old: int, new: int) -> list[_Range]:
    """SUBPROOF of RFC 6962, section 2.1.2: the way down to the subtree that ends where the old log ended."""
    assert 0 <= old <= new <= SIZE_MAX
    others, start, end = [], 0, new if old else 0
    while end != old:
        middle = _middle(start, end)
        if old <= middle:
            others.append((middle, end))
            end = middle
        else:
            others.append((start, middle))
            start = middle
    # A range from the first leaf on is the whole old log, and the verifier knows its root.
    if start:
        others.append((start, end))
    return others[::-1]


def _middle(start: int, end: int) -> int:
    """Where a range is split: after the largest complete subtree that leaves at least one leaf on the right."""
    return start + (1 << (end - start - 1).bit_length() - 1)


def _nodes(part: _Range) -> list[Node]:
    """The nodes that a range consists of, the largest first."""
    start, end = part
    nodes = []
    while start < end:
        level = (end - start).bit_length() - 1
        nodes.append((level, start >> level))
        start += 1 << level
    return nodes


def _hash(part: _Range, nodes: Mapping[Node, bytes]) -> bytes:
    *larger, last = _nodes(part)
    value = nodes[last]
    for node in reversed(larger):
        value = node_hash(nodes[node], value)
    return value
