"""What a game, a player, a reason and a request may be called.

The names of players need not be unique: ids tell players apart. But a name must not deceive. So at one table no two names
look alike, a person has no name that sounds like the server or one of its bots, and a name has letters of one script only
("highly restrictive" in Unicode's UTS 39). These rules hold for new seats and new players; nothing that is stored is judged
by them again.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable

from domain.lookalikes import look_alike, looks_of
from domain.shown_text import is_shown

NAME_LENGTH_MAX = 40
REASON_LENGTH_MAX = 200
REQUEST_ID_LENGTH_MAX = 200

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_JOINED_PICTURES = re.compile(r"(?<=[^\w\s])\u200d(?=[^\w\s])")
"""The invisible joiner of emoji such as a pirate flag; between letters it would only serve to imitate a name."""
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U00016fe4\U0001d159"
    + "".join(map(chr, (*range(0xFE00, 0xFE0F), *range(0xE0100, 0xE01F0))))
)
"""Letters, marks and pictures that are printable and show nothing."""
_LETTER_AS_PICTURE = re.compile(r"[^\W\d_]\ufe0f")
"""A letter that is asked to be a picture looks as it did before."""
_MARKS_IN_A_ROW_MAX = 3
_SCRIPTS = frozenset(
    (
        *(
            "ARABIC",
            "ARMENIAN",
            "BENGALI",
            "BOPOMOFO",
            "CJK",
            "CYRILLIC",
            "DEVANAGARI",
            "ETHIOPIC",
            "GEORGIAN",
            "GREEK",
        ),
        *("GUJARATI", "GURMUKHI", "HANGUL", "HEBREW", "HIRAGANA", "KANNADA", "KATAKANA", "KHMER", "LAO", "LATIN"),
        *("MALAYALAM", "MYANMAR", "ORIYA", "SINHALA", "TAMIL", "TELUGU", "THAANA", "THAI", "TIBETAN"),
    )
)
"""The scripts that Unicode recommends for names, by the first word of their characters' names."""
_TOGETHER = (
    frozenset(("LATIN", "CJK", "HIRAGANA", "KATAKANA")),
    frozenset(("LATIN", "CJK", "BOPOMOFO")),
    frozenset(("LATIN", "CJK", "HANGUL")),
)
"""The scripts that people write together."""
RESERVED_WORD = "bot"
"""The names of bots have this word, and no name of a person does."""
_ARTICLE = "the"
_WORD_ENDS = re.compile(r"(?<=[a-z])(?=[A-Z])|\d+\b")
_BETWEEN_WORDS = re.compile(r"[^\w\u0300-\u036f]+|[\d_]+")
"""Signs and digits. Accents belong to words: `Höst` is no host."""
_RESERVED = (
    *("admin", "administrator", "auditor", "everybody", "host", "liarsdice", "moderator", "nobody", "official"),
    *("operator", "server", "spectator", "steward", "system", "you"),
)


def is_id(text: str) -> bool:
    """Whether a text can be the id of a game or a player."""
    return _ID.fullmatch(text) is not None


def is_name(text: str) -> bool:
    """Whether a text has the form of a name."""
    return 0 < len(text) <= NAME_LENGTH_MAX and is_visible(text) and text == text.strip()


def deception_in(name: str) -> str | None:
    """What in a name of a person could deceive others, as the end of a sentence; None if nothing could."""
    if any(one in _BLANK for one in name) or _LETTER_AS_PICTURE.search(name):
        return "it has a character that nobody can see"
    if _has_stray_marks(name):
        return f"it begins with an accent, or has more than {_MARKS_IN_A_ROW_MAX} on one letter"
    scripts = frozenset(filter(None, map(_script_of, unicodedata.normalize("NFKC", name))))
    if not scripts <= _SCRIPTS:
        return "it has letters of a script that few programs can show"
    if len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER):
        return f"it mixes letters of different scripts ({', '.join(sorted(scripts)).lower()})"
    if _is_reserved(name):
        return "it looks like a name of the server or of one of its bots"
    return None


def alike_among(name: str, others: Iterable[str]) -> int | None:
    """The index of the first of some names that looks like this one; None if there is none."""
    return next((index for index, other in enumerate(others) if look_alike(name, other)), None)


def distinct_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number if another name that is taken looks like it: the second Ann at a table is `Ann (2)`."""
    marks = ("", *(f" ({number})" for number in range(2, len(taken) + 3)))
    names = (name[: NAME_LENGTH_MAX - len(mark)].rstrip() + mark for mark in marks)
    return next(distinct for distinct in names if alike_among(distinct, taken) is None)


def has_bots_word(name: str) -> bool:
    """Whether a name says that it is a bot's, or looks as if it did."""
    return any(RESERVED_WORD in re.split(r"[\W\d_]+", look) for look in _looks_of_words(name))


def is_reason(text: str) -> bool:
    """Whether a text can be the reason for ending a game."""
    return 0 < len(text) <= REASON_LENGTH_MAX and is_visible(text)


def is_request_id(text: str) -> bool:
    """Whether a text can be the id of a request."""
    return 0 < len(text) <= REQUEST_ID_LENGTH_MAX and text.isprintable()


def is_visible(text: str) -> bool:
    """Whether every character of a text is printable, or joins two pictures.

    What is printable depends on Python's version of Unicode. A bundle with the text must verify everywhere, so its
    characters are also among those that the format allows for ever.
    """
    return _JOINED_PICTURES.sub("", text).isprintable() and is_shown(text)


def _has_stray_marks(name: str) -> bool:
    """Whether accents stand alone or in a heap, where they would cover the text around the name."""
    row = _MARKS_IN_A_ROW_MAX
    for one in unicodedata.normalize("NFD", name):
        row = row + 1 if unicodedata.category(one) in {"Mn", "Me"} else 0
        if row > _MARKS_IN_A_ROW_MAX:
            return True
    return False


def _script_of(one: str) -> str | None:
    """The script of a letter; None for what all scripts share."""
    if one.isascii():
        return "LATIN" if one.isalpha() else None
    if not unicodedata.category(one).startswith("L"):
        return None
    script = re.split("[ -]", unicodedata.name(one, "UNKNOWN"), maxsplit=1)[0]
    if script == "MODIFIER" or one == "ー":
        return None
    return "CJK" if script == "IDEOGRAPHIC" else script


def _is_reserved(name: str) -> bool:
    looks = {"".join(one for one in _BETWEEN_WORDS.split(look) if one != _ARTICLE) for look in _looks_of_words(name)}
    return has_bots_word(name) or any(not looks_of(word).isdisjoint(looks) for word in _RESERVED)


def _looks_of_words(name: str) -> frozenset[str]:
    """The looks of a name, also with a blank where people see a word end although there is none: `BotAda`, `Bot1`."""
    return looks_of(name) | looks_of(_WORD_ENDS.sub(" ", unicodedata.normalize("NFKC", name)))
