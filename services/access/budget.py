"""Limits by cost: callers pay for what their calls touch, and what they may spend refills steadily.

The price of a read is known only after it: the events that it decoded, folded and encoded, and the bytes that it made. So
a call is admitted while its caller has anything left, and is charged afterwards. A caller may go into debt that way by
one call, and then waits until the debt is paid.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator

from services.access.payer import Payer
from services.access.refusals import ReadTooMuch

BYTES_A_UNIT = 256
"""So many bytes of an answer cost as much as one event."""
_BURST_SECONDS = 10.0
_ADDRESS_SHARES = 4
"""An address may spend as much as so many callers: people behind one address share it."""
_RETRY_SECONDS_MIN = 0.1
_BUCKETS_MAX = 100_000


class Budget:
    """What each caller and each address may spend: `rate` units a second, and some seconds' worth at once; 0 for no limit."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic, *, by_address: bool = True) -> None:
        """Without `by_address` only players pay: behind a proxy all callers have the same address."""
        self.rate, self.by_address, self._clock = rate, by_address, clock
        self._spent: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """How much a payer owed at a time; it gets less steadily."""

    def check(self, payer: Payer) -> None:
        """Refuse a payer who has spent everything."""
        seconds = self.wait_seconds(payer)
        if seconds > 0:
            tenths = math.ceil(round(max(seconds, _RETRY_SECONDS_MIN) * 10, 6))
            raise ReadTooMuch(rate=self.rate, retry_seconds=tenths / 10)

    def wait_seconds(self, payer: Payer) -> float:
        """How long a payer has to wait before the next call; 0 if it is admitted now."""
        if not self.rate:
            return 0.0
        return max((self._overdrawn_seconds(key, shares) for key, shares in self._purses(payer)), default=0.0)

    def charge(self, payer: Payer, units: float) -> None:
        """Make a payer pay for what a call touched."""
        if not self.rate or not units:
            return
        for key, shares in self._purses(payer):
            self._spent[key] = (self._owed(key, shares) + units, self._clock())
            self._spent.move_to_end(key)
        while len(self._spent) > _BUCKETS_MAX:
            self._spent.popitem(last=False)

    def _purses(self, payer: Payer) -> Iterator[tuple[str, int]]:
        """What a payer pays from, and how many shares it has. A stranger is an address, and pays once, as one caller."""
        if self.by_address or not payer.is_stranger:
            yield payer.caller, 1
        if self.by_address and not payer.is_stranger:
            yield payer.address, _ADDRESS_SHARES

    def _owed(self, key: str, shares: int) -> float:
        owed, since = self._spent.get(key, (0.0, 0.0))
        return max(0.0, owed - (self._clock() - since) * self.rate * shares)

    def _overdrawn_seconds(self, key: str, shares: int) -> float:
        allowed = self.rate * shares * _BURST_SECONDS
        return max(0.0, self._owed(key, shares) - allowed) / (self.rate * shares)


NO_BUDGET = Budget(0)
"""No limit."""
