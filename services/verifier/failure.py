"""The failure of a check, and the place that the verifier has come to."""

from dataclasses import dataclass


@dataclass(eq=False)
class Failed(Exception):  # noqa: N818 - it reads as a sentence
    """The first check that does not hold, and a sentence that says what differs and where."""

    check: str
    sentence: str


@dataclass
class Place:
    """The part of the bundle that is being read, in the words of a failure."""

    name: str = "The bundle"
