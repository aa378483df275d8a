"""Keeps the processes of a server running: starts them, replaces those that are gone, and ends them.

It serves nobody and holds nothing that a caller could reach, so nothing that happens to a game can end it.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from infra.failure import CommandFailed
from services.cli.processes.child import Child
from services.cli.processes.messages import Barred, GameWork, Work

PAUSE_SECONDS_MIN, PAUSE_SECONDS_MAX = 0.5, 30.0
STEADY_SECONDS = 60.0
"""A process that ran for so long is started again after the shortest pause."""
_log = logging.getLogger(__name__)


class _Place:
    """A piece of work, and the process that does it now."""

    def __init__(self, work: Work, child: Child) -> None:
        self.work, self.child, self.began = work.again, child, time.monotonic()
        self.turn = asyncio.Lock()
        """Held by whoever puts another process into the place."""

    def fill(self, child: Child) -> None:
        """Put another process here."""
        self.child, self.began = child, time.monotonic()


class Supervisor:
    """The processes of a server."""

    def __init__(self) -> None:
        self._places: list[_Place] = []
        self._keeping: list[asyncio.Task[None]] = []
        self._passing_on: set[asyncio.Task[None]] = set()
        self._leaving: set[asyncio.Task[None]] = set()
        """The processes that have been replaced and finish what they do."""

    async def start(self, works: Sequence[Work]) -> list[Child]:
        """Start a process for each piece of work at the same time; none stays if one of them can't begin."""
        starting = [asyncio.create_task(Child.start(work, self._barred)) for work in works]
        try:
            await asyncio.gather(*starting)
        except BaseException:
            for task in starting:
                task.cancel()
            results = await asyncio.gather(*starting, return_exceptions=True)
            await asyncio.gather(*(child.leave(gently=False) for child in results if isinstance(child, Child)))
            raise
        children = [task.result() for task in starting]
        for work, child in zip(works, children, strict=True):
            place = _Place(work, child)
            self._places.append(place)
            self._keeping.append(asyncio.create_task(self._keep(place)))
        return children

    async def reload(self) -> None:
        """Replace one process after the other. The new one serves before the old one takes nobody in any more."""
        _log.info("replacing the processes, one after the other")
        for place in self._places:
            async with place.turn:
                try:
                    child = await Child.start(place.work, self._barred)
                except (CommandFailed, OSError) as failure:
                    _log.error("the processes are not replaced: %s can't begin: %s", place.work.name, failure)
                    return
                old = place.child
                place.fill(child)
                await self._let_go(old)
        _log.info("the processes are replaced")

    async def close(self) -> None:
        """End all processes."""
        for task in self._keeping:
            task.cancel()
        await asyncio.gather(*self._keeping, return_exceptions=True)
        await asyncio.gather(*(place.child.leave(gently=False) for place in self._places), *self._leaving)

    async def _let_go(self, child: Child) -> None:
        """Let a process end that has been replaced; also if the server goes down meanwhile."""
        leaving = asyncio.create_task(child.leave(gently=True))
        self._leaving.add(leaving)
        leaving.add_done_callback(self._leaving.discard)
        await asyncio.shield(leaving)

    async def metrics(self) -> dict[int, bytes]:
        """The metrics of each game process, by its number."""
        games = {place.work.number: place.child for place in self._places if isinstance(place.work, GameWork)}
        pages = await asyncio.gather(*(child.metrics() for child in games.values()))
        return dict(zip(games, pages, strict=True))

    async def _keep(self, place: _Place) -> None:
        """Put a new process into the place whenever the one there is gone."""
        pause = PAUSE_SECONDS_MIN
        while True:
            child = place.child
            how = await child.ended()
            async with place.turn:
                if place.child is not child:
                    continue  # It has been replaced.
                if time.monotonic() - place.began >= STEADY_SECONDS:
                    pause = PAUSE_SECONDS_MIN
                pause = await self._refill(place, how, pause)

    async def _refill(self, place: _Place, how: str, pause: float) -> float:
        """Start another process as soon as that works; returns how long to wait if it too is soon gone."""
        while True:
            _log.warning("%s %s; starting it again in %g seconds", place.work.name, how, pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, PAUSE_SECONDS_MAX)
            try:
                place.fill(await Child.start(place.work, self._barred))
            except (CommandFailed, OSError) as failure:
                how = f"can't begin: {failure}"
            else:
                _log.info("%s runs again", place.work.name)
                return pause

    def _barred(self, by: Child, message: Barred) -> None:
        """Tell all other processes which address one of them has barred."""
        for place in self._places:
            if place.child is not by and isinstance(place.work, GameWork):
                task = asyncio.create_task(place.child.tell_barred(message))
                self._passing_on.add(task)
                task.add_done_callback(self._passing_on.discard)


@asynccontextmanager
async def supervising() -> AsyncIterator[Supervisor]:
    """A supervisor; when the block ends, so do its processes."""
    supervisor = Supervisor()
    try:
        yield supervisor
    finally:
        await supervisor.close()
