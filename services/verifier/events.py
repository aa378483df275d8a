"""The events of a bundle, taken one after the other as the game is followed.

The verifier always knows which event must come next. Where the moves and links before it say every byte of the event,
it is compared as a whole (`expect`); where a player decides something, its fields are taken and checked (`take`).
"""

from .bundle import Bundle
from .commitments import check_opening
from .event import Event
from .failure import Place
from .form import Json, spelled
from .signatures import MOVES, PASSING, Move, check_signature


class NoEventLeftError(Exception):
    """The bundle ends here. Whether it may is what the check `leaf` says."""


class Events:
    """The events of a bundle, of which some were taken already."""

    def __init__(self, bundle: Bundle, place: Place) -> None:
        self.bundle = bundle
        self.event = bundle.events[0]
        """The event that was taken last; the first one before any is taken."""
        self.signing_keys: list[str | None] = []
        """The key with which each seat signs its moves."""
        self._place = place
        self._taken = 0
        self._settled = 0

    @property
    def ahead(self) -> str:
        """The kind of the event that comes next, or nothing."""
        following = self._following()
        return "" if following is None else following.kind

    def _following(self) -> Event | None:
        """The event that comes next."""
        events = self.bundle.events
        return events[self._taken] if self._taken < len(events) else None

    def need(self, check: str, holds: object, sentence: str) -> None:
        """Fail the check at the event that was taken last unless something holds."""
        self.event.need(check, holds, sentence)

    def take(self, kind: str, *names: str) -> Json:
        """The fields of the next event, which must be of this kind and have these fields and its time."""
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
        """The next event is of this kind and says exactly this, apart from its time, which is the server's word."""
        at = self.take_any_fields(kind)["at"]
        expected = spelled({**fields, "at": at})
        self.need(check, expected == self.event.public, f"by the rules it is {expected}")

    def expect_nothing(self) -> None:
        """No event comes any more."""
        if self._following() is not None:
            self._advance()
            self.need("outcome", holds=False, sentence="nothing should come here")

    def _next(self, kind: str) -> Json:
        """The fields of the next event, after the checks of its evidence and of its kind."""
        fields = self._advance()
        self.need("outcome", self.event.kind == kind, f"{kind} should come here")
        return fields

    def _advance(self) -> Json:
        """The fields of the next event, whatever its kind, after the check of its evidence."""
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
        """What proves the event holds: first its opening, then its signature."""
        event = self.event
        check_opening(event)
        key = self.signing_keys[fields["seat"]] if event.kind in MOVES else None
        check_signature(Move(event, before, self._following(), key, self._settled), self.bundle)
        if event.kind not in PASSING:
            self._settled = event.version
