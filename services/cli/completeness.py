"""Complete answers for commands that read: they wait until the read models have caught up, fail, or take what is there.

After a start, or after many games at once, the read models of a server may need minutes to catch up. A command that read
them meanwhile would leave games out without a word. So each asks first how fresh they are.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from grpc import StatusCode
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from domain.freshness import Freshness, ModelFreshness
from infra.failure import CommandFailed
from services.cli.flags.values import seconds
from services.cli.terminal import PipedConsole, say
from services.client import Client, Refused, ServerFreshness
from services.client.past_answers import UNKNOWN

WAIT_SECONDS = 600.0
_LOOK_SECONDS = 0.2
_UNTOLD_MILLISECONDS = 2_000
"""Servers never say that they have more than what was committed so long ago (docs/reference/freshness.md)."""
_LINE_SECONDS = 5.0
"""So often a line says how far it is, where no bar can be drawn."""

Look = Callable[[], Awaitable[Sequence[ModelFreshness]]]
"""Returns how fresh the read models are that a command reads."""
Show = Callable[[int], None]


def add_completeness_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say what to do while the server catches up."""
    add_wait_seconds(parser)
    parser.add_argument(
        "--stale-ok", action="store_true", help="do not wait, and take what is there although games may be missing"
    )


def add_wait_seconds(parser: argparse.ArgumentParser) -> None:
    """Add the flag that says how long to wait."""
    parser.add_argument(
        "--wait-seconds",
        type=seconds,
        default=WAIT_SECONDS,
        metavar="N",
        help="how long to wait for read models that catch up, 0 to fail at once (default: %(default)g)",
    )


async def until_complete(
    client: Client, arguments: argparse.Namespace, *models: str, strictly: bool = False
) -> Freshness:
    """Wait until what is read from models of the server is complete, as the flags say; fail if it takes too long.

    Returns how fresh what is read afterwards is at least.

    With `strictly`, everything that was committed before this call has to be there. That takes two seconds, because no
    server says more about the last two seconds. Without it, only what was committed in these two seconds may be missing.
    """
    try:
        told = await client.past.freshness()
    except Refused as refusal:
        if refusal.code is not StatusCode.UNIMPLEMENTED:
            raise
        say("liarsdice: this server does not say whether games are missing in its answers", file=sys.stderr)
        return UNKNOWN
    if arguments.stale_ok:
        found = _least(told, models)
        _warn(found)
        return found
    since = told.now if strictly else told.now - _UNTOLD_MILLISECONDS

    async def look() -> Sequence[ModelFreshness]:
        nonlocal told
        told = await client.past.freshness()
        return [told.of(model) for model in models]

    await wait_until_complete(look, arguments.wait_seconds, since)
    return _least(told, models)


def _least(told: ServerFreshness, models: Sequence[str]) -> Freshness:
    """That of the model that is furthest behind."""
    return min((told.of(model).freshness for model in models), key=lambda one: (one.complete, one.caught_up_to or 0))


async def wait_until_complete(look: Look, wait_seconds: float, since: int) -> None:
    """Wait until read models are complete and have everything from before `since`, with a bar or lines that show how far."""
    ends = time.monotonic() + wait_seconds
    with _shown_progress() as show:
        while behind := [one for one in await look() if not _suffices(one.freshness, since)]:
            stopped = [one.model for one in behind if one.stopped]
            if stopped:
                raise CommandFailed(
                    f"the read model {stopped[0]} has stopped, and games may be missing until somebody mends it"
                )
            incomplete = [one.percent for one in behind if not one.freshness.complete]
            if incomplete and time.monotonic() >= ends:
                raise CommandFailed(_too_late(min(incomplete), wait_seconds))
            if incomplete:
                show(min(incomplete))
            await asyncio.sleep(_LOOK_SECONDS)


def _suffices(freshness: Freshness, since: int) -> bool:
    return freshness.complete and freshness.caught_up_to is not None and freshness.caught_up_to >= since


def _too_late(percent: int, wait_seconds: float) -> str:
    waited = f" after {wait_seconds:g} seconds" if wait_seconds else ""
    return f"the read models are still catching up{waited} ({percent} %), and games would be missing; try again later"


def _warn(freshness: Freshness) -> None:
    if freshness.complete:
        return
    if freshness.caught_up_to is None:
        sentence = "the read models have not caught up yet: games may be missing"
    else:
        at = datetime.fromtimestamp(freshness.caught_up_to / 1_000, UTC)
        sentence = f"games may be missing that came after {at:%Y-%m-%d %H:%M:%S} UTC"
    say(f"liarsdice: {sentence}", file=sys.stderr)


@contextmanager
def _shown_progress() -> Iterator[Show]:
    """Shows how far the read models are: a bar if a person is watching, otherwise a line now and then."""
    console = PipedConsole(stderr=True)
    if console.is_terminal:
        columns = (TextColumn("waiting for the read models"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task("", total=100, visible=False)
            yield lambda percent: progress.update(task, completed=percent, visible=True)
        return
    said_at = float("-inf")

    def line(percent: int) -> None:
        nonlocal said_at
        if time.monotonic() - said_at >= _LINE_SECONDS:
            said_at = time.monotonic()
            say(f"waiting for the read models: {percent} %", file=sys.stderr)

    yield line
