"""Flags of the commands that open a store."""

import argparse
import os
from pathlib import Path

from services.app.environment import default_data_directory


def add_data(parser: argparse.ArgumentParser, contents: str = "the embedded Postgres", condition: str = "") -> None:
    """Add the flag that says where the store lives; `contents` names what the command uses there."""
    parser.add_argument("--data", type=Path, metavar="DIRECTORY", help=f"{condition}the directory of {contents}")


def data_directory_of(arguments: argparse.Namespace) -> Path:
    """The directory of the store: the one that the flag names, or the usual one."""
    named: Path | None = arguments.data
    return named or default_data_directory(os.environ)
