"""Every command that has `--json` is on the page about it, and no other."""

import argparse
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from services.cli.main import SUBCOMMANDS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "terminal-json.md"


def parsers(parser: argparse.ArgumentParser, name: str) -> Iterator[tuple[str, set[str]]]:
    """The flags of a command, or of each of its own commands."""
    nested = [action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)]  # noqa: SLF001 - argparse has no other way
    if nested:
        for inner, sub in nested[0].items():
            yield from parsers(sub, f"{name} {inner}")
    else:
        yield name, {flag for action in parser._actions for flag in action.option_strings}  # noqa: SLF001 - as above


def commands() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, (module, _) in SUBCOMMANDS.items():
        parser = argparse.ArgumentParser()
        import_module(module).add_flags(parser)
        found.update(parsers(parser, name))
    return found


def test_the_page_has_every_command_with_json_and_its_flags_are_there() -> None:
    rows = re.findall(r"^\| (`[^|]+`) \|", PAGE.read_text(), re.MULTILINE)
    told = [command.split(" --") for row in rows for command in re.findall(r"`([^`]+)`", row)]
    flags = commands()

    assert {name for name, *_ in told} == {name for name, known in flags.items() if "--json" in known}
    assert all(f"--{flag}" in flags[name] for name, *given in told for flag in given)
