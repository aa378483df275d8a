"""The check `commitments`: opened secrets fit their commitments and the lifted cups (audit-format.md, "Commitment")."""

from hashlib import sha256

from .event import Event

SALT_BYTES = 32
KINDS_WITH_SECRETS = {"dice-dealt", "dice-rerolled"}


def check_opening(event: Event) -> None:
    """The commitment of an event with a secret fits the opened secret. Any other event has neither."""
    committed, opened = event.evidence.commitment, event.evidence.opened
    if event.kind not in KINDS_WITH_SECRETS:
        event.need("commitments", committed is None and opened is None, "it has no secret to commit to")
    elif event.evidence.digest is not None:  # An event without a digest is older than commitments.
        event.need("commitments", committed is not None, "it has no commitment")
        event.need("commitments", opened is not None, "its commitment is not opened")
        assert opened is not None
        event.need("commitments", committed == _commitment(opened), "what is opened is not what was committed to")


def opened_secret(event: Event) -> bytes | None:
    """The secret of an event, without its salt; None if the event is older than commitments."""
    opened = event.evidence.opened
    return None if opened is None else opened[SALT_BYTES:]


def _commitment(opened: bytes) -> bytes:
    """The commitment to a salt and a secret."""
    return sha256(b"liarsdice.secret.v1\n" + opened).digest()
