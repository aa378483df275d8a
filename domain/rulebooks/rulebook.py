"""What a rulebook is: data, and a few strategy functions where data is not enough.

A `Rulebook` is the book as published. `Rules` is that book with a game's options settled, which is all that play needs.
"""

from collections.abc import Mapping

from domain.options import Options
from domain.rulebooks.losing import OpenerRule, PenaltyRule
from domain.rulebooks.opening import OpeningRoll
from domain.rulebooks.raising import Height, RaiseRule, by_quantity
from domain.values import FACES, QUANTITY_MAX, WILD, Bid, Value

OPENING_LINKS = 64


class Raising(Value, frozen=True):
    """A raise rule, the clauses it comes from, and its order of bids."""

    lowest: RaiseRule
    clauses: tuple[str, ...]
    height: Height = by_quantity


class Palafico(Value, frozen=True):
    """The special round of a player who comes down to one die, in the book that has it."""

    raising: Raising
    players_min: int
    """With fewer players left the round is a plain one."""


class Citations(Value, frozen=True, kw_only=True):
    """The clause of the book for each subject, so that a refusal can cite it."""

    players: str
    opener: str
    rolling: str
    bidding: str
    turn: str
    challenging: str
    out: str
    wild_bid: str | None = None
    show_and_reroll: str | None = None
    chips: str | None = None
    wild_aces: str | None = None


class Rulebook(Value, frozen=True, kw_only=True):
    """One published book."""

    id: str
    version: int
    title: str
    players_min: int
    players_max: int
    wild_name: str
    """R11: what the book calls face 1."""
    raising: Raising
    penalties: PenaltyRule
    next_opener: OpenerRule
    cites: Citations
    wild: bool = True
    """Whether face 1 counts for every face."""
    wild_may_open: bool = True
    wild_may_raise: bool = True
    opening_roll: OpeningRoll | None = None
    """None where the first opener is named or drawn (R2)."""
    raise_variants: Mapping[str, Raising] = {}
    """The choices of the option `raise_rule`, in the book that has it."""
    wild_aces: bool = False
    """Whether the book has the option `wild_aces`."""
    chips_each: int | None = None
    """What everyone starts with, in the book that has the option `chips`."""
    show_and_reroll: bool = False
    palafico: Palafico | None = None


class RoundRules(Value, frozen=True):
    """The rules of bidding and counting for one kind of round."""

    wild: bool
    opening_faces: tuple[int, ...]
    raising_faces: tuple[int, ...]
    raising: Raising

    def lowest_quantity(self, standing: Bid | None, face: int) -> int | None:
        """The lowest legal quantity of a face; None if no bid on it is legal now."""
        if standing is None:
            return 1 if face in self.opening_faces else None
        lowest = self.raising.lowest(standing, face) if face in self.raising_faces else None
        return lowest if lowest is not None and lowest <= QUANTITY_MAX else None

    def lowest_bids(self, standing: Bid | None) -> tuple[Bid, ...]:
        """The lowest legal bid of each face that has one."""
        quantities = ((self.lowest_quantity(standing, face), face) for face in FACES)
        return tuple(Bid(quantity, face) for quantity, face in quantities if quantity is not None)

    def counting_faces(self, face: int) -> tuple[int, ...]:
        """The faces of the dice that count towards a bid on `face`: itself and, where it is wild, face 1."""
        return (face, WILD) if self.wild and face != WILD else (face,)


class Rules(Value, frozen=True):
    """A rulebook with the options of one game settled."""

    book: Rulebook
    options: Options
    plain: RoundRules
    palafico: RoundRules | None

    def of_round(self, *, palafico: bool) -> RoundRules:
        """The rules of a plain or of a Palafico round."""
        return self.palafico if palafico and self.palafico is not None else self.plain

    @property
    def opening_dice(self) -> int:
        """How many dice each player rolls for the first opener; none where the opener is drawn."""
        roll = self.book.opening_roll
        if roll is None:
            return 0
        return self.options.dice_each if roll.dice is None else roll.dice

    def links_of_round(self, dice_counts: tuple[int, ...]) -> int:
        """How many link numbers a round sets aside.

        One is for the roll. Each reroll leaves its player one hidden die less, so there are at most as many rerolls as
        there are dice beyond everybody's first.
        """
        return 1 + sum(count - 1 for count in dice_counts if count) if self.book.show_and_reroll else 1

    def links_max(self, seats: int) -> int:
        """The length of the chains at a table of this size: no game can use up so many links.

        Every round takes a die out of play. A round with n dice of at least two players sets aside one link or, where
        dice may be rerolled, at most n - 1. The opening rolls have links of their own, more than any run of ties needs.
        """
        dice = self.options.dice_each * seats
        rounds = dice * (dice - 1) // 2 if self.book.show_and_reroll else dice - 1
        return OPENING_LINKS + rounds


def settle(book: Rulebook, options: Options) -> Rules:
    """The rules of a game that plays `book` with `options`."""
    wild = book.wild or options.wild_aces
    plain = RoundRules(
        wild=wild,
        opening_faces=FACES if book.wild_may_open else FACES[1:],
        raising_faces=FACES if book.wild_may_raise else FACES[1:],
        raising=book.raise_variants.get(options.raise_rule, book.raising),
    )
    # PA-13: in a Palafico round face 1 is a plain face, and may open.
    palafico = None if book.palafico is None else RoundRules(False, FACES, FACES, book.palafico.raising)  # noqa: FBT003
    return Rules(book, options, plain, palafico)
