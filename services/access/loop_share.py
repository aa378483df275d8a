"""How much of the loop's time one address may use for HTTP.

A rate counts requests, but the first hundred requests of a burst pass every rate, and all of them are answered at once
while everybody else waits. So the time that the loop really spends on an address is measured and charged to it. An
address that has used up its share is not refused: its bytes stay where they are, in the buffers of the system, until it
has paid. Other addresses come in between.

A request is charged when it begins with what a request usually costs, and with the rest when that is known. Otherwise all
requests that wait would begin in the same moment, before the first of them has cost anything.
"""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable

SHARE = 0.25
"""The part of a core that one address may use, on and on."""
BURST_SECONDS = 0.05
"""What it may use at once: as long as nobody notices that the others wait."""
CONNECTION_SECONDS = 0.0003
"""What it costs to take a connection in and to let it go again, whatever is said on it."""
_USUAL_SECONDS = 0.002
_USUAL_WEIGHT = 0.02
_UNUSUAL_SECONDS = 0.02
"""A stream that has lived for hours says nothing of what the next request will cost."""
_DEBTORS_MAX = 10_000
_ROUNDING = 1e-6
"""After exactly the wait that was named nothing is owed, although the sums are not exact."""


GoOn = Callable[[], None]
"""Does what was put off."""


class LoopShare:
    """The time that each address has used and not paid for yet, and what waits until it has."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._debts: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """The seconds that an address owed at a time; they get less steadily."""
        self._usual = _USUAL_SECONDS
        self._put_off: dict[str, deque[GoOn]] = {}

    def admits(self, address: str, go_on: GoOn) -> bool:
        """Whether something may be done for an address now. If not, `go_on` is called when its turn has come."""
        waiting = self._put_off.get(address)
        if waiting is None:
            seconds = self.wait_seconds(address)
            if not seconds:
                return True
            waiting = self._put_off[address] = deque()
            self._wake_in(seconds, address)
        waiting.append(go_on)
        return False

    def _wake_in(self, seconds: float, address: str) -> None:
        asyncio.get_running_loop().call_later(seconds, self._wake, address)

    def _wake(self, address: str) -> None:
        """Go on with what an address can pay, in the order in which it came."""
        waiting = self._put_off[address]
        while waiting:
            seconds = self.wait_seconds(address)
            if seconds:
                self._wake_in(seconds, address)
                return
            waiting.popleft()()
        del self._put_off[address]

    def wait_seconds(self, address: str) -> float:
        """How long an address has to wait before the next thing is done for it; 0 if it need not wait."""
        seconds = (self._owed(address) - BURST_SECONDS) / SHARE
        return seconds if seconds > _ROUNDING else 0.0

    def charge(self, address: str, seconds: float) -> None:
        """Make an address pay for some time of the loop."""
        self._debts[address] = (max(0.0, self._owed(address) + seconds), self._clock())
        self._debts.move_to_end(address)
        if len(self._debts) > _DEBTORS_MAX:
            self._debts.popitem(last=False)

    def bill(self, address: str) -> "Bill":
        """The bill of a request of an address that begins."""
        return Bill(self, address, self._usual)

    def note(self, seconds: float) -> None:
        """Remember what a request has cost."""
        self._usual += (min(seconds, _UNUSUAL_SECONDS) - self._usual) * _USUAL_WEIGHT

    def _owed(self, address: str) -> float:
        owed, since = self._debts.get(address, (0.0, 0.0))
        return max(0.0, owed - (self._clock() - since) * SHARE)


class Bill:
    """What a request has cost so far. What requests usually cost is paid in advance."""

    __slots__ = ("_address", "_paid", "_share", "_spent")

    def __init__(self, share: LoopShare, address: str, usual: float) -> None:
        self._share, self._address, self._paid, self._spent = share, address, usual, 0.0
        share.charge(address, usual)

    def add(self, seconds: float) -> None:
        """Note some time of the loop; what is more than was paid is charged at once."""
        self._spent += seconds
        if self._spent > self._paid:
            self._share.charge(self._address, self._spent - self._paid)
            self._paid = self._spent

    def close(self) -> None:
        """Give back what was paid too much."""
        self._share.charge(self._address, self._spent - self._paid)
        self._share.note(self._spent)
