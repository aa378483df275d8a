"""`liarsdice keys`: the keys that hidden dice are sealed with, of which only the ids are ever shown."""

import argparse
import os
from pathlib import Path

from infra.keys import KEYS_VARIABLE, add_key, create_keys, keys_in_environment, keys_in_file
from services.bootstrap import default_data_directory, key_file
from services.failure import CommandFailed
from services.subcommands import Subcommands


def add_to(subcommands: Subcommands) -> None:
    """Add the subcommand with its own ones."""
    parser = subcommands.add_parser(
        "keys",
        help="add a key that dice are sealed with, or list them",
        description=f"The keys are those in {KEYS_VARIABLE}, or in the file `keys` of the data directory.",
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    for name, run, text in (
        ("add", _add, "add a new key, which seals from the next start on, and print its id"),
        ("list", _list, "print the ids of the keys, that of the newest last"),
    ):
        action = actions.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        action.add_argument("--data", type=Path, metavar="DIRECTORY", help="where the key file lies")
        action.set_defaults(run=run)


def _add(arguments: argparse.Namespace) -> int:
    if KEYS_VARIABLE in os.environ:
        raise CommandFailed(f"the keys are in {KEYS_VARIABLE}, so a key in a file would not be used: add one there")
    path = _file(arguments)
    keys = add_key(path) if path.exists() else create_keys(path)
    print(keys.newest.id.hex())
    return 0


def _list(arguments: argparse.Namespace) -> int:
    keys = keys_in_environment(os.environ) or keys_in_file(_file(arguments))
    for key_id in keys.ids:
        print(key_id.hex())
    return 0


def _file(arguments: argparse.Namespace) -> Path:
    return key_file(arguments.data or default_data_directory(os.environ))
