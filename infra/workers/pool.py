"""The workers of a server: starts them, gives them jobs, and replaces those that are lost."""

import asyncio
import os
import socket
import sys
from contextlib import suppress
from typing import Any
from zlib import crc32

from infra.workers.frames import receive, send
from infra.workers.job import Job, Opener, Outcome, WorkerLost
from infra.workers.turns import Turns

_JOB_SECONDS_MAX = 30.0
_START_SECONDS_MAX = 60.0
_STOP_SECONDS_MAX = 2.0
_EXIT_SECONDS_MAX = 0.5
_TRIES = 2
_MODULE = "infra.workers.worker"
_SECRET_PREFIX = "LIARSDICE_"  # noqa: S105 - the variables with keys begin like this


class Pool:
    """Some workers. Jobs about the same subject go to the same worker, which may remember what it has read."""

    def __init__(self, count: int, opener: Opener, *arguments: Any) -> None:
        """Each worker calls the opener with the arguments once, and passes what it opens to every job."""
        self._workers = [_Worker(opener, arguments) for _ in range(count)]
        self._turns = [Turns() for _ in range(count)]
        self._running: set[asyncio.Future[Outcome]] = set()

    async def start(self) -> None:
        """Start all workers in the background. Without this, each starts with its first job."""
        for worker, turns in zip(self._workers, self._turns, strict=True):
            await turns.take("")
            self._run(turns, worker.start())

    async def close(self) -> None:
        """Stop all workers, and whatever they are doing."""
        running = tuple(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await asyncio.gather(*(worker.stop() for worker in self._workers))

    def waiting(self, key: str) -> int:
        """How many jobs of a caller wait for their turn."""
        return sum(turns.waiting(key) for turns in self._turns)

    async def do(self, key: str, subject: str, job: Job, *arguments: Any) -> Outcome:
        """Do a job for a caller, when it is the caller's turn."""
        number = crc32(subject.encode()) % len(self._workers)
        worker, turns = self._workers[number], self._turns[number]
        await turns.take(key)
        # A caller who goes away leaves the job behind: the worker answers it, and only then is free for the next.
        return await asyncio.shield(self._run(turns, worker.do(job, arguments)))

    def _run(self, turns: Turns, work: Any) -> "asyncio.Future[Outcome]":
        running: asyncio.Future[Outcome] = asyncio.ensure_future(work)
        self._running.add(running)

        def done(ended: "asyncio.Future[Outcome]") -> None:
            self._running.discard(ended)
            turns.give_back()
            if not ended.cancelled():
                ended.exception()  # If nobody waits for it any more, it must not be reported as forgotten.

        running.add_done_callback(done)
        return running


class _Worker:
    """One worker process; it does one job at a time."""

    def __init__(self, opener: Opener, arguments: tuple[Any, ...]) -> None:
        self._opening = (opener, arguments)
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter | None = None
        self._closed = False

    async def do(self, job: Job, arguments: tuple[Any, ...]) -> Outcome:
        """Do a job, in a new process if the last one is gone."""
        for _ in range(_TRIES):
            try:
                writer = await self.start()
                async with asyncio.timeout(_JOB_SECONDS_MAX):
                    await send(writer, (job, arguments))
                    outcome: Outcome = await receive(self._reader)
                    return outcome
            except TimeoutError:
                await self._end()
                raise WorkerLost(problem="it took too long") from None
            except (EOFError, ConnectionError):
                if await self._end() != 0:
                    break  # It did not end by itself, perhaps because of this job.
        raise WorkerLost(problem="it ended")

    async def start(self) -> asyncio.StreamWriter:
        """Start the process if there is none, wait until it is ready, and return the way to it."""
        if self._closed:
            raise WorkerLost(problem="the server is going down")
        if self._writer is not None and self._is_alive():
            return self._writer
        await self._end()
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                _MODULE,
                str(theirs.fileno()),
                pass_fds=(theirs.fileno(),),
                env=_environment(),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
            )
        self._reader, self._writer = await asyncio.open_connection(sock=ours)
        async with asyncio.timeout(_START_SECONDS_MAX):
            await send(self._writer, self._opening)
            await receive(self._reader)
        return self._writer

    async def stop(self) -> None:
        """End the process for good."""
        self._closed = True
        await self._end()

    async def _end(self) -> int | None:
        """End the process, and return how it ended; 0 if by itself, as one does that has grown too large."""
        process, self._process = self._process, None
        if self._writer is not None:
            self._writer.close()  # The worker sees it when its job is done.
            self._writer = None
        if process is None:
            return None
        try:
            async with asyncio.timeout(_STOP_SECONDS_MAX if self._closed else _EXIT_SECONDS_MAX):
                return await process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            return await process.wait()

    def _is_alive(self) -> bool:
        return self._process is not None and self._process.returncode is None and not self._reader.at_eof()


def _environment() -> dict[str, str]:
    """The environment of a worker: it finds the modules of this program where this process does, and no keys."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_SECRET_PREFIX)}
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
