"""What a bot can choose, and the judgements that several bots share."""

from collections.abc import Callable
from random import Random

from domain.events import Hand
from domain.history.odds import chance_of_at_least, chance_of_bid
from domain.rulebooks import rules_of
from domain.values import Bid, Value
from domain.views import GameView, SeatView


class Raise(Value, frozen=True):
    """Open or raise, and maybe show dice and reroll the others."""

    bid: Bid
    shown: Hand = ()


class Doubt(Value, frozen=True):
    """Challenge the standing bid."""


DOUBT = Doubt()

Choice = Raise | Doubt

Bot = Callable[[GameView, Random], Choice]
"""A function that chooses when it is the bot's turn to bid or challenge, from the view of the bot's own seat."""


def doubt_succeeds(view: GameView) -> float:
    """The chance that the standing bid is too high, as this seat sees it; 0 if there is no bid."""
    return 1 - float(chance_of_bid(view, view.bids[-1].bid)) if view.bids else 0.0


def holds(view: GameView, bid: Bid) -> float:
    """The chance that a bid holds, as this seat sees it."""
    return float(chance_of_bid(view, bid))


def safest(view: GameView) -> Bid | None:
    """The legal bid that holds most probably; of several equal ones, the one on the highest face."""
    return max(view.moves.lowest_bids, key=lambda bid: (holds(view, bid), bid.face), default=None)


def own_seat(view: GameView) -> SeatView:
    """The bot's own seat."""
    assert view.viewer is not None, "a bot has a seat"
    return view.seats[view.viewer]


def counting(view: GameView, bid: Bid) -> tuple[int, ...]:
    """The faces that count towards a bid in this round."""
    rules = rules_of(view.rulebook, view.rulebook_version, view.options)
    return rules.of_round(palafico=view.round is not None and view.round.palafico).counting_faces(bid.face)


def supporting(view: GameView, bid: Bid) -> Hand:
    """The dice under the bot's own cup that count towards a bid."""
    faces = counting(view, bid)
    return tuple(face for face in own_seat(view).hidden or () if face in faces)


def holds_after_reroll(view: GameView, bid: Bid) -> float:
    """The chance that a bid holds once its supporting dice are shown and the others are rolled again."""
    own, faces = own_seat(view), counting(view, bid)
    open_dice = supporting(view, bid) + sum((seat.shown for seat in view.seats), ())
    out_of_sight = sum(seat.hidden_count for seat in view.seats) - len(supporting(view, bid))
    assert own.hidden is not None
    needed = bid.quantity - sum(face in faces for face in open_dice)
    return float(chance_of_at_least(needed, out_of_sight, len(faces)))
