"""A replay through somebody's eyes.

What the reader may know is settled when the replay is read (`services.access.sight`), so eyes can only show less of it:
through those of another seat a round that goes on shows no dice of that seat, because they are not in the replay.
"""

from msgspec.structs import replace

from domain.evolve import fold
from domain.history.replaying import Odds, Replay, Step
from domain.refusals import NoSuchSeat
from domain.state import NOTHING, Nothing, State
from domain.values import Value
from domain.views import GameView, Viewer, seen_by, view, view_of_all
from services.archive.refusals import NoSuchStep


class Viewpoint(Value, frozen=True):
    """Whose eyes: those of a seat, of a spectator, or of somebody who sees under all lifted cups."""

    seat: Viewer = None
    everything: bool = False


class Reel:
    """The steps of a replay through somebody's eyes; looking at them in their order costs the least."""

    def __init__(self, replay: Replay, viewpoint: Viewpoint) -> None:
        self._replay, self._viewpoint = replay, viewpoint
        self._state: State = NOTHING
        self._version = 0
        if viewpoint.seat is not None and viewpoint.seat not in range(seats_of(replay)):
            raise NoSuchSeat(seat=viewpoint.seat, players=seats_of(replay))

    @property
    def last(self) -> int:
        """The last step."""
        return len(self._replay.events)

    def check(self, version: int, first: int = 1) -> int:
        """The number of a step that there is."""
        if not first <= version <= self.last:
            raise NoSuchStep(game_id=self._replay.game_id, step=version, last=self.last)
        return version

    def step(self, version: int) -> Step:
        """A step as these eyes see it."""
        step = self._replay.step(version)
        if self._viewpoint.everything:
            return step
        seat = self._viewpoint.seat
        return replace(step, event=seen_by(step.event, seat), odds=step.odds and _odds_of(step.odds, seat))

    def view(self, version: int) -> GameView | None:
        """How the game stood after a step; None before the first."""
        state = self._state_at(version)
        if self._viewpoint.everything:
            return view_of_all(state)
        seat = self._viewpoint.seat
        seated = seat is not None and not isinstance(state, Nothing) and seat < len(state.table.players)
        return view(state, seat if seated else None)

    def _state_at(self, version: int) -> State:
        if version < self._version:
            self._state, self._version = NOTHING, 0
        self._state = fold(self._replay.events[self._version : version], self._state)
        self._version = version
        return self._state


def seats_of(replay: Replay) -> int:
    """How many sit at the table after the last step."""
    state = replay.state_at(len(replay.events))
    return 0 if isinstance(state, Nothing) else len(state.table.players)


def seat_of(replay: Replay, player_id: str) -> Viewer:
    """The seat that somebody has after the last step, if there is one."""
    state = replay.state_at(len(replay.events))
    ids = [] if isinstance(state, Nothing) else [player.player_id for player in state.table.players]
    return ids.index(player_id) if player_id in ids else None


def _odds_of(odds: Odds, seat: Viewer) -> Odds:
    return replace(odds, seats=tuple(chance if own == seat else None for own, chance in enumerate(odds.seats)))
