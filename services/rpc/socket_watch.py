"""Watches the sockets of gRPC: caps the connections of one address, and finds those that flood us below our calls.

gRPC has a cap on all connections together and none on those of one address, so one machine could take all places. It
reads frames and takes connections in by itself, tells nobody about it, and can't be asked to close one. So we look at the
sockets of our own process. Of an address that has too many, the newest are shut down, which gRPC takes for a caller that
hung up. An address that sends far more bytes than calls can need is barred.

The cheapest flood are calls on connections that close at once: gRPC drops them before our code sees who called. We only
see that such calls came. Then we look as often as we can for a moment, and bar the address that comes and goes.

All of it is done by a thread: such a flood keeps the event loop busy, and what waits for the loop comes too late.
"""

import os
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from services.access.address import limit_key
from services.access.bars import Bars

CHECK_SECONDS = 0.25
GLANCE_SECONDS = 0.02
"""How often it is checked whether calls were dropped. That is one number, and costs next to nothing."""
BYTES_A_SECOND_MAX = 1024 * 1024
"""From one address. A call has some hundred bytes, and an address has 500 of them a second."""
DROPPED_MAX = 100
"""So many calls may be dropped between two looks before we hunt for the address that they come from."""
HUNT_SECONDS, HUNT_PAUSE_SECONDS = 0.3, 0.005
GONE_MAX = 10
"""So many connections of one address may come and go again while we hunt. Those of players stay."""
GONE_KEPT = 0.5
"""How much of that count the next hunt goes on with, if calls are still being dropped: a flood may use few connections."""
_LISTED = Path("/dev/fd")
"""Where the system lists the descriptors of this process. Where it does not, nothing is watched."""

_FAMILIES = (socket.AF_INET, socket.AF_INET6)
_RECEIVED = struct.Struct("=Q")
_RECEIVED_AT = 128
"""Where Linux tells how many bytes have come over a connection."""


class _Seen(NamedTuple):
    """A connection at one look."""

    descriptor: int
    address: str
    received: int


_Peer = tuple[str, int]


class SocketWatch:
    """Looks at the connections to a port again and again."""

    def __init__(
        self, port: int, per_address_max: int, bars: Bars | None = None, dropped: Callable[[], int] = lambda: 0
    ) -> None:
        """`dropped` returns how many calls so far were dropped before our code saw who called.

        With 0 for `per_address_max` there is no cap; without `bars` nobody is barred.
        """
        self._port, self._per_address_max, self._bars, self._dropped = port, per_address_max, bars, dropped
        self._known: dict[_Peer, _Seen] = {}
        """The connections at the last look, in the order in which they came."""
        self._gone: dict[str, int] = {}
        """How many connections of an address have come and gone lately, while calls were dropped."""
        self._dropped_before, self._looked_at = 0, time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="socket-watch", daemon=True)

    def start(self) -> None:
        """Begin to look again and again, where there is anything to look for."""
        if self._bars is not None or self._per_address_max:
            self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        with ExitStack() as stack:
            if self._bars is not None:
                self._guard(self._bars, stack)
            while not self._wait():
                with suppress(OSError):
                    self._bar(self.look())

    def _bar(self, floods: dict[str, str]) -> None:
        if self._bars is not None:
            self._bars.lift()
            for address, reason in floods.items():
                self._bars.bar(address, reason)

    def _wait(self) -> bool:
        """Wait for the next look, which comes early if calls are dropped. Returns whether there is none any more."""
        until = time.monotonic() + CHECK_SECONDS
        while time.monotonic() < until and self._dropped() - self._dropped_before <= DROPPED_MAX:
            if self._ended.wait(GLANCE_SECONDS):
                return True
        return self._ended.is_set()

    def look(self) -> dict[str, str]:
        """Shut down what is too much, and return the addresses that flood us, with what."""
        before, found = self._known, dict(self._connections())
        self._known = {peer: found[peer] for peer in (*before, *found) if peer in found}
        self._shut_down_the_newest()
        dropped, now = self._dropped(), time.monotonic()
        more, self._dropped_before = dropped - self._dropped_before, dropped
        # A look may come late, if the process is busy.
        seconds, self._looked_at = max(CHECK_SECONDS, now - self._looked_at), now
        if more <= DROPPED_MAX:
            self._gone.clear()
            return self._floods(before, seconds)
        left = Counter(seen.address for peer, seen in before.items() if peer not in found)
        return self._floods(before, seconds) | self._hunt(left)

    def cut(self, address: str) -> None:
        """Shut down all connections of an address."""
        with suppress(OSError):
            for peer, seen in self._connections():
                if seen.address == address:
                    self._shut_down(peer, seen.descriptor)

    def _guard(self, bars: Bars, stack: ExitStack) -> None:
        """Keep barred addresses from our port until the stack ends."""
        for listening in self._listening():
            bars.guard(stack.enter_context(listening), self.cut)
        stack.callback(bars.leave, self.cut)

    def _listening(self) -> Iterator[socket.socket]:
        """Copies of the sockets that listen on our port."""
        with suppress(OSError):
            for descriptor in _descriptors():
                with suppress(OSError), _copy_of(descriptor) as one:
                    if self._is_ours(one) and one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                        yield _copy_of(descriptor)

    def _shut_down_the_newest(self) -> None:
        if not self._per_address_max:
            return
        count_of: Counter[str] = Counter()
        for peer, seen in self._known.items():
            count_of[seen.address] += 1
            if count_of[seen.address] > self._per_address_max:
                self._shut_down(peer, seen.descriptor)

    def _floods(self, before: dict[_Peer, _Seen], seconds: float) -> dict[str, str]:
        received: Counter[str] = Counter()
        for peer, seen in self._known.items():
            received[seen.address] += seen.received - (before[peer].received if peer in before else 0)
        return {address: "bytes" for address, count in received.items() if count > BYTES_A_SECOND_MAX * seconds}

    def _hunt(self, left: Counter[str]) -> dict[str, str]:
        """The addresses whose connections come and go, found by looking as often as we can.

        `left` has the connections that went since the last look.
        """
        came: dict[_Peer, str] = {}
        gone = left + Counter({address: int(count * GONE_KEPT) for address, count in self._gone.items()})
        until = time.monotonic() + HUNT_SECONDS
        while time.monotonic() < until and max(gone.values(), default=0) <= GONE_MAX and not self._ended.is_set():
            found = {peer: seen.address for peer, seen in self._connections() if peer not in self._known}
            gone.update(address for peer, address in came.items() if peer not in found)
            came = found
            time.sleep(HUNT_PAUSE_SECONDS)
        self._gone = dict(gone)
        return {address: "calls that are dropped" for address, count in gone.items() if count > GONE_MAX}

    def _connections(self) -> Iterator[tuple[_Peer, _Seen]]:
        for descriptor in _descriptors():
            with suppress(OSError), _copy_of(descriptor) as connection:
                if self._is_ours(connection) and not connection.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    host, port, *_ = connection.getpeername()
                    yield (host, port), _Seen(descriptor, limit_key(host), _received(connection))

    def _is_ours(self, connection: socket.socket) -> bool:
        return connection.family in _FAMILIES and connection.getsockname()[1] == self._port

    def _shut_down(self, peer: _Peer, descriptor: int) -> None:
        with suppress(OSError), _copy_of(descriptor) as connection:
            # gRPC may have closed the connection meanwhile, and the descriptor may be that of another one.
            if self._is_ours(connection) and connection.getpeername()[:2] == peer:
                connection.shutdown(socket.SHUT_RDWR)


def _received(connection: socket.socket) -> int:
    """How many bytes have come over a connection; 0 where the system does not tell."""
    if not hasattr(socket, "TCP_INFO"):
        return 0
    told = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RECEIVED_AT + _RECEIVED.size)
    return int(_RECEIVED.unpack_from(told, _RECEIVED_AT)[0]) if len(told) >= _RECEIVED_AT + _RECEIVED.size else 0


def _descriptors() -> list[int]:
    return [int(path.name) for path in _LISTED.iterdir()]


def _copy_of(descriptor: int) -> socket.socket:
    """A socket with a descriptor of its own, because gRPC may close the original at any moment."""
    # Not `socket.dup`: it would make the original block too, and gRPC would wait for ever in the middle of its work.
    copied = os.dup(descriptor)
    try:
        return socket.socket(fileno=copied)
    except OSError:
        os.close(copied)  # It is a file, or something else that is no socket.
        raise
