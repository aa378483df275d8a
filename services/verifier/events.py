"""The events of a bundle, which the checks take one after the other.

The verifier always knows which kind of event may come next. If the moves and links before an event determine every byte
of it, the event is compared as a whole (`expect`). If a player decides something, its fields are taken and checked
(`take`).
"""

from collections import Counter

from .bundle import Bundle
from .commitments import check_opening
from .digests import Digests
from .event import Event
from .form import Json, spelled
from .signatures import MOVES, PASSING, Past, check_signature


class NoEventLeftError(Exception):
    """The bundle ends here. The check `leaf` says whether it may."""


class Events:
    """The events of a bundle, and how many of them were taken."""

    def __init__(self, bundle: Bundle, digests: Digests) -> None:
        self.bundle = bundle
        self.event = bundle.events[0]
        """The event that was taken last; before that, the first event."""
        self.signing_keys: list[bytes | None] = []
        """For each seat the key that signs its moves; None if it signs nothing."""
        self.signed_moves: Counter[int] = Counter()
        """How many moves of each seat are signed by it."""
        self._digests = digests
        self._taken = 0
        self._settled = 0

    @property
    def ahead(self) -> str:
        """The kind of the next event; empty if there is none."""
        following = self._following()
        return "" if following is None else following.kind

    def need(self, check: str, holds: object, sentence: str) -> None:
        """Fail the check at the event that was taken last, unless `holds` is true."""
        self.event.need(check, holds, sentence)

    def take(self, kind: str) -> Json:
        """The fields of the next event, which must be of this kind."""
        self._advance()
        self.need("outcome", self.event.kind == kind, f"a {kind} should come here")
        return self.event.fields

    def expect(self, kind: str, check: str, fields: Json) -> None:
        """The next event is of this kind and has exactly these values. Only its time is free: the server sets it."""
        self.take(kind)
        expected = spelled({**fields, "at": self.event.at})
        self.need(check, expected == self.event.public, f"by the rules it should be {expected}")

    def expect_nothing(self) -> None:
        """There is no next event."""
        if self._following() is not None:
            self._advance()
            self.need("outcome", holds=False, sentence="the game is over, so nothing should come here")

    def _following(self) -> Event | None:
        """The next event; None if there is none."""
        events = self.bundle.events
        return events[self._taken] if self._taken < len(events) else None

    def _advance(self) -> None:
        """Go on to the next event of any kind, and check its evidence and its time."""
        event, before = self._following(), self.event if self._taken else None
        if event is None:
            raise NoEventLeftError
        self.event = event
        self._taken += 1
        check_opening(event)
        self._check_signature(before)
        if event.kind not in PASSING:
            self._settled = event.version
        late_enough = before is None or event.at >= before.at
        self.need("outcome", late_enough, f"its time is earlier than that of event {event.version - 1}")

    def _check_signature(self, before: Event | None) -> None:
        """The event has the signature that its seat owes."""
        event, key = self.event, None
        if event.kind in MOVES:
            seat = event.fields["seat"]
            self.need("outcome", seat < len(self.signing_keys), f"nobody sits on seat {seat}")
            key = self.signing_keys[seat]
            self.signed_moves[seat] += event.evidence.signed is not None
        past = Past(self.bundle.game_id, self._digests, before, self._settled)
        check_signature(event, self._following(), key, past)
