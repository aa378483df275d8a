"""What those who see a table late may know of it: that its game has begun, and not how it goes on, until it is shown to them."""

from domain.refusals import GameAlreadyStarted
from domain.state import Ended, Running, State
from services.hosting.events import TableOpened


def is_kept_back(opened: TableOpened, state: State, now: int) -> bool:
    """Whether a game has begun and, as far as those know who see it late, is not over."""
    delay = opened.spectator_delay_seconds * 1_000
    if isinstance(state, Ended):  # One that ended before it began was never kept back.
        return bool(delay) and state.standing is not None and now < state.since + delay
    return bool(delay) and isinstance(state, Running)


def check_may_know(opened: TableOpened, state: State, now: int, *, seated: bool) -> None:
    """Refuse one who comes too late to a table before anything is said of its game that only those know who sit there."""
    if not seated and is_kept_back(opened, state, now):
        raise GameAlreadyStarted


def rematch_of(opened: TableOpened, now: int) -> str | None:
    """The game that a table is a rematch of, once everybody may know that it is over: it was when the table was set up."""
    return opened.rematch_of if now >= opened.at + opened.spectator_delay_seconds * 1_000 else None
