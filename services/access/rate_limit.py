"""How many calls a second one player, or one address, may make: token buckets that refill steadily."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from services.access.refusals import TooFast

_BUCKETS_MAX = 100_000
_RETRY_SECONDS_MIN = 0.05
"""A shorter wait would only make the caller come again and again."""
_ROUNDING = 1e-6
"""After exactly the wait that was named a call is admitted, although the sums are not exact."""


class RateLimit:
    """Allows `rate` calls a second for each key, and a burst of some seconds' worth at once; a rate of 0 is no limit."""

    def __init__(
        self,
        rate: float,
        burst_seconds: float = 2.0,
        clock: Callable[[], float] = time.monotonic,
        *,
        what: str = "calls",
        shared: bool = False,
    ) -> None:
        """`what` names the calls in the sentence of the refusal. With `shared` all keys count as one."""
        self.rate, self._burst, self._clock, self._what = rate, max(1.0, rate * burst_seconds), clock, what
        self._shared = shared
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def check(self, key: str) -> None:
        """Count a call, and refuse it if there were too many."""
        if not self.rate:
            return
        key = "" if self._shared else key
        now = self._clock()
        level, since = self._buckets.get(key, (self._burst, now))
        level = min(self._burst, level + (now - since) * self.rate) - 1
        if level < -_ROUNDING:
            retry_seconds = max(_RETRY_SECONDS_MIN, math.ceil(-level / self.rate * 1_000) / 1_000)
            raise TooFast(what=self._what, rate=self.rate, retry_seconds=retry_seconds)
        self._buckets[key] = (level, now)
        self._buckets.move_to_end(key)
        if len(self._buckets) > _BUCKETS_MAX:
            self._buckets.popitem(last=False)
