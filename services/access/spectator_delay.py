"""What spectators may see of a game, and when. No other module computes with their delay.

A table may show its game to spectators some seconds later than to its players, so that no spectator can help a player.
Three rules follow from that, and all of them are here:

- Before the game starts nothing is delayed: everybody sees players join and leave at once.
- From the start on, spectators see each event that much later than it happened, and in the same order.
- Until they have seen the end, they must not learn of it in any other way: lists still say that the game is running, a
  player who wants a seat is refused as in a running game, and a rematch does not say which game it follows.

A game that was abandoned before its start has nothing to delay. All times are milliseconds since 1970.
"""

from collections.abc import Sequence
from itertools import takewhile

from domain.events import AnyEvent, GameStarted
from domain.state import Ended, Gathering, Nothing, Running, State
from domain.values import Value
from domain.views import Phase, Viewer, phase_of

SECONDS_MAX = 3_600
_BEGUN: Phase = "rolling"
"""The phase that lists show for every game whose end spectators have not seen."""


class SpectatorDelay(Value, frozen=True):
    """How much later than the players of a table its spectators see the game."""

    seconds: int = 0

    def applies_to(self, viewer: Viewer) -> bool:
        """Whether this viewer sees the game with the delay."""
        return viewer is None and self.seconds > 0

    def shown_at(self, happened_at: int) -> int:
        """The time at which spectators see something that happened at `happened_at`, after the start."""
        return happened_at + self.seconds * 1_000

    def known_until(self, viewer: Viewer, now: int) -> int | None:
        """The time up to which a viewer knows what happened; None for a viewer who knows everything."""
        return now - self.seconds * 1_000 if self.applies_to(viewer) else None

    def visible(self, events: Sequence[AnyEvent], now: int) -> Sequence[AnyEvent]:
        """The events of a whole game that spectators have seen by now."""
        start = sum(1 for _ in takewhile(lambda event: not isinstance(event, GameStarted), events))
        shown = sum(1 for _ in takewhile(lambda event: self.shown_at(event.at) <= now, events[start:]))
        return events[: start + shown]

    def wait_seconds(self, event: AnyEvent, before: State, now: int) -> float:
        """How long spectators wait for an event that follows a state; joining and leaving are shown at once."""
        held_back = isinstance(event, GameStarted) or not isinstance(before, Nothing | Gathering)
        return max(0, self.shown_at(event.at) - now) / 1_000 if held_back else 0.0

    def end_shown_at(self, state: State) -> int | None:
        """The time at which spectators see that a game is over; None without a delay, before the end, or if it never started."""
        if not self.seconds or not isinstance(state, Ended) or state.standing is None:
            return None
        return self.shown_at(state.since)

    def holds_back(self, state: State, now: int) -> bool:
        """Whether a game has started and, as far as spectators know, is not over."""
        if not self.seconds:
            return False
        end_shown_at = self.end_shown_at(state)
        return isinstance(state, Running) if end_shown_at is None else not is_shown(end_shown_at, now)

    def phase_shown(self, state: State, now: int) -> Phase | None:
        """The phase of a game for lists, which show the same to everybody."""
        return _BEGUN if self.holds_back(state, now) else phase_of(state)

    def tells_rematch(self, set_up_at: int, now: int) -> bool:
        """Whether a rematch may name the game before it. It is set up after the end, so spectators see the end one delay later."""
        return now >= self.shown_at(set_up_at)


def is_shown(shown_at: int | None, now: int) -> bool:
    """Whether everybody may know by now what is shown from a moment on; None stands for never."""
    return shown_at is not None and shown_at <= now


def is_allowed(seconds: int) -> bool:
    """Whether a table may have this delay."""
    return 0 <= seconds <= SECONDS_MAX


def rematch_shown(rematch_id: str | None, state: State) -> str | None:
    """The rematch of a game, for a viewer who has seen the game up to this state."""
    return rematch_id if isinstance(state, Ended) else None
