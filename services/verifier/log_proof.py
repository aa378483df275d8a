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
    roots = [_root_by_proof(bundle, leaf) for leaf in _leaf_hashes(bundle, digests)]
    last.need("inclusion", bundle.checkpoint.root in roots, "the proof does not lead from its leaf to the root")


def _leaf_hashes(bundle: Bundle, digests: Digests) -> list[bytes]:
    """The hash of the leaf that the last event adds to the log, in today's form and in the first one."""
    last, ends_round = bundle.events[-1], bundle.events[-1].kind == "round-ended"
    ended = f"round {last.fields['number']}" if ends_round else "game"
    version_place = _text_hash("liarsdice.version-place.v1", bundle.game_id, str(last.version))
    end_place = _text_hash("liarsdice.end-place.v1", bundle.game_id, ended)
    digest = base64_text(digests[last.version])
    return [
        _text_hash("liarsdice.leaf.v2", base64_text(version_place), base64_text(end_place), digest, before=b"\0"),
        _text_hash("liarsdice.leaf.v1", bundle.game_id, str(last.version), last.topic, digest, before=b"\0"),
    ]


def _text_hash(*lines: str, before: bytes = b"") -> bytes:
    """The hash of a text of lines, each of which ends with a line feed."""
    return sha256(before + "".join(f"{line}\n" for line in lines).encode()).digest()


def _shared_levels(bundle: Bundle) -> int:
    """How many levels above the leaf the first node is that also has the last leaf of the log under it.

    Below that node, the bits of the leaf's index say on which side each sibling is. Above it, all are on the left.
    """
    return (bundle.leaf ^ (bundle.checkpoint.size - 1)).bit_length()


def _proof_length(bundle: Bundle) -> int:
    """How many hashes lead from the leaf to the root."""
    levels = _shared_levels(bundle)
    return levels + (bundle.leaf >> levels).bit_count()


def _root_by_proof(bundle: Bundle, leaf: bytes) -> bytes:
    """The root to which the proof leads from the hash of a leaf."""
    node, levels = leaf, _shared_levels(bundle)
    for depth, sibling in enumerate(bundle.proof):
        sibling_is_left = depth >= levels or bundle.leaf >> depth & 1
        node = sha256(b"\1" + (sibling + node if sibling_is_left else node + sibling)).digest()
    return node
