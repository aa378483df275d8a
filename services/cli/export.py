"""`liarsdice export`: the games of a server, in a file or on standard output."""

import argparse
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from infra.failure import CommandFailed
from services.app.run_loop import run_to_its_end
from services.cli.caller import identified
from services.cli.completeness import add_completeness_flags, until_complete
from services.cli.export_state import ExportState, Hashing
from services.cli.flags.of_clients import add_server_flags, tls_of
from services.cli.flags.of_games import check_times
from services.cli.flags.of_lists import add_filter, filter_of
from services.cli.output import output
from services.cli.terminal import PipedConsole, say
from services.client import Client, Exported, Refused, Unreachable
from services.export.formats import FORMATS, Form, exported

_RESULTS = ("ended", "abandoned")


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        "Writes all games of a server that are over and that you may see, each once, by when everybody may know how they"
        " ended. If the line breaks, the export goes on where it was."
    )
    parser.add_argument(
        "--format",
        choices=list(FORMATS),
        default="ndjson",
        help="docs/reference/export.md describes them (default: %(default)s)",
    )
    add_filter(parser, _RESULTS, "ended")
    parser.add_argument(
        "--out",
        default="-",
        metavar="FILE",
        help="the file to write (default: standard output); it appears when all games are in it",
    )
    parser.add_argument(
        "--state",
        metavar="FILE",
        help="only what is new since the last export with this file; how far it came is noted there",
    )
    add_server_flags(parser)
    add_completeness_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Export, and say how many games there were."""
    check_times(arguments)
    form = FORMATS[arguments.format].begin()
    if arguments.format == "parquet" and arguments.out == "-" and sys.stdout is not None and sys.stdout.isatty():
        raise CommandFailed("a terminal can't show parquet; name a file with --out")
    if arguments.state == "-":
        raise CommandFailed("--state takes the name of a file")
    export = _Export(arguments, form)
    try:
        run_to_its_end(export.run())
    except (Refused, Unreachable) as failure:
        raise CommandFailed(f"{failure} ({export.left})") from None
    except KeyboardInterrupt:
        say(f"liarsdice: {export.left}", file=sys.stderr)
        raise
    say(f"{export.games} games in {time.perf_counter() - export.began:.1f} s", file=sys.stderr)
    return 0


class _Export:
    """One export, and how far it has come."""

    def __init__(self, arguments: argparse.Namespace, form: Form) -> None:
        self._arguments, self._form = arguments, form
        self._state = None if arguments.state is None else ExportState(arguments.state)
        self._resume_token = "" if self._state is None else self._state.resume_token
        self.games = 0
        self.began = time.perf_counter()

    @property
    def left(self) -> str:
        """What an export that did not end leaves behind."""
        if self._arguments.out == "-":
            return f"{self.games} games were written"
        return f"{self.games} games had come, and {self._arguments.out} is as it was before"

    async def run(self) -> None:
        """Fetch the games and write them."""
        arguments = self._arguments
        _, token = await identified(arguments)
        async with Client.connect(arguments.server, token, tls_of(arguments)) as client:
            await until_complete(client, arguments, "history", strictly=True)
            with output(arguments.out) as file, _progress(arguments.out) as bar:
                out, batches = Hashing(file), client.past.export(filter_of(arguments), self._resume_token)
                async for piece in exported(self._counted(batches, bar), self._form):
                    out.write(piece)
                if self._state is not None and arguments.out != "-":
                    self._state.prepare(arguments.out, out.sha256, self._resume_token)
        if self._state is not None:
            self._state.commit(self._resume_token)

    async def _counted(self, batches: AsyncIterator[Exported], bar: Progress) -> AsyncIterator[bytes]:
        (task,) = bar.task_ids
        async for batch in batches:
            for record in batch.records:
                self.games += 1
                bar.update(task, completed=self.games)
                yield record
            self._resume_token = batch.resume_token


@contextmanager
def _progress(out: str) -> Iterator[Progress]:
    """A count of games if a person is watching, unless the games themselves go to the terminal."""
    console = PipedConsole(stderr=True)
    shown = console.is_terminal and not (out == "-" and sys.stdout is not None and sys.stdout.isatty())
    columns = (SpinnerColumn(), TextColumn("exporting: {task.completed} games"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not shown) as progress:
        progress.add_task("", total=None)
        yield progress
