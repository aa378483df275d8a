"""Takes connections in: as many as there are places for, in all and for one address; others are refused at once.

uvicorn would accept without end. It counts a connection with TLS only once its handshake is over, and one that never
ends it would not count at all.
"""

import asyncio
import socket
import ssl
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from services.access.address import limit_key
from services.access.bars import Bars
from services.access.connections import Connections
from services.access.refusals import TooManyConnections
from services.http.refusal_bytes import refusal_bytes

HANDSHAKE_SECONDS = 10.0
_PAUSE_SECONDS = 0.1
_DISCARDED_BYTES = 16 * 1024
NEW_A_SECOND_MAX = 300
"""So many new connections of one address within a second are a flood. Browsers keep theirs open."""

Left = Callable[[], None]
"""Gives the place of a connection back."""


class Listener:
    """A listening socket, and the connections that are on their way in."""

    def __init__(
        self,
        listening: socket.socket,
        protocol: Callable[[Left], asyncio.Protocol],
        tls: ssl.SSLContext | None,
        connections: Connections,
        bars: Bars | None = None,
    ) -> None:
        self._listening, self._protocol, self._tls, self._connections = listening, protocol, tls, connections
        self._bars = bars
        self._new: Counter[str] = Counter()
        self._second = 0
        self._coming: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Take connections in until the task is cancelled."""
        loop = asyncio.get_running_loop()
        try:
            while True:
                try:
                    client, address = await loop.sock_accept(self._listening)
                except OSError:
                    # No descriptor is left, or the client has gone already. Others go on meanwhile.
                    await asyncio.sleep(_PAUSE_SECONDS)
                else:
                    self._take(client, limit_key(str(address[0])))
        finally:
            self._listening.close()
            for task in self._coming:
                task.cancel()

    def _take(self, client: socket.socket, address: str) -> None:
        if self._is_flood(address):
            client.close()
            return
        try:
            self._connections.enter(address)
        except TooManyConnections as refusal:
            self._refuse(client, refusal)
        else:
            task = asyncio.create_task(self._connect(client, address))
            self._coming.add(task)
            task.add_done_callback(self._coming.discard)

    def _is_flood(self, address: str) -> bool:
        """Whether an address has made far too many connections; then it is barred."""
        if self._bars is None:
            return False
        second = int(time.monotonic())
        if second != self._second:
            self._second = second
            self._new.clear()
        self._new[address] += 1
        if self._new[address] > NEW_A_SECOND_MAX:
            self._bars.bar(address, "connections")
        return self._bars.is_barred(address)  # Some of its connections may have come before it was barred.

    def _refuse(self, client: socket.socket, refusal: TooManyConnections) -> None:
        """Answer without waiting for anything; with TLS nobody could read it before the handshake."""
        with client, suppress(OSError):
            if self._tls is None:
                client.send(refusal_bytes(refusal))
                client.shutdown(socket.SHUT_WR)
                # A socket that is closed with unread bytes resets the connection, and the answer is lost.
                client.recv(_DISCARDED_BYTES)

    async def _connect(self, client: socket.socket, address: str) -> None:
        is_open = True

        def left() -> None:
            nonlocal is_open
            if is_open:
                is_open = False
                self._connections.leave(address)

        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: self._protocol(left),
                client,
                ssl=self._tls,
                ssl_handshake_timeout=None if self._tls is None else HANDSHAKE_SECONDS,
            )
        except (OSError, asyncio.CancelledError):
            # A handshake that failed, or a client that has gone: the connection never began.
            client.close()
            left()
