"""The command `liarsdice`: its subcommands and flags. Each subcommand lives in a module of its own."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from importlib.metadata import version

from domain.refusals import Refusal
from services.failure import TERMINATED, CommandFailed

FAILED = 2
INTERRUPTED = 128 + signal.SIGINT


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; what goes wrong is told in one sentence and gives exit code 2."""
    try:
        return _run(arguments)
    except (CommandFailed, Refusal) as failure:
        return _told(str(failure), FAILED)
    except BrokenPipeError:
        # The reader of a pipe has seen enough; the interpreter must not complain about it at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _told(error.strerror or str(error), FAILED)
    except KeyboardInterrupt:
        return _told("interrupted", INTERRUPTED)


def _run(arguments: Sequence[str] | None) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))  # So that unfinished files are cleared away.
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    parsed = _parser().parse_args(arguments)
    code = int(parsed.run(parsed))
    if sys.stdout is not None:
        sys.stdout.flush()
    return code


def _told(sentence: str, code: int) -> int:
    print(f"liarsdice: {sentence}", file=sys.stderr)
    if code == FAILED and sys.stdout is not None:
        _discard_unwritten()
    return code


def _discard_unwritten() -> None:
    """What could not be written to standard output must not be tried again when the interpreter ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    # Imported here so that an interrupt while they load is told like any other.
    from services import (  # noqa: PLC0415
        audit,
        benchmark,
        demonstration,
        export,
        keys,
        migrate,
        projections,
        projector,
        serve,
        simulate,
        verify,
        witness,
    )
    from services.http import command as http  # noqa: PLC0415
    from services.play import command as play  # noqa: PLC0415
    from services.replay import command as replay  # noqa: PLC0415
    from services.statistics import command as statistics  # noqa: PLC0415

    parser = argparse.ArgumentParser(prog="liarsdice", description="Liar's Dice: five rulebooks, provably fair dice.")
    parser.add_argument("--version", action="version", version=f"liarsdice {version('liarsdice')}")
    subcommands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    modules = (
        serve,
        http,
        projector,
        play,
        replay,
        statistics,
        demonstration,
        simulate,
        export,
        audit,
        verify,
        witness,
        migrate,
        projections,
        keys,
        benchmark,
    )
    for module in modules:
        module.add_to(subcommands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
