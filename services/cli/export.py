"""`liarsdice export`: the games of a server, or decisions in them, in a file or on standard output."""

import argparse
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from domain.statistics.answers import DecisionMade
from infra.failure import CommandFailed
from services.app.run_loop import run_to_its_end
from services.cli.caller import identified
from services.cli.completeness import add_completeness_flags, until_complete
from services.cli.export_state import ExportState, Hashing
from services.cli.flags.of_clients import add_server_flags, tls_of
from services.cli.flags.of_decisions import add_decision_flags, decisions_asked, refuse_decision_flags
from services.cli.flags.of_games import check_times
from services.cli.flags.of_lists import add_filter, filter_of
from services.cli.output import output
from services.cli.terminal import PipedConsole, say
from services.client import Client, Exported, Refused, Unreachable
from services.export.decision_table import TABLE_FORMATS
from services.export.formats import FORMATS, exported

_RESULTS = ("ended", "abandoned")


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        "Writes all games of a server that are over and that you may see, each once, by when everybody may know how they"
        " ended. With --decisions it writes the decisions of a player or a game instead. If the line breaks, the export goes"
        " on where it was."
    )
    parser.add_argument(
        "--format",
        choices=list(FORMATS),
        default="ndjson",
        help="docs/reference/export.md describes them (default: %(default)s)",
    )
    add_filter(parser, _RESULTS, "ended")
    add_decision_flags(parser)
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
    export = _Decisions(arguments) if arguments.decisions else _Games(arguments)
    if arguments.format == "parquet" and arguments.out == "-" and sys.stdout is not None and sys.stdout.isatty():
        raise CommandFailed("a terminal can't show parquet; name a file with --out")
    if arguments.state == "-":
        raise CommandFailed("--state takes the name of a file")
    try:
        run_to_its_end(export.run())
    except (Refused, Unreachable) as failure:
        raise CommandFailed(f"{failure} ({export.left})") from None
    except KeyboardInterrupt:
        say(f"liarsdice: {export.left}", file=sys.stderr)
        raise
    say(f"{export.count} {export.NOUN} in {time.perf_counter() - export.began:.1f} s", file=sys.stderr)
    return 0


class _Export(ABC):
    """One export, and how far it has come."""

    NOUN: ClassVar[str]
    MODELS: ClassVar[tuple[str, ...]]
    """The read models that must be complete."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._state = None if arguments.state is None else ExportState(arguments.state)
        self._resume_token = "" if self._state is None else self._state.resume_token
        self.count = 0
        self.began = time.perf_counter()

    @property
    def left(self) -> str:
        """What an export that did not end leaves behind."""
        if self._arguments.out == "-":
            return f"{self.count} {self.NOUN} were written"
        return f"{self.count} {self.NOUN} had come, and {self._arguments.out} is as it was before"

    async def run(self) -> None:
        """Fetch what is asked for and write it."""
        arguments = self._arguments
        _, token = await identified(arguments)
        async with Client.connect(arguments.server, token, tls_of(arguments)) as client:
            for model in self.MODELS:
                await until_complete(client, arguments, model, strictly=True)
            with output(arguments.out) as file, _progress(arguments.out, self.NOUN) as bar:
                out = Hashing(file)
                async for piece in self._pieces(client, bar):
                    out.write(piece)
                if self._state is not None and arguments.out != "-":
                    self._state.prepare(arguments.out, out.sha256, self._resume_token)
        if self._state is not None:
            self._state.commit(self._resume_token)

    @abstractmethod
    def _pieces(self, client: Client, bar: Progress) -> AsyncIterator[bytes]:
        """The pieces of the file."""

    def _came(self, bar: Progress, count: int) -> None:
        (task,) = bar.task_ids
        self.count += count
        bar.update(task, completed=self.count)


class _Games(_Export):
    """An export of games."""

    NOUN, MODELS = "games", ("history",)

    def __init__(self, arguments: argparse.Namespace) -> None:
        refuse_decision_flags(arguments)
        super().__init__(arguments)
        self._form = FORMATS[arguments.format].begin()

    def _pieces(self, client: Client, bar: Progress) -> AsyncIterator[bytes]:
        batches = client.past.export(filter_of(self._arguments), self._resume_token)
        return exported(self._records(batches, bar), self._form)

    async def _records(self, batches: AsyncIterator[Exported], bar: Progress) -> AsyncIterator[bytes]:
        async for batch in batches:
            for record in batch.records:
                self._came(bar, 1)
                yield record
            self._resume_token = batch.resume_token


class _Decisions(_Export):
    """An export of the decisions of a player or a game."""

    NOUN, MODELS = "decisions", ("history", "statistics")

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._asked = decisions_asked(arguments)
        super().__init__(arguments)
        self._table = TABLE_FORMATS[arguments.format].begin()

    async def _pieces(self, client: Client, bar: Progress) -> AsyncIterator[bytes]:
        yield self._table.head()
        async for batch in self._batches(client):
            self._came(bar, len(batch))
            if piece := self._table.take(batch):
                yield piece
        yield self._table.tail()

    async def _batches(self, client: Client) -> AsyncIterator[Sequence[DecisionMade]]:
        numbers, asked = client.statistics, self._asked
        if asked.game_id is not None:
            yield await numbers.game_decisions(asked.game_id)
            return
        async for batch in numbers.export_decisions(asked.player_id, asked.wanted, asked.span, self._resume_token):
            yield batch.decisions
            self._resume_token = batch.resume_token


@contextmanager
def _progress(out: str, noun: str) -> Iterator[Progress]:
    """A count if a person is watching, unless the export itself goes to the terminal."""
    console = PipedConsole(stderr=True)
    shown = console.is_terminal and not (out == "-" and sys.stdout is not None and sys.stdout.isatty())
    columns = (SpinnerColumn(), TextColumn(f"exporting: {{task.completed}} {noun}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not shown) as progress:
        progress.add_task("", total=None)
        yield progress
