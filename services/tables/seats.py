"""The table of a game, and the seat of a player at it."""

from domain.refusals import NoSuchGame
from domain.state import Nothing, State, Table
from domain.views import Viewer
from services.tables.refusals import NotSeated


def table_of(state: State) -> Table:
    """The table of a game that exists."""
    if isinstance(state, Nothing):
        raise NoSuchGame
    return state.table


def viewer_of(state: State, player_id: str) -> Viewer:
    """The seat of a player, or None for a spectator."""
    if isinstance(state, Nothing):
        return None
    for seat, player in enumerate(state.table.players):
        if player.player_id == player_id:
            return seat
    return None


def seat_of(state: State, game_id: str, player_id: str) -> int:
    """The seat of a player; refused if the player has none."""
    seat = viewer_of(state, player_id)
    if seat is None:
        raise NotSeated(game_id=game_id)
    return seat
