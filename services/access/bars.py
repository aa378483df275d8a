"""Bars keep addresses out that flood the server, before anything of theirs costs us work.

Rates refuse what is too much, but a refusal costs almost as much as an answer, and some floods never reach our code:
gRPC reads frames, unpacks messages and takes connections in by itself. An address that goes far beyond anything that
players do is barred: all its connections are cut, and the system drops its packets (`packet_filter`). An address that
does it again is barred for twice as long each time.

Any thread may bar an address: a flood that keeps the loop busy is found by another one.
"""

import logging
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress

from services.access.packet_filter import ADDRESSES_MAX, filter_out

SECONDS_MIN, SECONDS_MAX = 30.0, 600.0
FORGIVEN_SECONDS = 600.0
"""After so long without a bar an address counts as new."""
_KNOWN_MAX = 10_000
_LOG = logging.getLogger(__name__)

Cut = Callable[[str], None]
"""Closes all connections of an address to one listener. Any thread may call it."""
Hearer = Callable[[str, str], None]
"""Is told which address is barred now, and for what. Any thread may call it."""


class Bars:
    """The addresses that are barred from all listeners of this process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._until: OrderedDict[str, float] = OrderedDict()
        """Until when an address is barred, those who were barred last at the end."""
        self._history: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """How long the last bar of an address was, and when it ended or will end."""
        self._guarded: list[tuple[socket.socket, Cut]] = []
        self.hearers: list[Hearer] = []
        """Who passes bars on to other processes that listen on the same ports: a filter is for the sockets of one process."""

    def guard(self, listening: socket.socket, cut: Cut) -> None:
        """Keep barred addresses from a listening socket too."""
        with self._lock:
            self._guarded.append((listening, cut))

    def leave(self, cut: Cut) -> None:
        """Forget the listener that closes its connections this way."""
        with self._lock:
            self._guarded = [(listening, one) for listening, one in self._guarded if one != cut]

    def is_barred(self, address: str) -> bool:
        """Whether an address is kept out now."""
        return self._until.get(address, 0.0) > self._clock()

    def bar(self, address: str, reason: str) -> None:
        """Keep an address out for a while."""
        seconds = self.join(address)
        if seconds:
            for hear in self.hearers:
                hear(address, reason)
            _LOG.warning("%s floods the server with %s: it is kept out for %d seconds", address, reason, seconds)

    def join(self, address: str) -> float:
        """Keep an address out that another process has barred; returns for how long, 0 if it is barred already."""
        with self._lock:
            if self.is_barred(address):
                return 0.0
            seconds = self._note(address)
            self._apply()
            cuts = [cut for _, cut in self._guarded]
        for cut in cuts:
            cut(address)
        return seconds

    def lift(self) -> None:
        """Let those in whose time is over."""
        with self._lock:
            now = self._clock()
            over = [address for address, until in self._until.items() if until <= now]
            for address in over:
                del self._until[address]
            if over:
                self._apply()

    def _note(self, address: str) -> float:
        """Note a bar that begins now; returns how long it is."""
        now = self._clock()
        seconds, ended = self._history.get(address, (0.0, 0.0))
        seconds = SECONDS_MIN if now - ended > FORGIVEN_SECONDS else min(SECONDS_MAX, 2 * seconds or SECONDS_MIN)
        self._until[address] = now + seconds
        self._history[address] = seconds, now + seconds
        for kept, count_max in ((self._until, ADDRESSES_MAX), (self._history, _KNOWN_MAX)):
            kept.move_to_end(address)
            if len(kept) > count_max:
                kept.popitem(last=False)
        return seconds

    def _apply(self) -> None:
        addresses = tuple(reversed(self._until))
        for listening, _ in self._guarded:
            with suppress(OSError):
                filter_out(listening, addresses)
