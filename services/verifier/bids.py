"""The check `bids`: which bids a rulebook allows, and which bid raises which."""

from collections.abc import Callable
from dataclasses import dataclass

from .form import Json

QUANTITIES = range(1, 1001)  # R9
FACES = range(1, 7)  # R11
WILD = 1  # R11


@dataclass(frozen=True, slots=True)
class Bid:
    """A bid of a seat: at least so many dice with this face."""

    seat: int
    quantity: int
    face: int

    def __str__(self) -> str:
        return f"{self.quantity} x {self.face}"

    def fields(self) -> Json:
        """The bid as events write it."""
        return {"seat": self.seat, "quantity": self.quantity, "face": self.face}


RaiseRule = Callable[[Bid, Bid], bool]
"""Whether the second bid raises the first one."""


def track_place(bid: Bid) -> int:
    """R6: the place of a bid on the track, where wild space k lies between the numbers 2k - 1 and 2k."""
    return 3 * bid.quantity - 1 if bid.face == WILD else bid.quantity + bid.quantity // 2


def along_the_track(bid: Bid, new: Bid) -> bool:
    """BT-8 to BT-12, PT-6 to PT-8: a later space, or the same number space with a higher number."""
    same_space_higher_number = new.quantity == bid.quantity and new.face > bid.face > WILD
    return track_place(new) > track_place(bid) or same_space_higher_number


def quantity_or_face(bid: Bid, new: Bid) -> bool:
    """SH-10, PI-8, PA-6: more of any face, or as many of a higher face."""
    return (new.quantity, new.face) > (bid.quantity, bid.face)


def same_face_or_higher_face(bid: Bid, new: Bid) -> bool:
    """SH-9: more of the same face, or any number of a higher face."""
    return (new.face, new.quantity) > (bid.face, bid.quantity)


def beat_the_higher_number(bid: Bid, new: Bid) -> bool:
    """SH-11: a quantity or a face above the higher number of the standing bid."""
    return max(new.quantity, new.face) > max(bid.quantity, bid.face)


def more_of_the_same_face(bid: Bid, new: Bid) -> bool:
    """PA-14: in a Palafico round the opening face stays."""
    return new.face == bid.face and new.quantity > bid.quantity


RAISE_OPTIONS: dict[str, RaiseRule] = {
    "quantity_or_face": quantity_or_face,
    "same_face_or_higher_face": same_face_or_higher_face,
    "beat_the_higher_number": beat_the_higher_number,
}
"""The three raise rules from which a table of single-hand chooses."""


@dataclass(frozen=True, slots=True)
class BidRules:
    """The bids that are allowed in a round."""

    raises: RaiseRule
    wild_may_open: bool
    wild_may_raise: bool

    def allow(self, new: Bid, standing: Bid | None) -> bool:
        """Whether a bid may open the round, or raise the standing bid."""
        if new.quantity not in QUANTITIES or new.face not in FACES:
            return False
        if standing is None:
            return new.face != WILD or self.wild_may_open
        return (new.face != WILD or self.wild_may_raise) and self.raises(standing, new)

    def lowest(self, seat: int, standing: Bid | None, height: Callable[[Bid], int]) -> Bid | None:
        """R15: the bid of a seat when its time is up: the lowest legal bid, and of equally low ones the lowest face."""
        # If a quantity is legal for a face, so are all higher ones. So the highest quantity shows whether any is legal.
        highest = (Bid(seat, QUANTITIES[-1], face) for face in FACES)
        faces = [bid.face for bid in highest if self.allow(bid, standing)]
        bids = [self._lowest_of_face(seat, face, standing) for face in faces]
        return min(bids, key=lambda bid: (height(bid), bid.face), default=None)

    def _lowest_of_face(self, seat: int, face: int, standing: Bid | None) -> Bid:
        """The lowest legal bid on a face that has a legal bid."""
        bids = (Bid(seat, quantity, face) for quantity in QUANTITIES)
        return next(bid for bid in bids if self.allow(bid, standing))
