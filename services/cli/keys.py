"""`liarsdice keys`: the keys that seal hidden dice, of which it shows only the ids, and the keys that sign the log."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from infra.failure import CommandFailed
from infra.keys.key_ring import KEYS_VARIABLE, add_key, create_keys, keys_in_environment, keys_in_file, let_seal
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
        ("seal", _seal, "let the key that waits seal from the next start on, and print its id"),
        ("list", _list, "print the ids of the keys, or the public keys of log keys, the newest last"),
    ):
        action = actions.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        add_data(action, "the key file")
        add_json(action)
        action.set_defaults(run=run)
        if name == "seal":
            continue
        if name == "add":
            action.add_argument(
                "--waiting",
                action="store_true",
                help="let the key only open until `keys seal`, so that all hosts get it before one seals with it",
            )
        action.add_argument(
            "--log", action="store_true", help="the keys that sign the log, not the keys that seal dice"
        )
        action.add_argument(
            "--origin",
            metavar="NAME",
            help="with --log: the name of the log, which its keys carry (default: the one in the key file)",
        )


def _add(arguments: argparse.Namespace) -> int:
    origin = _origin(arguments)
    if arguments.log and arguments.waiting:
        raise CommandFailed("--waiting is for keys that seal: all keys of a log sign")
    path = _file_to_change(arguments)
    if not arguments.log:
        is_new = not path.exists()
        keys = create_keys(path) if is_new else add_key(path, waits=arguments.waiting)
        added = (keys.waiting[-1] if keys.waiting and arguments.waiting else keys.newest.id).hex()
    else:
        ring = add_log_key(path, origin) if path.exists() else create_log_keys(path, origin)
        added = ring.vkeys[-1]
    return _show([added], as_json=arguments.json)


def _seal(arguments: argparse.Namespace) -> int:
    arguments.log = False
    return _show([let_seal(_file_to_change(arguments)).newest.id.hex()], as_json=arguments.json)


def _list(arguments: argparse.Namespace) -> int:
    origin = _origin(arguments)
    if not arguments.log:
        keys = keys_in_environment(os.environ) or keys_in_file(_file(arguments))
        return _show([key_id.hex() for key_id in keys.ids], [one.hex() for one in keys.waiting], as_json=arguments.json)
    ring = log_keys_in_environment(os.environ, origin) or log_keys_in_file(_file(arguments), origin)
    return _show(ring.vkeys, as_json=arguments.json)


def _show(keys: Sequence[str], waiting: Sequence[str] = (), *, as_json: bool) -> int:
    """Print keys, the newest last; as JSON the newest is the first, as it is over HTTP."""
    if as_json:
        some = {"waiting": list(reversed(waiting))} if waiting else {}
        say_json({"keys": list(reversed(keys)), **some})
    else:
        for key in keys:
            say(f"{key} waits" if key in waiting else key)
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


def _file_to_change(arguments: argparse.Namespace) -> Path:
    """The key file, unless the keys are in the environment: then nobody would read it."""
    variable = LOG_KEYS_VARIABLE if arguments.log else KEYS_VARIABLE
    if variable in os.environ:
        raise CommandFailed(f"the keys are in {variable}, so a key in a file would not be used: add one there")
    return _file(arguments)
