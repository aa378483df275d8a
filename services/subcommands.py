"""What the subcommands share: the place where they are added, and numbers as flags."""

import argparse
import math
from typing import TypeAlias

Subcommands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 - it has no public name


def count(text: str) -> int:
    """A flag that counts something: a whole number from 1 on."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number from 1 on is needed, not {text!r}")
    return int(text)


def seconds(text: str) -> float:
    """A flag that is a time: any number of seconds from 0 up to an hour."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 3_600:  # noqa: PLR2004 - an hour
        raise argparse.ArgumentTypeError(f"a number of seconds from 0 to 3600 is needed, not {text!r}")
    return number


def rate(text: str) -> float:
    """A flag that is a rate: any number a second from 0 on."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"a number from 0 on is needed, not {text!r}")
    return number
