"""The check `digests`: every digest follows from its event and from the digest before (audit-format.md, "Digest")."""

from hashlib import sha256

from .event import Event, Evidence, Signed, failed_at
from .form import with_length


def first_digest(game_id: str) -> bytes:
    """digest(0), which stands for the game before its first event."""
    return sha256(b"liarsdice.game.v1\n" + with_length(game_id.encode(), 2)).digest()


def next_digest(before: bytes, version: int, topic: str, public: str, evidence: Evidence) -> bytes:
    """digest(v), from digest(v - 1) and the event."""
    return sha256(
        b"liarsdice.event.v1\n"
        + before
        + version.to_bytes(8, "big")
        + with_length(topic.encode(), 2)
        + with_length(public.encode(), 4)
        + (b"\1" + evidence.commitment if evidence.commitment else b"\0")
        + with_length(_signing_part(evidence.signed), 2)
    ).digest()


def _signing_part(signed: Signed | None) -> bytes:
    """The version that the player had seen and the signature, or nothing."""
    return b"" if signed is None else signed.after.to_bytes(8, "big") + signed.signature


def check_digest(version: int, topic: str, evidence: Evidence, digest: bytes, before: Event | None) -> None:
    """The digest that is stored with an event is right. It may be missing if the event is older than digests."""
    if evidence.digest != digest and not _is_older_than_digests(evidence, before):
        raise failed_at(version, topic, "digests", "its digest does not follow from the one before")


def _is_older_than_digests(evidence: Evidence, before: Event | None) -> bool:
    """Whether an event is older than digests: it has no evidence, and the event before it has no digest."""
    if before is not None and before.evidence.digest:
        return False
    return not evidence.digest and not evidence.commitment and evidence.signed is None
