"""The program of one process: it serves games or keeps the read models, until the supervisor or a signal ends it."""

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

from domain.refusals import Refusal
from infra.failure import CommandFailed
from services.access.identity import TrustedIssuer
from services.access.packet_filter import keep_newcomers_out
from services.app.environment import database_told, lanes_of_database
from services.app.run_loop import run_to_its_end
from services.app.tracing import tracing_to
from services.app.wiring import Serving, serving
from services.cli.processes.link import Link
from services.cli.processes.messages import (
    Barred,
    Begun,
    GameWork,
    Leave,
    MetricsAsked,
    MetricsTold,
    NotBegun,
    ProjectorWork,
)
from services.cli.service_log import start_log
from services.http.request_metrics import Metrics
from services.projector.background import projecting

ON_THEIR_WAY_SECONDS = 0.3
"""So long we wait for connections that have begun when no new ones may; it takes them one way over the network."""
_PROJECTOR_ROLE = "liarsdice_projector"
_LISTED = Path("/dev/fd")
_log = logging.getLogger(__name__)


def main() -> int:
    """Do what the supervisor says, over the socket that it has passed on."""
    # Both reach all processes of a terminal. The supervisor hears them, and says what is to be done.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    end = socket.socket(fileno=int(sys.argv[1]))
    end.set_inheritable(False)  # Workers that outlive this process for a moment must not keep the link open.
    return run_to_its_end(_work(end))


async def _work(end: socket.socket) -> int:
    link = await Link.over(end)
    try:
        work = await link.next()
        start_log(work.reporting.log_format, work.name)
        with database_told(), tracing_to(work.reporting.traces):
            await (_serve(work, link) if isinstance(work, GameWork) else _project(work, link))
    except (CommandFailed, Refusal) as failure:
        await link.tell(NotBegun(str(failure)))
        return 1
    except EOFError:
        return 0  # The supervisor is gone.
    finally:
        link.close()
    return 0


async def _serve(work: GameWork, link: Link) -> None:
    issuer = None if work.issuer is None else TrustedIssuer(*work.issuer)
    keys, log_keys = work.keys.sealing(), work.keys.signing()
    async with AsyncExitStack() as stack:
        running = await stack.enter_async_context(serving(work.url, keys, log_keys, work.settings, issuer))
        member = _Member(running, link)
        stack.callback(member.deafen)
        url = None if running.reading is None else running.reading.url
        await link.tell(Begun(running.address, url, running.logbook.keys[0]))
        if await member.until_it_may_leave():
            await _let_the_last_ones_in({work.settings.listen, work.settings.http or ""})
        # Callers over gRPC are to go elsewhere at once, and not only when those over HTTP have gone.
        stopping = asyncio.create_task(running.server.stop(work.settings.grace_seconds))
    await stopping


async def _project(work: ProjectorWork, link: Link) -> None:
    async with projecting(work.url, await lanes_of_database(work.url, _PROJECTOR_ROLE)):
        stopped = _termination()
        await link.tell(Begun())
        ended = asyncio.create_task(_end_of(link))
        await asyncio.wait([ended, asyncio.create_task(stopped.wait())], return_when=asyncio.FIRST_COMPLETED)


async def _end_of(link: Link) -> None:
    async for message in link:
        if isinstance(message, Leave):
            return


class _Member:
    """One of several game processes: it hears the supervisor, and passes on which addresses it has barred."""

    def __init__(self, running: Serving, link: Link) -> None:
        self._running, self._link = running, link
        self._loop, self._telling = asyncio.get_running_loop(), set[asyncio.Task[None]]()
        if running.bars is not None:
            running.bars.hearers.append(self._barred)

    def deafen(self) -> None:
        """Pass nothing on any more."""
        if self._running.bars is not None:
            self._running.bars.hearers.remove(self._barred)

    async def until_it_may_leave(self) -> bool:
        """Wait until this process is to end; returns whether others stay on its ports."""
        stopped = _termination()
        hearing = asyncio.create_task(self._hear())
        await asyncio.wait([hearing, asyncio.create_task(stopped.wait())], return_when=asyncio.FIRST_COMPLETED)
        # A signal to this process alone comes from somebody who wants it replaced.
        return hearing.result() if hearing.done() else True

    async def _hear(self) -> bool:
        async for message in self._link:
            match message:
                case Leave(gently=gently):
                    return bool(gently)
                case Barred(address=address) if self._running.bars is not None:
                    self._running.bars.join(address)
                case MetricsAsked():
                    self._go_on(self._tell_metrics())
                case _:
                    pass
        return False

    async def _tell_metrics(self) -> None:
        reading = self._running.reading
        metrics = Metrics((self._running.counted,)) if reading is None else reading.library.metrics
        await self._link.tell(MetricsTold(await metrics.page()))

    def _barred(self, address: str, reason: str) -> None:
        """Tell the supervisor. Any thread may call this."""
        with suppress(RuntimeError):  # The loop is over.
            self._loop.call_soon_threadsafe(lambda: self._go_on(self._link.tell(Barred(address, reason))))

    def _go_on(self, telling: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(telling)
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)


def _termination() -> asyncio.Event:
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    return stopped


async def _let_the_last_ones_in(addresses: set[str]) -> None:
    """Send new callers to the other processes on the same ports, and take in those who are on their way to this one."""
    ports = {int(address.rpartition(":")[2]) for address in addresses if address}
    kept_out = [keep_newcomers_out(listening) for listening in _listening_on(ports)]
    if all(kept_out):
        await asyncio.sleep(ON_THEIR_WAY_SECONDS)


def _listening_on(ports: set[int]) -> Iterator[socket.socket]:
    """The sockets of this process that listen on these ports, one after the other."""
    for path in _LISTED.iterdir():
        with suppress(OSError), _socket_of(int(path.name)) as one:
            if one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) and one.getsockname()[1] in ports:
                yield one


def _socket_of(descriptor: int) -> socket.socket:
    copied = os.dup(descriptor)
    try:
        return socket.socket(fileno=copied)
    except OSError:
        os.close(copied)  # It is a file, or something else that is no socket.
        raise


if __name__ == "__main__":
    sys.exit(main())
