"""The raise rules: for the standing bid and a face, the lowest quantity that raises it.

In every book a legal bid stays legal with a higher quantity of the same face. So one number per face is enough to say
whether a bid raises, and which bids would. `None` means that no quantity of that face is a raise.
"""

from collections.abc import Callable

from domain.values import WILD, Bid

RaiseRule = Callable[[Bid, int], int | None]

Height = Callable[[Bid], tuple[int, int]]
"""A sort key for bids, from low to high."""


def quantity_or_face(standing: Bid, face: int) -> int | None:
    """SH-10, PI-8, PA-6: more dice of any face, or as many of a higher face."""
    return standing.quantity if face > standing.face else standing.quantity + 1


def same_face_or_higher_face(standing: Bid, face: int) -> int | None:
    """SH-9: on the same face one more die at least, on a higher face a single die is enough."""
    if face > standing.face:
        return 1
    return standing.quantity + 1 if face == standing.face else None


def beat_the_higher_number(standing: Bid, face: int) -> int | None:
    """SH-11: the quantity or the face of the new bid is above both numbers of the standing one."""
    higher = max(standing.quantity, standing.face)
    return 1 if face > higher else higher + 1


def same_face_only(standing: Bid, face: int) -> int | None:
    """PA-14: in a Palafico round the opening face stays and only the quantity grows."""
    return standing.quantity + 1 if face == standing.face else None


def along_the_track(standing: Bid, face: int) -> int | None:
    """BT-8 to BT-11, PT-6 to PT-8: further along the track, or the same number space with a higher number."""
    place = track_place(standing)
    if face == WILD:
        return (place + 1) // 3 + 1
    if WILD < standing.face < face:
        return standing.quantity
    return _number_after(place)


def by_quantity(bid: Bid) -> tuple[int, int]:
    """The bid on fewer dice is lower, then the one on the lower face."""
    return (bid.quantity, bid.face)


def by_track_place(bid: Bid) -> tuple[int, int]:
    """The bid on the earlier space is lower, then the one on the lower face."""
    return (track_place(bid), bid.face)


def track_place(bid: Bid) -> int:
    """R6: number n stands at place n + n div 2, wild k at place 3k - 1, lap after lap without end."""
    if bid.face == WILD:
        return 3 * bid.quantity - 1
    return bid.quantity + bid.quantity // 2


def _number_after(place: int) -> int:
    """The first number space behind a place: every third place, from the second on, is a wild space."""
    following = place + 1 if (place + 1) % 3 != 2 else place + 2  # noqa: PLR2004 - the second of each three
    return following - following // 3
