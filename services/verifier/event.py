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
    """The names of the members in the bundle. The check `signatures` allows no others."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The proof beside an event. Bytes that are missing are empty."""

    commitment: bytes
    opened: str
    """Salt and secret, still in base64."""
    signed: Signed | None
    digest: bytes
    """The stored digest; empty if the event is older than digests."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event with its evidence, and with the digest that the verifier has computed."""

    version: int
    topic: str
    kind: str
    public: str
    fields: Any
    """The value of `public`."""
    evidence: Evidence
    digest: bytes

    def need(self, check: str, holds: object, sentence: str) -> None:
        """Fail the check at this event unless `holds` is true."""
        if not holds:
            raise failed_at(self.version, self.topic, check, sentence)


def failed_at(version: int, topic: str, check: str, sentence: str) -> Failed:
    """The failure of a check at an event."""
    return Failed(check, f"Event {version}, {topic}: {sentence}.")
