"""The program of a worker: does one job after the other until the server goes away."""

import asyncio
import gc
import logging
import os
import resource
import signal
import socket
import sys
from pathlib import Path

from infra.workers.frames import receive, send
from infra.workers.job import Outcome, WorkerFault, outcome_of

_NICENESS = 5
"""If there are too few cores, the server goes before its workers: a reader waits rather than a player."""
_BYTES_MAX = 320 * 1_024 * 1_024
"""A worker that has grown beyond this ends after its job, and a new one takes its place."""
_LOG = logging.getLogger(__name__)


def main() -> None:
    """Work for the process that started this one, over the socket that it has passed on."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C reaches all processes of a terminal; the server ends this one.
    os.nice(_NICENESS)
    gc.freeze()
    asyncio.run(_work(socket.socket(fileno=int(sys.argv[1]))))


async def _work(server: socket.socket) -> None:
    reader, writer = await asyncio.open_connection(sock=server)
    try:
        opener, arguments = await receive(reader)
        async with opener(*arguments) as context:
            await send(writer, None)
            while not _is_large():
                job, arguments = await receive(reader)
                await send(writer, await _done(job, context, arguments))
    except (EOFError, ConnectionError):
        pass  # The server is gone.
    finally:
        writer.close()


async def _done(job: object, context: object, arguments: tuple[object, ...]) -> Outcome:
    try:
        return await outcome_of(job, context, arguments)  # type: ignore[arg-type]  # the pool sends only jobs
    except Exception:  # noqa: BLE001 - the next job must not suffer from this one
        _LOG.exception("a job failed")
        return Outcome(None, WorkerFault(), 0)


def _is_large() -> bool:
    """Whether the process holds too much memory; a system without /proc can't tell."""
    # Not the maximum that `resource` knows: on Linux that begins with the memory of the process that started this one.
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return False
    return pages * resource.getpagesize() > _BYTES_MAX


if __name__ == "__main__":
    main()
