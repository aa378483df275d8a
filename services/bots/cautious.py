"""The cautious bot: bids what it can almost see, never shows a die, and doubts early."""

from random import Random

from domain.views import GameView
from services.bots.choice import DOUBT, Choice, Raise, doubt_succeeds, holds, safest

_DOUBT_FROM = 0.45


def cautious(view: GameView, _chance: Random) -> Choice:
    """The safest bid there is, unless the standing one looks doubtful already."""
    bid = safest(view)
    doubt = doubt_succeeds(view)
    if bid is None or (view.bids and (doubt >= _DOUBT_FROM or doubt > holds(view, bid))):
        return DOUBT
    return Raise(bid)
