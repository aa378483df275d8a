"""A process as the supervisor sees it: starts it, speaks with it, ends it."""

import asyncio
import os
import signal
import socket
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Callable
from contextlib import suppress
from typing import Self

from infra.failure import CommandFailed
from services.cli.processes.link import Link
from services.cli.processes.messages import (
    Barred,
    Begun,
    Leave,
    MetricsAsked,
    MetricsTold,
    NotBegun,
    Work,
)

END_SECONDS_MAX = 30.0
"""A process that takes longer to end is killed. Calls and answers in it have five seconds each."""
_METRICS_SECONDS_MAX = 3.0
_LAST_WORDS_SECONDS_MAX = 1.0
_MODULE = "services.cli.processes.process"
_SECRET_PREFIX = "LIARSDICE_"  # noqa: S105 - the variables with keys begin like this


class Child:
    """A process that does some work."""

    def __init__(self, work: Work, process: Process, link: Link, barred: Callable[["Child", Barred], None]) -> None:
        """Use `start`."""
        self.work, self._process, self._link, self._barred = work, process, link, barred
        self.begun = Begun()
        self._page: asyncio.Future[bytes] | None = None
        self._hearing: asyncio.Task[None] | None = None
        self._sentence = ""

    @classmethod
    async def start(cls, work: Work, barred: Callable[["Child", Barred], None]) -> Self:
        """Start a process, and wait until it does its work; fails with its sentence if it can't.

        `barred` is called with the addresses that it bars.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                _MODULE,
                str(theirs.fileno()),
                pass_fds=(theirs.fileno(),),
                env=_environment(),
                stdin=DEVNULL,
                stdout=DEVNULL,
            )
        child = cls(work, process, await Link.over(ours), barred)
        try:
            await child._begin()
        except BaseException:
            await child._discard()
            raise
        return child

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    async def ended(self) -> str:
        """Wait until the process has ended; returns how."""
        code = await self._process.wait()
        if self._hearing is not None:
            await asyncio.wait([self._hearing], timeout=_LAST_WORDS_SECONDS_MAX)
        return _how(code) + (f", because {self._sentence}" if self._sentence else "")

    async def leave(self, *, gently: bool) -> None:
        """Let the process end what it does, and wait until it has gone."""
        await self._link.tell(Leave(gently))
        await self._gone_in(END_SECONDS_MAX)

    async def tell_barred(self, message: Barred) -> None:
        """Tell the process that another one has barred an address."""
        await self._link.tell(message)

    async def metrics(self) -> bytes:
        """The metrics of the process; empty if it does not answer."""
        if self._page is None or self._page.done():
            self._page = asyncio.get_running_loop().create_future()
            await self._link.tell(MetricsAsked())
        # Several may wait for the same page, and the first who gives up must not take it from the others.
        done, _ = await asyncio.wait([self._page], timeout=_METRICS_SECONDS_MAX)
        return self._page.result() if done else b""

    async def _begin(self) -> None:
        await self._link.tell(self.work)
        try:
            answer = await self._link.next()
        except EOFError:
            raise CommandFailed(f"{self.work.name} {_how(await self._process.wait())} before it could begin") from None
        if isinstance(answer, NotBegun):
            raise CommandFailed(answer.sentence)
        assert isinstance(answer, Begun)
        self.begun = answer
        self._hearing = asyncio.create_task(self._hear())

    async def _hear(self) -> None:
        async for message in self._link:
            match message:
                case Barred():
                    self._barred(self, message)
                case MetricsTold(page=page):
                    if self._page is not None and not self._page.done():
                        self._page.set_result(page)
                case NotBegun(sentence=sentence):
                    self._sentence = sentence
                case _:
                    pass

    async def _discard(self) -> None:
        with suppress(ProcessLookupError):
            self._process.terminate()
        await self._gone_in(END_SECONDS_MAX)

    async def _gone_in(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._process.wait()
        except BaseException as error:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
            if not isinstance(error, TimeoutError):
                raise
        finally:
            self._link.close()


def _how(code: int) -> str:
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with the code {code}"


def _environment() -> dict[str, str]:
    """The environment of a process: it finds the modules of this program where this one does, and no keys, which it is told."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_SECRET_PREFIX)}
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
