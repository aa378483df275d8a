"""A replay as a seat or a spectator saw it.

`services.access.sight` decides what the reader may know before this module gets the replay, so a viewpoint can only show
less. From the viewpoint of another seat, the current round shows no dice of that seat, because the replay does not have
them.
"""

from msgspec.structs import replace

from domain.evolve import fold
from domain.history.replaying import Odds, Replay, Step
from domain.refusals import NoSuchSeat
from domain.state import Nothing, State
from domain.values import Value
from domain.views import GameView, Viewer, seen_by, view, view_of_all
from services.archive.refusals import NoSuchStep


class Viewpoint(Value, frozen=True):
    """A viewpoint: a seat, a spectator, or a viewer who sees under all cups that were lifted later."""

    seat: Viewer = None
    everything: bool = False


class Reel:
    """The steps of a replay from one viewpoint; reading them in order is quickest."""

    def __init__(self, replay: Replay, viewpoint: Viewpoint) -> None:
        self._replay, self._viewpoint = replay, viewpoint
        self._version, self._state = 0, replay.state_at(0)
        if viewpoint.seat is not None and viewpoint.seat not in range(seats_of(replay)):
            raise NoSuchSeat(seat=viewpoint.seat, players=seats_of(replay))

    @property
    def last(self) -> int:
        """The last step."""
        return len(self._replay.events)

    def check(self, version: int, first: int = 1) -> int:
        """The number of a step; refuses a step that does not exist."""
        if not first <= version <= self.last:
            raise NoSuchStep(game_id=self._replay.game_id, step=version, last=self.last)
        return version

    def step(self, version: int) -> Step:
        """A step as seen from the viewpoint."""
        step = self._replay.step(version)
        if self._viewpoint.everything:
            return step
        seat = self._viewpoint.seat
        return replace(step, event=seen_by(step.event, seat), odds=step.odds and _odds_of(step.odds, seat))

    def view(self, version: int) -> GameView | None:
        """The game after a step, as seen from the viewpoint; None before the first step."""
        state = self._state_at(version)
        if self._viewpoint.everything:
            return view_of_all(state)
        seat = self._viewpoint.seat
        seated = seat is not None and not isinstance(state, Nothing) and seat < len(state.table.players)
        return view(state, seat if seated else None)

    def _state_at(self, version: int) -> State:
        """The state after a step; for the step after the last one asked for, only one event is applied."""
        if version == self._version + 1:
            self._state = fold(self._replay.events[version - 1 : version], self._state)
        elif version != self._version:
            self._state = self._replay.state_at(version)
        self._version = version
        return self._state


def seats_of(replay: Replay) -> int:
    """The number of players at the table after the last step."""
    state = replay.state_at(len(replay.events))
    return 0 if isinstance(state, Nothing) else len(state.table.players)


def seat_of(replay: Replay, player_id: str) -> Viewer:
    """The seat of a player after the last step; None if the player has none."""
    state = replay.state_at(len(replay.events))
    ids = [] if isinstance(state, Nothing) else [player.player_id for player in state.table.players]
    return ids.index(player_id) if player_id in ids else None


def _odds_of(odds: Odds, seat: Viewer) -> Odds:
    return replace(odds, seats=tuple(chance if own == seat else None for own, chance in enumerate(odds.seats)))
