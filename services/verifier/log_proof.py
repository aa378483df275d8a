"""The checks `leaf` and `inclusion`: the last event is a leaf of the log (audit-format.md, "The log"; RFC 6962, 2.1)."""

from hashlib import sha256

from .bundle import Bundle
from .form import base64_text, decoded_exactly

HASH_BYTES = 32
GAME_ENDS = {"game-ended", "game-abandoned"}
ROUND_ENDS = {"round-ended"}


def check_leaf(bundle: Bundle) -> None:
    """The last event ends the round or the game that the bundle is about."""
    last = bundle.events[-1]
    ends = last.kind in (GAME_ENDS if bundle.round is None else ROUND_ENDS)
    is_about_it = ends and bundle.round == last.fields.get("number")
    last.need("leaf", is_about_it, "it does not end what the bundle is about")


def check_inclusion(bundle: Bundle) -> None:
    """The proof leads from the leaf to the root of the checkpoint."""
    fits = _proof_has_length(bundle)
    is_under_root = _root_by_proof(bundle) == bundle.checkpoint.root
    sentence = "its leaf is not under the root of the checkpoint"
    bundle.events[-1].need("inclusion", fits and is_under_root, sentence)


def _leaf_hash(bundle: Bundle) -> bytes:
    """The hash of the leaf that the last event adds to the log."""
    last = bundle.events[-1]
    lines = ("liarsdice.leaf.v1", bundle.game_id, str(last.version), last.topic, base64_text(last.digest))
    leaf = "".join(f"{line}\n" for line in lines)
    return sha256(b"\0" + leaf.encode()).digest()


def _shared_levels(bundle: Bundle) -> int:
    """How many levels above the leaf the first node is that also has the last leaf of the log under it.

    Below that node, the bits of the leaf's index say on which side each sibling is. Above it, all are on the left.
    """
    levels: int = (bundle.leaf ^ (bundle.checkpoint.size - 1)).bit_length()
    return levels


def _proof_has_length(bundle: Bundle) -> bool:
    """Whether the leaf is in the log and the proof is a list with the right number of hashes."""
    levels = _shared_levels(bundle)
    length = levels + (bundle.leaf >> levels).bit_count()
    return bundle.leaf < bundle.checkpoint.size and len(bundle.proof) == length and type(bundle.proof) is list


def _root_by_proof(bundle: Bundle) -> bytes:
    """The root to which the proof leads from the leaf."""
    node, levels = _leaf_hash(bundle), _shared_levels(bundle)
    for depth, text in enumerate(bundle.proof):
        sibling = decoded_exactly(text, HASH_BYTES)
        sibling_is_left = depth >= levels or bundle.leaf >> depth & 1
        node = sha256(b"\1" + (sibling + node if sibling_is_left else node + sibling)).digest()
    return node
