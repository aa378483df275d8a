"""`liarsdice keys`: the keys that seal hidden dice, of which it shows only the ids, and the keys that sign the log."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from infra.failure import CommandFailed
from infra.keys.key_ring import KEYS_VARIABLE, add_key, create_keys, keys_in_environment, keys_in_file
from infra.keys.log_keys import (
    LOG_KEYS_VARIABLE,
    add_log_key,
    create_log_keys,
    log_keys_in_environment,
    log_keys_in_file,
)
from infra.log.notes import check_name
from services.app.environment import key_file, log_key_file
from services.cli.flags.of_output import add_json
from services.cli.flags.of_stores import add_data, data_directory_of
from services.cli.terminal import say, say_json


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands of the subcommand."""
    parser.description = (
        f"The keys are those in {KEYS_VARIABLE}, or in the file `keys` of the data directory; those of the log "
        f"are in {LOG_KEYS_VARIABLE}, or in the file `log-keys`."
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    for name, run, text in (
        ("add", _add, "add a new key, which the next start uses, and print its id, or the public key of a log key"),
        ("list", _list, "print the ids of the keys, or the public keys of log keys, the newest last"),
    ):
        action = actions.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        add_data(action, "the key file")
        action.add_argument(
            "--log", action="store_true", help="the keys that sign the log, not the keys that seal dice"
        )
        action.add_argument(
            "--origin",
            metavar="NAME",
            help="with --log: the name of the log, which its keys carry (default: the one in the key file)",
        )
        add_json(action)
        action.set_defaults(run=run)


def _add(arguments: argparse.Namespace) -> int:
    origin = _origin(arguments)
    variable = LOG_KEYS_VARIABLE if arguments.log else KEYS_VARIABLE
    if variable in os.environ:
        raise CommandFailed(f"the keys are in {variable}, so a key in a file would not be used: add one there")
    path = _file(arguments)
    if not arguments.log:
        keys = add_key(path) if path.exists() else create_keys(path)
        added = keys.newest.id.hex()
    else:
        ring = add_log_key(path, origin) if path.exists() else create_log_keys(path, origin)
        added = ring.vkeys[-1]
    return _show([added], as_json=arguments.json)


def _list(arguments: argparse.Namespace) -> int:
    origin = _origin(arguments)
    if not arguments.log:
        keys = keys_in_environment(os.environ) or keys_in_file(_file(arguments))
        shown = [key_id.hex() for key_id in keys.ids]
    else:
        ring = log_keys_in_environment(os.environ, origin) or log_keys_in_file(_file(arguments), origin)
        shown = list(ring.vkeys)
    return _show(shown, as_json=arguments.json)


def _show(keys: Sequence[str], *, as_json: bool) -> int:
    """Print keys, the newest last; as JSON the newest is the first, as it is over HTTP."""
    if as_json:
        say_json({"keys": list(reversed(keys))})
    else:
        for key in keys:
            say(key)
    return 0


def _origin(arguments: argparse.Namespace) -> str | None:
    """The name of the log that was asked for, if any; the keys that seal dice have no name."""
    origin: str | None = arguments.origin
    if origin is None:
        return None
    if not arguments.log:
        raise CommandFailed("--origin goes with --log: the keys of a log carry its name")
    check_name(origin)
    return origin


def _file(arguments: argparse.Namespace) -> Path:
    data_directory = data_directory_of(arguments)
    return log_key_file(data_directory) if arguments.log else key_file(data_directory)
