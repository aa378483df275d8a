"""`liarsdice monitor`: follow a published log, and find out if it changes its past or tells two stories about one game."""

import argparse
import sys
import time
from pathlib import Path

from domain.refusals import Refusal
from infra.failure import CommandFailed
from infra.log.monitor import Followed, Monitor, follow
from infra.log.notes import read_vkey
from infra.log.tile_source import TileSource
from services.cli.flags.of_output import add_json
from services.cli.flags.values import count, count_or_none
from services.cli.terminal import say, say_json

CONTRADICTED = 3
"""The exit code if the log contradicts itself."""
UNKNOWN = 2


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        "Mirror the entries of a log that is published in tiles, check that it only grew, and find two entries about one"
        f" version or one round of a game. The exit code is {CONTRADICTED} if the log contradicts itself or what was seen"
        f" before, and {UNKNOWN} if that can't be found out now."
    )
    parser.add_argument(
        "log", metavar="LOG", help="the address of the log, such as https://example.com/api/v1/log, or a folder"
    )
    parser.add_argument(
        "--log-key", action="append", required=True, metavar="KEY", help="a public key of the log; once for each key"
    )
    parser.add_argument(
        "--state",
        type=Path,
        required=True,
        metavar="FILE",
        help="the file with all that was seen; created if there is none",
    )
    parser.add_argument("--once", action="store_true", help="look once, and end")
    parser.add_argument(
        "--every", type=count, default=60, metavar="SECONDS", help="the time between two looks (default: %(default)s)"
    )
    parser.add_argument(
        "--unpublished-before",
        type=count_or_none,
        default=0,
        metavar="LEAF",
        help="accept that entries before this leaf are not given out, and follow their hashes (default: all must be)",
    )
    add_json(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    keys = [read_vkey(text) for text in dict.fromkeys(arguments.log_key)]
    monitor = Monitor(arguments.state, keys, arguments.unpublished_before or 0)
    code = 0

    def wait() -> bool:
        if arguments.once:
            return False
        time.sleep(arguments.every)
        return True

    for found in follow(monitor, TileSource(arguments.log), wait):
        if isinstance(found, Refusal):
            if arguments.once:
                raise CommandFailed(str(found))
            say(f"liarsdice: {found}", file=sys.stderr)
            continue
        code = CONTRADICTED if found.contradictions else 0
        if arguments.json:
            say_json(found)
        else:
            _show(found)
        if code:
            return code
    return code


def _show(found: Followed) -> None:
    """Print what a look at the log has found."""
    grown = f"{found.size - found.previous_size} of them new" if found.previous_size else "all of them new"
    say(f"{found.origin}: {found.size} leaves, {grown}.")
    if found.unread:
        say(f"The entries of {found.unread} leaves are not given out: nobody can look for contradictions among them.")
    for sentence in found.contradictions:
        say(sentence, file=sys.stderr)
    if found.contradictions:
        say(
            "The log contradicts itself. Keep the state file: it has the entries and the signed checkpoints.",
            file=sys.stderr,
        )
    else:
        say("It only grew, and no two entries contradict each other.")
