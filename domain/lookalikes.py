"""Names that look alike: two names that people can't tell apart have a look in common.

This follows the skeletons of Unicode's UTS 39, "Unicode Security Mechanisms", with a table of our own. The whole table of
the Unicode Consortium has over 6,000 entries. Most of them are of no use here: normalisation does the styled letters (bold,
wide, in circles), names have letters of one script only, and rare scripts are refused (`domain/naming.py`). What is left is
small enough to be read and reviewed, so the domain needs no library.

A name has two looks, because capital letters look different: `Ian` is like `lan`, and it is also like `iAN`.
"""

import re
import unicodedata
from functools import lru_cache

_AS_PICTURE = "\ufe0f"
"""The invisible character that makes a coloured picture of the symbol before it."""
_ALIKE = {
    # Within ASCII, and quotes, hyphens and bars of all kinds.
    "l": "I1|ǀ∣׀│ІΙӀӏוןا١۱ㅣ",
    "O": "0ОΟՕ○◯",
    "rn": "mMмМΜ",
    "vv": "wWԝԜѡωա",
    "'": "`´ʹʻʼʽʾʿˈ‘’‛′‵՚׳ꞌ",
    '"': "“”‟″˝״",
    "-": "‐‑‒–—―−˗⁃ー一ㅡ",
    ",": "‚،",
    ".": "٠۰․",
    ":": "։׃∶ː꞉",
    "/": "⁄∕╱",
    "·": "•∙⋅・ᐧ",
    "*": "٭∗",
    "~": "∼˜",
    # Latin letters that are drawn like others.
    "a": "ɑаα",
    "b": "ƅЬьƄ",
    "c": "сϲ",
    "d": "ԁɖ",
    "e": "еҽ℮є",
    "f": "ϝ",
    "g": "ɡցƍ",
    "h": "һհԧ",
    "i": "ıɩіι",
    "j": "јϳյȷ",
    "k": "κкқ",
    "n": "ηпողռ",
    "o": "оοσօסه੦ഠഃဝ๐໐ჿㅇ〇०০૦௦౦೦൦٥۵",
    "p": "рρƿ",
    "q": "ԛզգ",
    "r": "гᴦ",
    "s": "ѕƽ",
    "t": "τт",
    "u": "υսʋ",
    "v": "νѵט",
    "x": "хχ×",
    "y": "уγүყ",
    "A": "АΑ",
    "B": "ВΒ",
    "C": "СϹ",
    "E": "ЕΕ",
    "F": "ϜҒ",
    "G": "Ԍ",
    "H": "НΗ",
    "J": "ЈͿ",
    "K": "КΚ",
    "L": "Լ",
    "N": "Ν",
    "P": "РΡ",
    "Q": "Ԛ",
    "S": "ЅՏ",
    "T": "ТΤ",
    "U": "Ս",
    "V": "Ѵ",
    "X": "ХΧ",
    "Y": "УΥҮ",
    "Z": "Ζ",
    "3": "ЗзӠƷȜ",
    "4": "Ч",
    "6": "б",
    "8": "Ȣȣ৪",
    # Kana and Han.
    "口": "ロ",
    "二": "ニ",
    "八": "ハ",
    "工": "エ",
    "力": "カ",
    "夕": "タ",
    "卜": "ト",
    "へ": "ヘ",
    "り": "リ",
}
"""For each drawing, the characters that are drawn like it."""

_LETTER_IN_ANOTHER_FORM = re.compile(
    r"(?:LATIN LETTER SMALL CAPITAL|(?:CROSSED )?NEGATIVE (?:CIRCLED|SQUARED) LATIN CAPITAL LETTER"
    r"|REGIONAL INDICATOR SYMBOL LETTER) ([A-Z])"
)
"""The names of small capitals, of white letters on dark shapes and of the letters of flags. Normalisation keeps them all."""

_TABLE = {ord(one): drawn for drawn, alike in _ALIKE.items() for one in alike}


@lru_cache(maxsize=4096)
def looks_of(name: str) -> frozenset[str]:
    """What a name looks like. Two names look alike if they have a look in common."""
    plain = "".join(map(_capital, unicodedata.normalize("NFKC", name).replace(_AS_PICTURE, "")))
    return frozenset((_drawn(plain).casefold(), _drawn(plain.casefold()).casefold()))


def look_alike(name: str, other: str) -> bool:
    """Whether people could take one name for the other."""
    return not looks_of(name).isdisjoint(looks_of(other))


def _drawn(text: str) -> str:
    """A text as it is drawn: accents apart, each character as the first one that looks like it, one space for many."""
    drawn = unicodedata.normalize("NFD", text).translate(_TABLE)
    return " ".join(unicodedata.normalize("NFD", drawn).split())


def _capital(one: str) -> str:
    """The capital letter that a character shows in another form; any other character as it is."""
    found = None if one.isascii() else _LETTER_IN_ANOTHER_FORM.fullmatch(unicodedata.name(one, ""))
    return found[1] if found else one
