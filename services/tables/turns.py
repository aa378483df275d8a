"""Whether a game waits for the server, and until when it waits for a player."""

from domain.deciding.checks import Calling
from domain.state import Bidding, Gathering, State
from services.bots.names import is_bot


def servers_seat(state: State) -> int | None:
    """The seat for which the server has to move now, or None: it bids for bots, and rolls where it keeps the chain."""
    if not isinstance(state, Calling):
        return None
    for seat in state.waiting:
        player = state.table.players[seat]
        if is_bot(player) if isinstance(state, Bidding) else player.chain_held_by == "server":
            return seat
    return None


def due_at(state: State) -> int | None:
    """The time at which the current turn ends; None without a clock."""
    if not isinstance(state, Calling) or state.table.options.turn_seconds is None:
        return None
    return state.since + state.table.options.turn_seconds * 1_000


def expires_at(state: State, unstarted_seconds: float) -> int | None:
    """The time at which the server gives up a table that nobody starts; None if it never does."""
    if not isinstance(state, Gathering) or not unstarted_seconds:
        return None
    return state.since + round(unstarted_seconds * 1_000)
