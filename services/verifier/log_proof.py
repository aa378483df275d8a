"""The checks `leaf` and `inclusion`: the last event is a leaf of the log (audit-format.md, "The log"; RFC 6962, 2.1)."""

from hashlib import sha256

from .bundle import Bundle
from .digests import Digests
from .form import base64_text

GAME_ENDS = {"game-ended", "game-abandoned"}


def check_leaf(bundle: Bundle) -> None:
    """The last event ends the round or the game that the bundle is about."""
    last = bundle.events[-1]
    if bundle.round is None:
        last.need("leaf", last.kind in GAME_ENDS, "the bundle is about the whole game, and this does not end it")
    else:
        ends = last.kind == "round-ended" and last.fields["number"] == bundle.round
        last.need("leaf", ends, f"the bundle is about round {bundle.round}, and this does not end it")


def check_inclusion(bundle: Bundle, digests: Digests) -> None:
    """The proof leads from the leaf to the root of the checkpoint."""
    last, leaf, size = bundle.events[-1], bundle.leaf, bundle.checkpoint.size
    last.need("inclusion", leaf < size, f"the log has {size} leaves, so there is no leaf {leaf}")
    length = _proof_length(bundle)
    last.need(
        "inclusion",
        len(bundle.proof) == length,
        f"the proof has {len(bundle.proof)} hashes, but leaf {leaf} of {size} needs {length}",
    )
    is_under_root = _root_by_proof(bundle, digests) == bundle.checkpoint.root
    last.need("inclusion", is_under_root, "the proof does not lead from its leaf to the root of the checkpoint")


def _leaf_hash(bundle: Bundle, digests: Digests) -> bytes:
    """The hash of the leaf that the last event adds to the log."""
    last = bundle.events[-1]
    lines = ("liarsdice.leaf.v1", bundle.game_id, str(last.version), last.topic, base64_text(digests[last.version]))
    leaf = "".join(f"{line}\n" for line in lines)
    return sha256(b"\0" + leaf.encode()).digest()


def _shared_levels(bundle: Bundle) -> int:
    """How many levels above the leaf the first node is that also has the last leaf of the log under it.

    Below that node, the bits of the leaf's index say on which side each sibling is. Above it, all are on the left.
    """
    return (bundle.leaf ^ (bundle.checkpoint.size - 1)).bit_length()


def _proof_length(bundle: Bundle) -> int:
    """How many hashes lead from the leaf to the root."""
    levels = _shared_levels(bundle)
    return levels + (bundle.leaf >> levels).bit_count()


def _root_by_proof(bundle: Bundle, digests: Digests) -> bytes:
    """The root to which the proof leads from the leaf."""
    node, levels = _leaf_hash(bundle, digests), _shared_levels(bundle)
    for depth, sibling in enumerate(bundle.proof):
        sibling_is_left = depth >= levels or bundle.leaf >> depth & 1
        node = sha256(b"\1" + (sibling + node if sibling_is_left else node + sibling)).digest()
    return node
