"""What the subcommands share: numbers and options as flags."""

import argparse
import math
import sys
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from domain.options import Options
from infra.failure import CommandFailed
from services.archive.moments import milliseconds_of


def count(text: str) -> int:
    """A flag that counts something: a whole number from 1 on."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number from 1 on is needed, not {text!r}")
    return int(text)


def count_or_none(text: str) -> int:
    """A flag that counts something, or says 0 for not at all."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"a whole number from 0 on is needed, not {text!r}")
    return int(text)


def seconds(text: str) -> float:
    """A flag that is a time: any number of seconds from 0 up to an hour."""
    return _number(text, 3_600, "a number of seconds from 0 to 3600")


def hours(text: str) -> float:
    """A flag that is a long time: any number of hours from 0 up to a year."""
    return _number(text, 8_760, "a number of hours from 0 to 8760")


def rate(text: str) -> float:
    """A flag that is a rate: any number a second from 0 on."""
    return _number(text, sys.float_info.max, "a number from 0 on")


def moment(text: str) -> int:
    """A flag that is a day or a moment, by ISO 8601 or in milliseconds, as milliseconds since 1970; UTC if it names no other zone."""
    at = milliseconds_of(text)
    if at is None:
        raise argparse.ArgumentTypeError(f"a date such as 2026-01-31, from 1970 on, is needed, not {text!r}")
    return at


def _number(text: str, most: float, needed: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= most:
        raise argparse.ArgumentTypeError(f"{needed} is needed, not {text!r}")
    return number


def options_of(pairs: list[str]) -> Options:
    """The options of a game from flags such as `chips=true`."""
    named: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise CommandFailed(f"--option takes NAME=VALUE, not {pair!r}")
        if name not in Options.__struct_fields__:
            raise CommandFailed(f"there is no option {name!r}; the options are {', '.join(Options.__struct_fields__)}")
        if name in named:
            raise CommandFailed(f"the option {name} is given twice")
        named[name] = _option_value(name, value)
    return Options(**named)


def _option_value(name: str, text: str) -> Any:
    """The value of an option from its text, as its type in `Options` says."""
    kind = get_type_hints(Options)[name]
    if text == "none" and NoneType in get_args(kind):
        return None
    try:
        return msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError:
        names = get_args(kind) if get_origin(kind) is Literal else ()
        allowed = ", ".join(names) or ("true or false" if kind is bool else "a whole number")
        raise CommandFailed(f"the option {name} takes {allowed}, not {text!r}") from None
