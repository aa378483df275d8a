"""The events of a bundle, which the checks take one after the other.

The verifier always knows which kind of event may come next. If the moves and links before an event determine every byte
of it, the event is compared as a whole (`expect`). If a player decides something, its fields are taken and checked
(`take`).
"""

from .bundle import Bundle
from .commitments import check_opening
from .event import Event
from .failure import Place
from .form import Json, spelled
from .signatures import MOVES, PASSING, Move, check_signature


class NoEventLeftError(Exception):
    """The bundle ends here. The check `leaf` says whether it may."""


class Events:
    """The events of a bundle, and how many of them were taken."""

    def __init__(self, bundle: Bundle, place: Place) -> None:
        self.bundle = bundle
        self.event = bundle.events[0]
        """The event that was taken last; before that, the first event."""
        self.signing_keys: list[str | None] = []
        """For each seat the key that signs its moves; None if it signs nothing."""
        self._place = place
        self._taken = 0
        self._settled = 0

    @property
    def ahead(self) -> str:
        """The kind of the next event; empty if there is none."""
        following = self._following()
        return "" if following is None else following.kind

    def _following(self) -> Event | None:
        """The next event; None if there is none."""
        events = self.bundle.events
        return events[self._taken] if self._taken < len(events) else None

    def need(self, check: str, holds: object, sentence: str) -> None:
        """Fail the check at the event that was taken last, unless `holds` is true."""
        self.event.need(check, holds, sentence)

    def take(self, kind: str, *names: str) -> Json:
        """The fields of the next event, which must be of this kind and have exactly these fields and a time."""
        fields = self._next(kind)
        fits = (*fields,) == (*names, "at") and type(fields["at"]) is int
        self.need("form", fits, "it has other fields than it should")
        return fields

    def take_any_fields(self, kind: str) -> Json:
        """The fields of the next event, which must be of this kind and have a time."""
        fields = self._next(kind)
        self.need("form", type(fields["at"]) is int, "it has no time")
        return fields

    def expect(self, kind: str, check: str, fields: Json) -> None:
        """The next event is of this kind and has exactly these values. Only its time is free: the server sets it."""
        at = self.take_any_fields(kind)["at"]
        expected = spelled({**fields, "at": at})
        self.need(check, expected == self.event.public, f"by the rules it is {expected}")

    def expect_nothing(self) -> None:
        """There is no next event."""
        if self._following() is not None:
            self._advance()
            self.need("outcome", holds=False, sentence="nothing should come here")

    def _next(self, kind: str) -> Json:
        """The fields of the next event, with its evidence and its kind checked."""
        fields = self._advance()
        self.need("outcome", self.event.kind == kind, f"{kind} should come here")
        return fields

    def _advance(self) -> Json:
        """The fields of the next event of any kind, with its evidence checked."""
        event, before = self._following(), self.event
        if event is None:
            raise NoEventLeftError
        self.event = event
        self._taken += 1
        self._place.name = f"Event {event.version}"
        fields = dict(event.fields)
        self._check_evidence(before, fields)
        return fields

    def _check_evidence(self, before: Event, fields: Json) -> None:
        """The evidence of the event holds: first its opening, then its signature."""
        event = self.event
        check_opening(event)
        key = self.signing_keys[fields["seat"]] if event.kind in MOVES else None
        check_signature(Move(event, before, self._following(), key, self._settled), self.bundle)
        if event.kind not in PASSING:
            self._settled = event.version
