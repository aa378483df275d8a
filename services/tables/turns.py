"""Whom a game waits for, and until when: a player, or the server itself."""

from domain.deciding.checks import Calling
from domain.state import Bidding, Gathering, State
from services.bots.names import is_bot


def servers_seat(state: State) -> int | None:
    """The seat for which the server is to move now, if there is one: a bot's, or one whose chain the server keeps."""
    if not isinstance(state, Calling):
        return None
    for seat in state.waiting:
        player = state.table.players[seat]
        if is_bot(player) if isinstance(state, Bidding) else player.chain_held_by == "server":
            return seat
    return None


def due_at(state: State) -> int | None:
    """When the time of those who are waited for is up; None without a clock."""
    if not isinstance(state, Calling) or state.table.options.turn_seconds is None:
        return None
    return state.since + state.table.options.turn_seconds * 1_000


def expires_at(state: State, unstarted_seconds: float) -> int | None:
    """When a table that nobody starts is given up; None if it is not."""
    if not isinstance(state, Gathering) or not unstarted_seconds:
        return None
    return state.since + round(unstarted_seconds * 1_000)
