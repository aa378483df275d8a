"""What spectators may see of a game, and when. Nothing else in the program reckons with their delay.

A table may show its game to everybody who does not sit at it some seconds later than to its players, so that nobody can
whisper to them. Three rules follow from that, and all of them are here:

- Nothing is held back until the game starts: players join and leave in front of everybody.
- From the start on, spectators see each event that much later than it happened, and in the same order.
- Until they have seen the end, they must not learn of it in any other way: lists go on saying that the game is running,
  a seat is refused as in a running game, and a rematch does not say which game it follows.

A game that ended before it started was never held back. Moments are milliseconds since 1970.
"""

from collections.abc import Sequence
from itertools import takewhile

from domain.events import AnyEvent, GameStarted
from domain.state import Ended, Running, State
from domain.values import Value
from domain.views import Phase, Viewer, phase_of

SECONDS_MAX = 3_600
_BEGUN: Phase = "rolling"
"""The phase that spectators are shown of every game whose end they have not seen."""


class SpectatorDelay(Value, frozen=True):
    """How much later than the players of a table its spectators see the game."""

    seconds: int = 0

    def applies_to(self, viewer: Viewer) -> bool:
        """Whether this viewer sees the game later than it is played."""
        return viewer is None and self.seconds > 0

    def shown_at(self, happened_at: int) -> int:
        """The moment at which spectators see what happened at another one, after the start."""
        return happened_at + self.seconds * 1_000

    def known_until(self, viewer: Viewer, now: int) -> int | None:
        """The moment up to which a viewer knows what happened; None for a viewer who knows everything."""
        return now - self.seconds * 1_000 if self.applies_to(viewer) else None

    def visible(self, events: Sequence[AnyEvent], now: int) -> Sequence[AnyEvent]:
        """The events of a whole game that spectators have seen by now."""
        start = sum(1 for _ in takewhile(lambda event: not isinstance(event, GameStarted), events))
        shown = sum(1 for _ in takewhile(lambda event: self.shown_at(event.at) <= now, events[start:]))
        return events[: start + shown]

    def wait_seconds(self, event: AnyEvent, now: int, *, begun: bool) -> float:
        """How long it takes until spectators see an event; `begun` says whether the game has started before it."""
        held_back = begun or isinstance(event, GameStarted)
        return max(0, self.shown_at(event.at) - now) / 1_000 if held_back else 0.0

    def end_shown_at(self, state: State) -> int | None:
        """The moment at which spectators see that a game is over; None if it is not, or if nothing was held back."""
        if not self.seconds or not isinstance(state, Ended) or state.standing is None:
            return None
        return self.shown_at(state.since)

    def holds_back(self, state: State, now: int) -> bool:
        """Whether a game has started and, as far as spectators know, is not over."""
        end = self.end_shown_at(state)
        return self.seconds > 0 and isinstance(state, Running) if end is None else now < end

    def phase_shown(self, state: State, now: int) -> Phase | None:
        """The phase of a game as lists show it, which say the same to everybody."""
        return _BEGUN if self.holds_back(state, now) else phase_of(state)

    def tells_rematch(self, set_up_at: int, now: int) -> bool:
        """Whether a table that was set up as a rematch may say so: the game before it was over by then."""
        return now >= self.shown_at(set_up_at)


def is_allowed(seconds: int) -> bool:
    """Whether a table may be set up with such a delay."""
    return 0 <= seconds <= SECONDS_MAX


def rematch_shown(rematch_id: str | None, state: State) -> str | None:
    """The rematch of a game, for those who have seen the game up to this state."""
    return rematch_id if isinstance(state, Ended) else None
