"""The check `digests`: every digest follows from its event and from the digest before (audit-format.md, "Digest")."""

from collections.abc import Sequence
from hashlib import sha256

from .event import Event, Evidence
from .form import with_length

Digests = Sequence[bytes]
"""The digest of each version; that of version 0 stands for the game before its first event."""


def check_digests(game_id: str, events: Sequence[Event]) -> Digests:
    """All digests of a game. Those that are stored with its events must be the same."""
    digests = [sha256(b"liarsdice.game.v1\n" + with_length(game_id.encode(), 2)).digest()]
    before_digests = True
    for event in events:
        digests.append(_next_digest(digests[-1], event))
        before_digests = before_digests and event.evidence.digest is None
        if before_digests:
            event.need("digests", _has_no_evidence(event.evidence), "it has no digest, but a commitment or a signature")
        else:
            event.need(
                "digests", event.evidence.digest is not None, "it has no digest, and the event before it has one"
            )
            event.need(
                "digests",
                event.evidence.digest == digests[-1],
                "its digest does not follow from it and from the digest before",
            )
    return digests


def _next_digest(before: bytes, event: Event) -> bytes:
    """digest(v), from digest(v - 1) and the event."""
    commitment = event.evidence.commitment
    return sha256(
        b"liarsdice.event.v1\n"
        + before
        + event.version.to_bytes(8, "big")
        + with_length(event.topic.encode(), 2)
        + with_length(event.public.encode(), 4)
        + (b"\0" if commitment is None else b"\1" + commitment)
        + with_length(_signing_part(event.evidence), 2)
    ).digest()


def _signing_part(evidence: Evidence) -> bytes:
    """The version that the player had seen and the signature, or nothing."""
    signed = evidence.signed
    return b"" if signed is None else signed.after.to_bytes(8, "big") + signed.signature


def _has_no_evidence(evidence: Evidence) -> bool:
    """Whether an event has no proof at all, as those that are older than digests."""
    return evidence.commitment is None and evidence.opened is None and evidence.signed is None
