"""The flag of the commands whose answer a program may want to read."""

import argparse


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the flag that asks for JSON; docs/reference/terminal-json.md has the shape for each command."""
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one line of JSON in place of text (docs/reference/terminal-json.md)",
    )
