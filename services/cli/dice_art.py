"""Dice as pictures for a terminal."""

from domain.events import Hand
from domain.values import WILD

_PIPS = {
    1: ("       ", "   ●   ", "       "),
    2: (" ●     ", "       ", "     ● "),
    3: (" ●     ", "   ●   ", "     ● "),
    4: (" ●   ● ", "       ", " ●   ● "),
    5: (" ●   ● ", "   ●   ", " ●   ● "),
    6: (" ●   ● ", " ●   ● ", " ●   ● "),
}
_SYMBOLS = {"star": "★", "skull": "☠", "wheel": "☸"}


def dice_picture(hand: Hand, wild_name: str) -> str:
    """The dice of a hand side by side; the wild face shows the symbol of the rulebook."""
    rows = [_die(face, wild_name) for face in hand]
    return "\n".join(" ".join(die[line] for die in rows) for line in range(5))


def face_name(face: int, wild_name: str) -> str:
    """What players call a face: its number, or the name of the wild face if the rulebook gives it one."""
    return wild_name if face == WILD and wild_name in _SYMBOLS else str(face)


def _die(face: int, wild_name: str) -> tuple[str, ...]:
    middle = _PIPS[face]
    if face == WILD and wild_name in _SYMBOLS:
        middle = ("       ", f"   {_SYMBOLS[wild_name]}   ", "       ")
    return ("┌───────┐", *(f"│{row}│" for row in middle), "└───────┘")
