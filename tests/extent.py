"""How much the tests try: a sample whenever the suite runs, and all of it in `make chaos`."""

import os
from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")
AT_LENGTH = "LIARSDICE_TESTS_AT_LENGTH" in os.environ
"""Whether this run takes its time. It runs only the tests with the mark `at_length`."""


def extent(sample: int, whole: int) -> int:
    """How many examples, games or kills a test tries. The test needs the mark `at_length`, or nothing runs it whole."""
    return whole if AT_LENGTH else sample


def cases(sample: Sequence[Case], whole: Sequence[Case]) -> Sequence[Case]:
    """Which cases a test tries: enough to try every behaviour once, or all of them. The test needs the mark `at_length` too."""
    return whole if AT_LENGTH else sample
