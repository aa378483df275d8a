"""An event as a bundle holds it, with what proves it (audit-format.md, "Events" and "The bundle")."""

from dataclasses import dataclass

from .failure import Failed
from .form import Json


@dataclass(frozen=True, slots=True)
class Signed:
    """The signature of a move, and the version that its player had seen."""

    after: int
    signature: bytes


@dataclass(frozen=True, slots=True)
class Evidence:
    """The proof beside an event."""

    commitment: bytes | None
    opened: bytes | None
    """Salt and secret."""
    signed: Signed | None
    digest: bytes | None
    """The stored digest; None if the event is older than digests."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event with its evidence. Its fields are those of its topic, with values of the right kinds."""

    version: int
    topic: str
    public: str
    fields: Json
    """The value of `public`."""
    evidence: Evidence

    @property
    def kind(self) -> str:
        """The topic without its version."""
        return self.topic.partition(".")[0]

    @property
    def at(self) -> int:
        """The time of the event, in milliseconds since 1970."""
        at: int = self.fields["at"]
        return at

    def need(self, check: str, holds: object, sentence: str) -> None:
        """Fail the check at this event unless `holds` is true."""
        if not holds:
            raise Failed(check, f"Event {self.version}, {self.topic}: {sentence}.")
