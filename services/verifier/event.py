"""An event as a bundle holds it, with what proves it (audit-format.md, "Events" and "The bundle")."""

from dataclasses import dataclass
from typing import Any

from .failure import Failed


@dataclass(frozen=True, slots=True)
class Signed:
    """The signature of a move, and the version that its player had seen."""

    after: int
    signature: bytes
    members: tuple[str, ...]
    """The names that the bundle gives them. The check of signatures allows no others."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What stands beside an event to prove it; bytes that are not there are empty."""

    commitment: bytes
    opened: str
    """Salt and secret, still in base64."""
    signed: Signed | None
    digest: bytes
    """The digest as it is stored; events of the days before there were digests have none."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event with its own evidence, and its digest as the verifier found it."""

    version: int
    topic: str
    kind: str
    public: str
    fields: Any
    """The value of `public`."""
    evidence: Evidence
    digest: bytes

    def need(self, check: str, holds: object, sentence: str) -> None:
        """Fail the check at this event unless something holds."""
        if not holds:
            raise failed_at(self.version, self.topic, check, sentence)


def failed_at(version: int, topic: str, check: str, sentence: str) -> Failed:
    """The failure of a check at an event."""
    return Failed(check, f"Event {version}, {topic}: {sentence}.")
