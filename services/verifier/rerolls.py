"""Show and reroll (BT-19, R7): the checks at the reroll itself, and those when the cups are lifted.

At the reroll:

1. `links`: its link is the next one of the round's call (`check_reroll`).
2. `bids`: the seat that made the last bid rerolls, once, before anybody else acts. It shows at least one of its hidden
   dice and rerolls all others, at least one (`check_reroll`).

When the cups are lifted:

3. `commitments`: the server had committed to the new hand (`cups.py`).
4. `dice`: the new dice follow from the links (`cups.py`).
5. `bids`: the shown dice lay under the cup (`check_shown`).

Where a seat signs, `signatures.py` checks the signature of the reroll, or that of the bid that it came with.
"""

from collections import Counter
from collections.abc import Sequence
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


def check_reroll(game: Game, bid: Bid | None, number: int, before: Sequence[Reroll]) -> Reroll:
    """R7, BT-19: the seat of the last bid shows dice and rerolls the others, once, with the link of this number.

    `before` are the rerolls that were made in this round already.
    """
    fields = game.events.take("dice-rerolled")
    seat, shown, rerolled = fields["seat"], fields["shown"], fields["rerolled"]
    link = check_link(game, seat_name(seat), fields["link"], number)
    game.events.need("bids", bid is not None and seat == bid.seat, f"seat {seat} may not reroll now")
    hidden = game.standing.dice_counts[seat] - sum(len(one.shown) for one in before if one.seat == seat)
    fits = shown and rerolled and len(shown) + rerolled == hidden
    sentence = f"seat {seat} has {hidden} hidden dice and can't show {len(shown)} and reroll {rerolled}"
    game.events.need("bids", fits, sentence)
    return Reroll(seat, shown, rerolled, link, opened_secret(game.events.event))


def check_shown(game: Game, reroll: Reroll, cup: list[int]) -> None:
    """BT-19: the shown dice are some of those under the cup."""
    sentence = f"seat {reroll.seat} had {cup} and can't show {reroll.shown}"
    game.events.need("bids", Counter(reroll.shown) <= Counter(cup), sentence)
