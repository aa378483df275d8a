"""How fast the bots at one owner's tables move together."""

import time
from collections import OrderedDict
from collections.abc import Callable

_OWNERS_MAX = 10_000


class BotPace:
    """Gives each move of a bot its time, so that those of one owner come at most `rate` a second; 0 is no limit."""

    def __init__(self, rate: float, burst_seconds: float = 2.0, clock: Callable[[], float] = time.monotonic) -> None:
        """An owner whose bots have rested may get some seconds' worth of moves at once."""
        self._rate, self._burst_seconds, self._clock = rate, burst_seconds, clock
        self._next: OrderedDict[str, float] = OrderedDict()
        """When the next move of each owner's bots would come without any burst."""

    def wait_seconds(self, owner_id: str) -> float:
        """How long the next move of an owner's bots has to wait. The move counts as made then."""
        if not self._rate:
            return 0.0
        now = self._clock()
        due = max(self._next.get(owner_id, 0.0), now - self._burst_seconds)
        self._next[owner_id] = due + 1 / self._rate
        self._next.move_to_end(owner_id)
        if len(self._next) > _OWNERS_MAX:
            self._next.popitem(last=False)
        return max(0.0, due - now)
