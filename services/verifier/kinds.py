"""Kinds of values in a bundle. Each says what is wrong with a value that is not of its kind, and where it stands."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .characters import is_shown
from .form import decoded

NUMBER_MAX = 2**53 - 1
"""The largest whole number that every JSON reader keeps exactly."""
LIST_LENGTH_MAX = 1_000
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class Kind(Protocol):
    """A kind of values."""

    def problem(self, value: Any, name: str) -> str | None:
        """What is wrong with a value that stands under this name, as a part of a sentence; None if it is of the kind."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number from 0 on."""

    def problem(self, value: Any, name: str) -> str | None:
        """A number that is negative, too large or no whole number; `true` is none either."""
        fits = type(value) is int and 0 <= value <= NUMBER_MAX
        return None if fits else f"{name} is not a whole number from 0 to {NUMBER_MAX}"


@dataclass(frozen=True, slots=True)
class Truth:
    """True or false."""

    def problem(self, value: Any, name: str) -> str | None:
        """Anything else."""
        return None if type(value) is bool else f"{name} is neither true nor false"


@dataclass(frozen=True, slots=True)
class Id:
    """The id of a game or a player."""

    def problem(self, value: Any, name: str) -> str | None:
        """Anything that no id can be."""
        fits = isinstance(value, str) and _ID.fullmatch(value)
        return None if fits else f"{name} is not 1 to 64 letters, digits, dots, hyphens and underscores of ASCII"


@dataclass(frozen=True, slots=True)
class Text:
    """A text that everybody can see."""

    length_max: int

    def problem(self, value: Any, name: str) -> str | None:
        """No text, an empty or too long one, or one with characters that are not allowed."""
        if not isinstance(value, str) or not 0 < len(value) <= self.length_max:
            return f"{name} is not a text of 1 to {self.length_max} characters"
        return None if is_shown(value) else f"{name} has a character that is not allowed in a text"


@dataclass(frozen=True, slots=True)
class Word:
    """One of some words."""

    words: tuple[str, ...]

    def problem(self, value: Any, name: str) -> str | None:
        """Any other word."""
        fits = isinstance(value, str) and value in self.words
        return None if fits else f"{name} is not {' or '.join(self.words)}"


@dataclass(frozen=True, slots=True)
class Base64:
    """So many bytes in base64, or at least so many and at most `length_max`."""

    length: int
    length_max: int | None = None

    def problem(self, value: Any, name: str) -> str | None:
        """No base64, another spelling of it, or of another number of bytes."""
        content = decoded(value) if isinstance(value, str) else None
        longest = self.length if self.length_max is None else self.length_max
        if content is not None and self.length <= len(content) <= longest:
            return None
        count = f"{self.length}" if longest == self.length else f"{self.length} to {longest}"
        return f"{name} is not the base64 of {count} bytes"


@dataclass(frozen=True, slots=True)
class OrNull:
    """A kind, or null."""

    kind: Kind

    def problem(self, value: Any, name: str) -> str | None:
        """What is wrong with a value that is not null."""
        return None if value is None else self.kind.problem(value, name)


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of values of one kind."""

    kind: Kind
    length_max: int = LIST_LENGTH_MAX

    def problem(self, value: Any, name: str) -> str | None:
        """No list, a too long one, or what is wrong with its first wrong value."""
        if not isinstance(value, list) or len(value) > self.length_max:
            return f"{name} is not a list of at most {self.length_max}"
        problems = (self.kind.problem(one, f"{name}[{index}]") for index, one in enumerate(value))
        return first_of(problems)


@dataclass(frozen=True, slots=True)
class ObjectOf:
    """An object with these members, in this order, and no others."""

    members: Mapping[str, Kind]

    def problem(self, value: Any, name: str) -> str | None:
        """No object, one with other members, or what is wrong with its first wrong member."""
        if not isinstance(value, dict) or tuple(value) != tuple(self.members):
            return f"{name} does not have the members {', '.join(self.members)} in this order and no others"
        problems = (kind.problem(value[member], f"{member} of {name}") for member, kind in self.members.items())
        return first_of(problems)


def first_of(problems: Iterator[str | None]) -> str | None:
    """The first problem, if there is one."""
    return next((problem for problem in problems if problem is not None), None)


WHOLE, TRUTH, ID = Whole(), Truth(), Id()
HASH = Base64(32)
"""A link, an anchor, a key, a hash or a commitment."""
