"""The bluffing bot: bids boldly on faces it may not have, and doubts only what is hard to believe."""

from random import Random

from domain.values import QUANTITY_MAX, Bid
from domain.views import GameView
from services.bots.choice import DOUBT, Choice, Raise, doubt_succeeds, holds, safest

_DOUBT_FROM = 0.8
_BLUFF_RATE = 0.45
_BELIEVABLE_FROM = 0.12


def bluffing(view: GameView, chance: Random) -> Choice:
    """A believable lie every other time, otherwise the safest bid; it doubts only a bid that is hard to believe."""
    bid = safest(view)
    if bid is None or doubt_succeeds(view) >= _DOUBT_FROM:
        return DOUBT if view.bids or bid is None else Raise(bid)
    if chance.random() < _BLUFF_RATE:
        return Raise(_lie(view, bid, chance))
    return Raise(bid) if not view.bids or holds(view, bid) >= _BELIEVABLE_FROM else DOUBT


def _lie(view: GameView, honest: Bid, chance: Random) -> Bid:
    """A bid on any face, somewhat higher than it need be, that others may still believe."""
    higher = [Bid(low.quantity + more, low.face) for low in view.moves.lowest_bids for more in (0, 1, 2)]
    believable = [bid for bid in higher if bid.quantity <= QUANTITY_MAX and holds(view, bid) >= _BELIEVABLE_FROM]
    return chance.choice(believable) if believable else honest
