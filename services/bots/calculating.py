"""The calculating bot: weighs doubt against every raise by the odds, and presses as far as they carry."""

from random import Random

from domain.values import Bid
from domain.views import GameView
from services.bots.choice import DOUBT, Choice, Raise, doubt_succeeds, holds, holds_after_reroll, safest, supporting

_PRESS_DOWN_TO = 0.6
_PRESS_STEPS_MAX = 40


def calculating(view: GameView, chance: Random) -> Choice:
    """Doubt if that succeeds more probably than the best bid; otherwise bid as high as still looks good."""
    bid = safest(view)
    if bid is None:
        return DOUBT
    best = max(holds(view, bid), _after_reroll(view, bid))
    if view.bids and doubt_succeeds(view) > best:
        return DOUBT
    pressed = _pressed(view, bid, chance)
    better = _after_reroll(view, pressed) - holds(view, pressed)
    # Shown dice also help the other players, so the bot shows them only for a bid that needs it.
    if better > 0 and holds(view, pressed) < _PRESS_DOWN_TO:
        return Raise(pressed, supporting(view, pressed))
    return Raise(pressed)


def _pressed(view: GameView, bid: Bid, chance: Random) -> Bid:
    """The same face with a higher quantity, chosen among those that still probably hold."""
    good = [bid]
    for more in range(1, _PRESS_STEPS_MAX):
        higher = Bid(bid.quantity + more, bid.face)
        if holds(view, higher) < _PRESS_DOWN_TO:
            break
        good.append(higher)
    return chance.choice(good[len(good) // 2 :])


def _after_reroll(view: GameView, bid: Bid) -> float:
    """The chance of a bid with show and reroll, where the rules and the dice allow it."""
    return holds_after_reroll(view, bid) if 1 <= len(supporting(view, bid)) <= view.moves.show_max else 0.0
