"""Decisions as a table: a row for each, with the same values as their JSON.

`docs/reference/export.md` describes every column. A new one goes to the end, and none is renamed.
"""

from typing import Any

from msgspec import Struct

from domain.events import Hand
from domain.statistics.answers import DecisionMade
from domain.values import Bid
from services.export.rows import Group, Moment


class DecisionRow(Struct, frozen=True):
    """A decision of a player. A cell is None if it does not apply."""

    game_id: str
    version: int
    at: Moment
    rulebook: str
    player_id: str
    seat: int
    round: int
    action: str
    quantity: int | None
    face: int | None
    standing_quantity: int | None
    standing_face: int | None
    hidden: Hand
    shown: Hand
    own_dice: int
    dice_left: int
    players_left: int
    opened: bool
    phase: str
    chance: float
    standing_chance: float | None
    best_action: str
    best_quantity: int | None
    best_face: int | None
    best_chance: float
    regret: float
    bluff: bool
    took_seconds: float
    challenged_by: int | None
    challenged_by_clock: bool
    challenged: int | None
    final_chance: float | None
    won: bool | None
    exact: bool


DECISION_COLUMNS = DecisionRow.__struct_fields__

_BIDS = {"bid": "", "standing": "standing_", "best_bid": "best_"}
"""The fields that are bids, each with what its columns begin with."""


def cells_of_decision(made: DecisionMade) -> Group:
    """The cells of a decision, in the order of the columns."""
    cells: list[Any] = []
    for name in made.__struct_fields__:
        value = getattr(made, name)
        cells += _bid(value) if name in _BIDS else (value,)
    return tuple(cells)


def _bid(bid: Bid | None) -> tuple[int | None, int | None]:
    return (None, None) if bid is None else (bid.quantity, bid.face)
