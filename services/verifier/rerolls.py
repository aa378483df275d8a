"""Show and reroll (BT-19, R7): the checks at the reroll itself, and those when the cups are lifted.

1. `bids`: the seat that made the last bid rerolls, once, before anybody else acts (`check_reroll`).
2. `links`: its link is the next one of the round's call (`check_reroll`).
3. `commitments`: the server had committed to the new hand; the opening is checked with every event, and compared
   with what the cups show in `cups.py`.
4. `bids`: the shown dice lay under the cup, and all others were rerolled, at least one (`check_shown`).
5. `dice`: the new dice follow from the links (`cups.py`).

Where a seat signs, `signatures.py` checks the signature of the reroll, or that of the bid that it came with.
"""

from collections import Counter
from dataclasses import dataclass

from .bids import Bid
from .commitments import opened_secret
from .fair_dice import seat_name
from .game import Game
from .links import check_link


@dataclass(frozen=True, slots=True)
class Reroll:
    """A reroll as the player asked for it. Only the lifted cups show whether it was possible."""

    seat: int
    shown: list[int]
    rerolled: int
    link: bytes
    secret: bytes | None
    """The server's commitment for the reroll, opened: its link and the new hand."""


def check_reroll(game: Game, bid: Bid | None, number: int) -> Reroll:
    """R7: the seat of the last bid shows dice and rerolls the others, once, with the link of this number."""
    fields = game.events.take("dice-rerolled")
    seat = fields["seat"]
    game.events.need("bids", bid is not None and seat == bid.seat, f"seat {seat} may not reroll now")
    link = check_link(game, seat_name(seat), fields["link"], number)
    return Reroll(seat, fields["shown"], fields["rerolled"], link, opened_secret(game.events.event))


def check_shown(game: Game, reroll: Reroll, cup: list[int]) -> None:
    """BT-19: the shown dice are some of those under the cup, at least one, and all others are rerolled, at least one."""
    left = (Counter(cup) - Counter(reroll.shown)).total()
    lay_there = left == len(cup) - len(reroll.shown)
    fits = lay_there and left == reroll.rerolled and 0 < left < len(cup)
    sentence = f"seat {reroll.seat} had {cup} and can't show {reroll.shown} and reroll the others"
    game.events.need("bids", fits, sentence)
