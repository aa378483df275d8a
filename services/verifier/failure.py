"""The failure of a check, and the place in the bundle that the verifier has reached."""

from dataclasses import dataclass


@dataclass(eq=False)
class Failed(Exception):  # noqa: N818 - it reads as a sentence
    """The first check that does not hold, and a sentence that says what differs and where."""

    check: str
    sentence: str


@dataclass
class Place:
    """The part of the bundle that the verifier is reading, as the sentence of a failure names it."""

    name: str = "The bundle"
