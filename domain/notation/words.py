"""Words and the values that they stand for."""

import re
from collections.abc import Sequence
from typing import Any, get_args

from domain.events import Hand
from domain.naming import REASON_LENGTH_MAX, is_id
from domain.notation.lines import Unexpected
from domain.values import FACES, QUANTITY_MAX, WILD, Bid

NUMBER_MAX = 999_999_999

_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
_BID = re.compile(r"([0-9]+)x([0-9]+|\*)")
_ESCAPED = re.compile(r'(["\\])')
_ESCAPE = re.compile(r'\\(["\\])')
# Characters that would break a line or can't be encoded. Players may use all others.
_UNWRITABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_FACES = {str(face): face for face in FACES} | {"*": WILD}


def read_number(word: str, what: str = "a number", low: int = 0, high: int = NUMBER_MAX) -> int:
    """A number in a range."""
    if not _NUMBER.fullmatch(word) or not low <= int(word) <= high:
        raise Unexpected(f"{what} from {low} to {high}", word)
    return int(word)


def read_id(word: str, what: str) -> str:
    """The id of a game or of a player."""
    if not is_id(word):
        raise Unexpected(f"{what} of letters, digits and ._-", word)
    return word


def read_choice(word: str, choices: Any) -> Any:
    """One of the words of a Literal."""
    if word not in get_args(choices):
        raise Unexpected(" or ".join(get_args(choices)), word)
    return word


def read_dice(words: Sequence[str], count: int) -> Hand:
    """Dice, exactly `count` of them."""
    if len(words) != count:
        raise Unexpected(f"{count} {'die' if count == 1 else 'dice'} here", f"{len(words)}")
    return tuple(_read_face(word) for word in words)


def read_bid(word: str) -> Bid:
    """A bid, as in `4x3`."""
    parts = _BID.fullmatch(word)
    if parts is None:
        raise Unexpected("a bid like 4x3", word)
    return Bid(read_number(parts[1], "a quantity", 1, QUANTITY_MAX), _read_face(parts[2]))


def read_text(word: str) -> str:
    """A text without its quotes."""
    if word[0] != '"':
        raise Unexpected("a text in quotes", word)
    text = _ESCAPE.sub(r"\1", word[1:-1])
    if not 0 < len(text) <= REASON_LENGTH_MAX or _UNWRITABLE.search(text):
        raise Unexpected(f"1 to {REASON_LENGTH_MAX} visible characters", word)
    return text


def write_text(text: str) -> str:
    """A text in quotes."""
    return '"' + _ESCAPED.sub(r"\\\1", text) + '"'


def write_dice(dice: Hand, *, wild: bool) -> str:
    """Dice, the wild ones as stars."""
    return " ".join(_write_face(face, wild=wild) for face in dice)


def write_bid(quantity: int, face: int, *, wild: bool) -> str:
    """A bid, on stars where face 1 is wild."""
    return f"{quantity}x{_write_face(face, wild=wild)}"


def _read_face(word: str) -> int:
    if word not in _FACES:
        raise Unexpected("a face from 1 to 6 or *", word)
    return _FACES[word]


def _write_face(face: int, *, wild: bool) -> str:
    return "*" if wild and face == WILD else str(face)
