"""Connections that say what no library would say: half requests, garbage, and frames of HTTP/2 made by hand."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.attacks.attack import Foe
from tests.rpc.servers import METHODS

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RESET, SETTINGS, PING = 0, 1, 3, 4, 6
END_STREAM, END_HEADERS = 1, 4
_CONNECT_SECONDS_MAX = 2.0
_SEND_SECONDS_MAX = 2.0


class Connection:
    """A connection that nobody reads, unless somebody asks for it."""

    def __init__(self, foe: Foe, plug: socket.socket) -> None:
        self._foe, self.plug = foe, plug
        self.alive = True

    async def send(self, raw: bytes) -> bool:
        """Whether these bytes were taken."""
        try:
            async with asyncio.timeout(_SEND_SECONDS_MAX):
                await asyncio.get_running_loop().sock_sendall(self.plug, raw)
        except (OSError, TimeoutError) as error:
            self._foe.told[type(error).__name__] += 1
            self.alive = False
        return self.alive

    def drop_answers(self) -> None:
        """Throw away what has come; a connection that the server has closed is no longer alive."""
        try:
            while chunk := self.plug.recv(65_536):
                self._foe.told["bytes"] += len(chunk)
            self.alive = False
        except BlockingIOError:
            pass
        except OSError:
            self.alive = False


async def plugged(foe: Foe, address: str, buffer: int | None = None) -> Connection | None:
    """A new connection; None if the server takes none."""
    host, _, port = address.rpartition(":")
    plug = socket.socket()
    plug.setblocking(False)  # noqa: FBT003 - the library's own order
    if buffer is not None:
        plug.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    try:
        async with asyncio.timeout(_CONNECT_SECONDS_MAX):
            await asyncio.get_running_loop().sock_connect(plug, (host, int(port)))
    except (OSError, TimeoutError) as error:
        plug.close()
        foe.told[type(error).__name__] += 1
        return None
    foe.told["connected"] += 1
    return Connection(foe, plug)


@asynccontextmanager
async def connected(foe: Foe, address: str, count: int, buffer: int | None = None) -> AsyncIterator[list[Connection]]:
    """So many connections, as far as the server takes them."""
    connections: list[Connection] = []
    try:
        for _ in range(count):
            if foe.goes_on and (connection := await plugged(foe, address, buffer)) is not None:
                connections.append(connection)  # noqa: PERF401 - what is open must be closed if a later one fails
        yield connections
        for connection in connections:
            connection.drop_answers()
        foe.told["still open"] += sum(connection.alive for connection in connections)
    finally:
        for connection in connections:
            connection.plug.close()


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """A frame of HTTP/2."""
    return struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream) + payload


def headers(stream: int, method: str, *more: tuple[str, str], ends: bool = False) -> bytes:
    """The frame with which a gRPC call begins; each header stands there in full, without a table."""
    fields = (
        (":method", "POST"),
        (":scheme", "http"),
        (":path", METHODS[method][0]),
        (":authority", "a"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
        *more,
    )
    payload = b"".join(b"\x00" + _text(name) + _text(value) for name, value in fields)
    return frame(HEADERS, END_HEADERS | (END_STREAM if ends else 0), stream, payload)


def message(stream: int, raw: bytes, *, compressed: bool = False) -> bytes:
    """The frame with the one message of a call."""
    return frame(DATA, END_STREAM, stream, struct.pack("!BI", compressed, len(raw)) + raw)


def _text(text: str) -> bytes:
    raw = text.encode()
    if len(raw) < 127:
        return bytes((len(raw),)) + raw
    rest, length = len(raw) - 127, bytearray((127,))
    while rest >= 128:
        length.append(rest % 128 + 128)
        rest //= 128
    length.append(rest)
    return bytes(length) + raw
