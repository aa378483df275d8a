"""The command `liarsdice`: its subcommands and flags. Each subcommand lives in a module of its own."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from domain.refusals import Refusal
from services import benchmark, demonstration, simulate
from services.failure import CommandFailed

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; what goes wrong is told in one sentence and gives exit code 2."""
    parsed = _parser().parse_args(arguments)
    try:
        return int(parsed.run(parsed))
    except (CommandFailed, Refusal) as failure:
        print(f"liarsdice: {failure}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of a pipe has seen enough; the interpreter must not complain about it at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("liarsdice: interrupted", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="liarsdice", description="Liar's Dice: five rulebooks, provably fair dice.")
    parser.add_argument("--version", action="version", version=f"liarsdice {version('liarsdice')}")
    subcommands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in (demonstration, simulate, benchmark):
        module.add_to(subcommands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
