"""A typed line and what it means: `3 5` bids three fives, `d` or `c` doubts, `s 5 5` shows two fives."""

import re
from typing import Literal

from domain.events import Hand
from domain.values import FACES, WILD, Bid, Value

Word = Literal["doubt", "help", "quit", "forfeit", "odds", "look", "start", "bot", "leave", "unclear"]

_WORDS: dict[str, Word] = {
    "": "look",
    "t": "look",
    "table": "look",
    "d": "doubt",
    "doubt": "doubt",
    "c": "doubt",
    "challenge": "doubt",
    "liar": "doubt",
    "?": "help",
    "h": "help",
    "help": "help",
    "q": "quit",
    "quit": "quit",
    "exit": "quit",
    "f": "forfeit",
    "forfeit": "forfeit",
    "o": "odds",
    "odds": "odds",
    "start": "start",
    "b": "bot",
    "bot": "bot",
    "leave": "leave",
}
_BID = re.compile(r"(?P<quantity>\d{1,9})\s*(?:x|×|\s)\s*(?P<face>[^\s]+)(?:\s+s\s*(?P<shown>.+))?")  # noqa: RUF001 - people type it
_SHOW = re.compile(r"s(?:how)?\s*(?P<shown>[^a-z].*)")


class Bids(Value, frozen=True):
    """A bid, with dice to show if there are any."""

    bid: Bid
    shown: Hand = ()


class Shows(Value, frozen=True):
    """Dice to show, after the player's bid."""

    shown: Hand


class Says(Value, frozen=True):
    """A word, and the rest of the line."""

    word: Word
    rest: str = ""


Typed = Bids | Shows | Says


def meaning_of(line: str, wild_name: str) -> Typed:
    """The meaning of a line at a table where face 1 has this name."""
    text = " ".join(line.lower().split())
    first, _, rest = text.partition(" ")
    if first in _WORDS and (not rest or first in {"b", "bot"}):
        return Says(_WORDS[first], rest)
    if found := _BID.fullmatch(text):
        face = _face(found["face"], wild_name)
        shown = _hand(found["shown"] or "", wild_name)
        if face is not None and shown is not None:
            return Bids(Bid(int(found["quantity"]), face), shown)
    if found := _SHOW.fullmatch(text):
        shown = _hand(found["shown"], wild_name)
        if shown:
            return Shows(shown)
    return Says("unclear")


def _face(text: str, wild_name: str) -> int | None:
    """A face by its number, or by the name of the wild face. The server judges whether the number is one of a die."""
    if text in {"*", wild_name, f"{wild_name}s"}:
        return WILD
    return int(text.rstrip("s")) if re.fullmatch(r"\d{1,9}s?", text) else None


def _hand(text: str, wild_name: str) -> Hand | None:
    """Dice, with or without spaces between them."""
    words = text.replace(wild_name, "*").replace(",", " ")
    faces = [_face(word, wild_name) for word in words.replace(" ", "")]
    hand = tuple(face for face in faces if face in FACES)
    return hand if len(hand) == len(faces) else None
