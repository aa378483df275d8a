"""How many calls a second one player, or one address, may make: token buckets that refill steadily."""

import asyncio
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable

from services.access.bars import Bars
from services.access.payer import Payer
from services.access.refusals import TooFast

_BUCKETS_MAX = 100_000
_RETRY_SECONDS_MIN = 0.05
"""A shorter wait would only make the caller come again and again."""
SHUN_SECONDS = 10.0
LINGER_SECONDS = 1.0
HELD_MAX = 500
"""So many refusals of one address wait at a time. Each takes some memory, so the others are not held back."""
_SHUNNED_MIN = 100
"""So many refused calls within a second are no accident."""
BARRED_MIN = 2_000
"""So many are a flood: nobody who waits for answers comes to it."""
_BEGINNING_SECONDS = 300.0
"""So many seconds' worth may be begun at once: an evening of games begins with many."""
_ADDRESS_SHARES = 4
"""An address may begin as much as so many players: people behind one address share it."""
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

    def check(self, key: str, cost: float = 1.0) -> None:
        """Count a call, or one that is worth several, and refuse it if there were too many."""
        if not self.rate:
            return
        key = "" if self._shared else key
        cost = min(cost, self._burst)  # However small the limit is, one call at a time is admitted.
        now = self._clock()
        level, since = self._buckets.get(key, (self._burst, now))
        level = min(self._burst, level + (now - since) * self.rate) - cost
        if level < -_ROUNDING:
            retry_seconds = max(_RETRY_SECONDS_MIN, math.ceil(-level / self.rate * 1_000) / 1_000)
            raise TooFast(what=self._what, rate=self.rate, retry_seconds=retry_seconds)
        self._buckets[key] = (level, now)
        self._buckets.move_to_end(key)
        if len(self._buckets) > _BUCKETS_MAX:
            self._buckets.popitem(last=False)

    def charge(self, key: str, cost: float) -> None:
        """Count what has cost more than a call, also where it is more than is left: then the next calls wait for it."""
        if not self.rate:
            return
        key = "" if self._shared else key
        self._keep(key, max(self._level(key) - cost, -self._burst))

    def _level(self, key: str) -> float:
        """What a key may spend now."""
        now = self._clock()
        level, since = self._buckets.get(key, (self._burst, now))
        return min(self._burst, level + (now - since) * self.rate)

    def _keep(self, key: str, level: float) -> None:
        self._buckets[key] = (level, self._clock())
        self._buckets.move_to_end(key)
        if len(self._buckets) > _BUCKETS_MAX:
            self._buckets.popitem(last=False)


class BeginningLimit:
    """How many things a second one player, and one address, may begin that stay for ever, such as tables."""

    def __init__(self, rate: float, what: str, *, by_address: bool = True) -> None:
        """Without `by_address` only players count: behind a proxy all callers have the same address."""
        self._of_player = RateLimit(rate, _BEGINNING_SECONDS, what=what)
        self._of_address = RateLimit(rate * _ADDRESS_SHARES * by_address, _BEGINNING_SECONDS, what=what)

    def check(self, payer: Payer) -> None:
        """Count one more, and refuse it if there were too many."""
        self._of_player.check(payer.caller)
        self._of_address.check(payer.address)


class AddressLimit(RateLimit):
    """The limit of an address. One that goes on although it is refused again and again waits for its refusals.

    To refuse a call costs almost as much as to answer it. A caller who waits for an answer sends the next call later.
    """

    def __init__(
        self,
        rate: float,
        burst_seconds: float = 2.0,
        clock: Callable[[], float] = time.monotonic,
        *,
        what: str = "calls",
        shared: bool = False,
        bars: Bars | None = None,
    ) -> None:
        """With `bars`, an address that floods us with calls that are refused is barred."""
        super().__init__(rate, burst_seconds, clock, what=what, shared=shared)
        self._bars = bars
        self._refused: OrderedDict[str, tuple[int, float]] = OrderedDict()
        """How often an address was refused, and since when we count."""
        self._until: dict[str, float] = {}
        self._held: Counter[str] = Counter()

    async def linger(self, key: str, calls: int = 1) -> None:
        """Note that an address was refused, and wait before it gets to know, if it is shunned."""
        if not self.rate:
            return
        self._note(key, calls)
        if not self.is_shunned(key) or self._held[key] >= HELD_MAX:
            return
        self._held[key] += 1
        try:
            await asyncio.sleep(LINGER_SECONDS)
        finally:
            self._held[key] -= 1
            if not self._held[key]:
                del self._held[key]

    def is_shunned(self, key: str) -> bool:
        """Whether an address has gone on although it was refused again and again."""
        return self._until.get(key, 0.0) > self._clock()

    def _note(self, key: str, calls: int) -> None:
        now = self._clock()
        count, since = self._refused.get(key, (0, now))
        count, since = (count + calls, since) if now - since < 1 else (calls, now)
        self._refused[key] = count, since
        self._refused.move_to_end(key)
        if len(self._refused) > _BUCKETS_MAX:
            self._until.pop(self._refused.popitem(last=False)[0], None)
        if count >= _SHUNNED_MIN:
            self._until[key] = now + SHUN_SECONDS
        if count >= BARRED_MIN and self._bars is not None:
            self._bars.bar(key, "calls")
