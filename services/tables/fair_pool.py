"""Work for many owners, of which only some runs at once. The owners take turns, however much one of them has to do."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

Thing = TypeVar("Thing")


class FairPool(Generic[Thing]):
    """Works on things, each for its owner: one thing of each owner in turn."""

    def __init__(self, work: Callable[[Thing], Coroutine[Any, Any, None]], at_once_max: int) -> None:
        """`work` handles its own errors."""
        self._work, self._at_once_max = work, at_once_max
        self._waiting: OrderedDict[str, deque[Thing]] = OrderedDict()
        """The things that wait, by owner. The owners stand in the order of their turns."""
        self._running: set[asyncio.Task[None]] = set()

    def put(self, owner_id: str, thing: Thing) -> None:
        """Add a thing behind all others of its owner; an owner who had none gets the last turn."""
        self._waiting.setdefault(owner_id, deque()).append(thing)
        self._fill()

    async def close(self) -> None:
        """Drop what waits, and cancel what runs."""
        self._waiting.clear()
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    def _fill(self) -> None:
        while self._waiting and len(self._running) < self._at_once_max:
            owner_id, things = self._waiting.popitem(last=False)
            task = asyncio.create_task(self._work(things.popleft()))
            if things:
                self._waiting[owner_id] = things  # Behind all other owners.
            self._running.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._fill()
