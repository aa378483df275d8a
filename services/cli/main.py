"""The command `liarsdice` and its subcommands. Each subcommand has a module of its own, which adds its flags."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from domain.refusals import Refusal
from infra.failure import TERMINATED, CommandFailed
from services.cli.terminal import printable, say

FAILED = 2
INTERRUPTED = 128 + signal.SIGINT

SUBCOMMANDS = {
    "serve": ("services.cli.serve", "run the game server"),
    "http": ("services.cli.http", "serve past and running games over HTTP, in a process of its own"),
    "projector": ("services.cli.projector", "keep the read models up to date, in a process of its own"),
    "play": ("services.cli.play.command", "play at a server, in the terminal"),
    "mcp": ("services.cli.mcp", "let a language model play at a server, over the Model Context Protocol"),
    "replay": ("services.cli.replay.command", "show a past game, step by step or in its own time"),
    "statistics": (
        "services.cli.statistics.command",
        "show numbers about players: how they play, how lucky they were, who leads",
    ),
    "report": ("services.cli.report.command", "write a player's numbers and pictures to an HTML file"),
    "club": ("services.cli.club.command", "found or join a club, and see its season table and attendance"),
    "demo": ("services.cli.demo", "watch bots play a game"),
    "simulate": ("services.cli.simulate", "let bots play, and write the games to a file or store them"),
    "export": ("services.cli.export", "write the games of a server to a file"),
    "audit": ("services.cli.audit", "prove what happened in a round, dispute it, or check a whole store"),
    "collusion": ("services.cli.collusion", "for auditors: how often players let each other's doubtful bids pass"),
    "verify": ("services.cli.verify", "check a bundle of a round or a game, without a server"),
    "witness": ("services.cli.witness", "countersign a checkpoint that follows from those seen before"),
    "monitor": ("services.cli.monitor", "follow a published log, and find out if it contradicts itself"),
    "migrate": ("services.cli.migrate", "create the event store or bring it up to date"),
    "projections": ("services.cli.projections", "look at the read models, or build one anew"),
    "keys": ("services.cli.keys", "list the keys that seal dice or sign the log, or add one"),
    "renew-log": (
        "services.cli.renew_log",
        "let the log begin anew, after the database was restored to an older state",
    ),
    "abandon-games": (
        "services.cli.abandon_games",
        "end all games that are not over, after the database was restored to an older state",
    ),
    "bench": ("services.cli.bench", "measure the cost of a command and of whole games"),
}
"""The module of each subcommand, and its purpose. The module's `add_flags` also sets the function `run` to call."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; one that fails prints one sentence, and its exit code is 2."""
    try:
        return _run(arguments)
    except (CommandFailed, Refusal) as failure:
        return _fail(str(failure), FAILED)
    except BrokenPipeError:
        # The reader of the pipe has seen enough. The interpreter must not complain about that at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _fail(error.strerror or str(error), FAILED)
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)


def _run(arguments: Sequence[str] | None) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))  # So that unfinished files are cleared away.
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    # gRPC reads this when it is imported, by a subcommand. Otherwise it writes a line for each handshake that fails.
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    given = sys.argv[1:] if arguments is None else arguments
    parsed = parser_for(given).parse_args(given)
    code = int(parsed.run(parsed))
    if sys.stdout is not None:
        sys.stdout.flush()
    return code


def _fail(sentence: str, code: int) -> int:
    """Print why a command failed; its exit code."""
    say(f"liarsdice: {sentence}", file=sys.stderr)
    if code == FAILED and sys.stdout is not None:
        _discard_unwritten()
    return code


def _discard_unwritten() -> None:
    """Drop what could not be written to standard output, so that the interpreter does not try again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Parser(argparse.ArgumentParser):
    """A parser that quotes what it does not understand in a printable form; its subcommands have the same."""

    def error(self, message: str) -> NoReturn:
        """Print the usage and why the arguments make no sense, and exit."""
        super().error(printable(message))


class _Version(argparse.Action):
    """Prints the version. Only who asks for it waits until the metadata of packages can be read."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print it, and exit."""
        from importlib.metadata import version  # noqa: PLC0415 - a third of the time that the program takes to start

        say(f"liarsdice {version('liarsdice')}")
        parser.exit()


def parser_for(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """A parser with all subcommands, and the flags of the wanted one only, so that nobody waits for the others to load."""
    parser = _Parser(prog="liarsdice", description="Liar's Dice: five rulebooks, provably fair dice.")
    parser.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    subcommands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    wanted = next((argument for argument in arguments if not argument.startswith("-")), None)
    for name, (module, text) in SUBCOMMANDS.items():
        subcommand = subcommands.add_parser(name, help=text)
        if name == wanted:
            import_module(module).add_flags(subcommand)
    return parser
