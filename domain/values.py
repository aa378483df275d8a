"""The values that everything else is made of: faces, bids and the frozen struct they build on."""

import msgspec

WILD = 1
"""The face that stands for every other one where a book has a wild symbol (R11)."""

FACES = (1, 2, 3, 4, 5, 6)

QUANTITY_MAX = 1_000
"""R9: no book caps a bid, so the cap is only there to keep numbers sane."""


class Value(msgspec.Struct, frozen=True):
    """A fact that never changes once it is made."""


class Bid(Value, frozen=True):
    """A claim that at least `quantity` of all dice in play count as `face`."""

    quantity: int
    face: int

    def __str__(self) -> str:
        return f"{self.quantity}x{self.face}"


class PlacedBid(Value, frozen=True):
    """A bid together with the seat that made it."""

    seat: int
    quantity: int
    face: int

    @property
    def bid(self) -> Bid:
        """The claim alone."""
        return Bid(self.quantity, self.face)
