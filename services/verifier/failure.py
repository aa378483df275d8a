"""The failure of a check."""

from dataclasses import dataclass


@dataclass(eq=False)
class Failed(Exception):  # noqa: N818 - it reads as a sentence
    """The first check that does not hold, and a sentence that says what differs and where."""

    check: str
    sentence: str
