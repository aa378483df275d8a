"""Flags that choose games, or the options of a game."""

import argparse
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from domain.options import Options
from infra.failure import CommandFailed
from services.cli.flags.values import moment


def add_span(parser: argparse.ArgumentParser) -> None:
    """Add the flags that choose games by their rulebook and by when they ended."""
    parser.add_argument("--rulebook", metavar="ID", help="only games by this rulebook")
    parser.add_argument("--since", type=moment, metavar="DATE", help="only games that ended then or later")
    parser.add_argument("--until", type=moment, metavar="DATE", help="only games that ended before")


def check_times(arguments: argparse.Namespace) -> None:
    """Fail for times between which no game can be."""
    if arguments.since is not None and arguments.until is not None and arguments.until <= arguments.since:
        raise CommandFailed("--until must be later than --since, because no game can be in between")


def add_code(parser: argparse.ArgumentParser) -> None:
    """Add the flag with the invitation code of a table."""
    parser.add_argument("--code", default="", help="the invitation code of a private table")


def add_options(parser: argparse.ArgumentParser, example: str) -> None:
    """Add the flag that sets an option of the game."""
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help=f"set an option of the game, e.g. {example}"
    )


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
