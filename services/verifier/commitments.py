"""The check `commitments`: opened secrets fit their commitments and the lifted cups (audit-format.md, "Commitment")."""

from hashlib import sha256

from .event import Event
from .form import decoded

SALT_BYTES = 32
KINDS_WITH_SECRETS = {"dice-dealt", "dice-rerolled"}


def check_opening(event: Event) -> None:
    """The commitment of an event with a secret fits the opened secret. Any other event has neither."""
    opened = decoded(event.evidence.opened)
    if _has_secret(event):
        holds = event.evidence.commitment == _commitment(opened)
    else:
        holds = not event.evidence.commitment and not opened
    event.need("commitments", holds, "it is not what was committed to")


def opened_secret(event: Event) -> bytes | None:
    """The secret of an event, without its salt; None if the event is older than commitments."""
    return decoded(event.evidence.opened)[SALT_BYTES:] if _has_secret(event) else None


def _has_secret(event: Event) -> bool:
    """Whether this event must have a commitment. An event without a digest is older than commitments."""
    return event.kind in KINDS_WITH_SECRETS and bool(event.evidence.digest)


def _commitment(opened: bytes) -> bytes:
    """The commitment to a salt and a secret."""
    return sha256(b"liarsdice.secret.v1\n" + opened).digest()
