"""Turns between callers: each caller has a queue of its own, and the queues take turns.

So a caller who asks for a hundred things at once waits for all but one of them, and nobody else does.
"""

import asyncio
from collections import OrderedDict, deque


class Turns:
    """One turn at a time."""

    def __init__(self) -> None:
        self._taken = False
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    def waiting(self, key: str) -> int:
        """How many turns a caller waits for."""
        return len(self._waiting.get(key, ()))

    async def take(self, key: str) -> None:
        """Wait for a turn of this caller, and take it."""
        if not self._taken:
            self._taken = True
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._forget(key, turn)
            else:
                self.give_back()  # The turn came in the same moment.
            raise

    def give_back(self) -> None:
        """End a turn; the next caller in line gets one."""
        while self._waiting:
            key, queue = self._waiting.popitem(last=False)
            turn = queue.popleft()
            if queue:
                self._waiting[key] = queue  # At the end: all others are before this caller now.
            if not turn.done():
                turn.set_result(None)
                return
        self._taken = False

    def _forget(self, key: str, turn: "asyncio.Future[None]") -> None:
        queue = self._waiting.get(key)
        if queue is not None and turn in queue:
            queue.remove(turn)
            if not queue:
                del self._waiting[key]
