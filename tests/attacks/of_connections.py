"""Attacks below the calls: connections that are slow, half open, many, or full of garbage."""

import asyncio
import random

from tests.attacks.attack import Foe, attack
from tests.attacks.raw import (
    DATA,
    END_STREAM,
    HEADERS,
    PING,
    PREFACE,
    RESET,
    SETTINGS,
    Connection,
    connected,
    frame,
    headers,
    plugged,
)

HALF_OPEN = 1_100
IDLE = 1_500
_HELLO = bytes.fromhex("16030100c8010000c40303")
"""How a client begins that wants TLS."""


@attack
async def half_sent_requests(foe: Foe) -> None:
    """1,100 HTTP requests that never end their headers."""
    async with connected(foe, foe.target.http, HALF_OPEN) as connections:
        for connection in connections:
            await connection.send(b"GET /api/v1/games HTTP/1.1\r\nHost: a\r\n")
        await foe.rest()


async def trickle(foe: Foe, connections: list[Connection], piece: bytes) -> None:
    """Send a little on each connection now and then, so that none looks idle."""
    while foe.goes_on:
        for connection in connections:
            if connection.alive:
                await connection.send(piece)
                connection.drop_answers()
        await asyncio.sleep(0.5)


@attack
async def slow_headers(foe: Foe) -> None:
    """300 HTTP requests whose headers come line by line and never end."""
    async with connected(foe, foe.target.http, 300) as connections:
        for connection in connections:
            await connection.send(b"GET /api/v1/games HTTP/1.1\r\nHost: a\r\n")
        await trickle(foe, connections, b"X-A: a\r\n")


@attack
async def slow_bodies(foe: Foe) -> None:
    """300 HTTP requests with a body of a megabyte that comes byte by byte."""
    async with connected(foe, foe.target.http, 300) as connections:
        for connection in connections:
            await connection.send(b"GET /api/v1/games HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
        await trickle(foe, connections, b"a")


@attack
async def endless_headers(foe: Foe) -> None:
    """20 HTTP requests whose headers come as fast as they are taken and never end."""

    async def one() -> str:
        connection = await plugged(foe, foe.target.http)
        if connection is None:
            return "no connection"
        await connection.send(b"GET / HTTP/1.1\r\nHost: a\r\n")
        while foe.goes_on and connection.alive:
            await connection.send(b"X-A: " + b"a" * 4_000 + b"\r\n")
            connection.drop_answers()
        connection.plug.close()
        return "closed"

    await foe.hammer(20, lambda _: one())


@attack
async def idle_connections_to_http(foe: Foe) -> None:
    """1,500 HTTP connections on which nothing is ever said."""
    async with connected(foe, foe.target.http, IDLE):
        await foe.rest()


@attack
async def idle_connections_to_grpc(foe: Foe) -> None:
    """1,500 gRPC connections, half of which say nothing and half of which only greet."""
    async with connected(foe, foe.target.rpc, IDLE) as connections:
        for connection in connections[::2]:
            await connection.send(PREFACE + frame(SETTINGS, 0, 0))
        await foe.rest()


async def reconnected(foe: Foe, address: str, greeting: bytes) -> None:
    """Connect, say something and go, 16 at once, as fast as it goes."""

    async def one() -> str:
        connection = await plugged(foe, address)
        if connection is None:
            return "no connection"
        await connection.send(greeting)
        connection.plug.close()
        return "closed"

    await foe.hammer(16, lambda _: one())


@attack
async def connections_that_come_and_go(foe: Foe) -> None:
    """HTTP connections that ask for something and go before the answer, as fast as they can."""
    await reconnected(foe, foe.target.http, b"GET /api/v1/games HTTP/1.1\r\nHost: a\r\n\r\n")


@attack
async def greetings_that_come_and_go(foe: Foe) -> None:
    """GRPC connections that greet and go, as fast as they can."""
    await reconnected(foe, foe.target.rpc, PREFACE + frame(SETTINGS, 0, 0))


@attack
async def garbage_for_http(foe: Foe) -> None:
    """Random bytes for the HTTP port, as fast as they are taken."""
    await reconnected(foe, foe.target.http, random.Random(1).randbytes(16_384))


@attack
async def garbage_for_grpc(foe: Foe) -> None:
    """Random bytes for the gRPC port, after a greeting and without one, as fast as they are taken."""
    await reconnected(foe, foe.target.rpc, PREFACE + random.Random(2).randbytes(16_384))


@attack
async def tls_without_tls(foe: Foe) -> None:
    """Clients that begin TLS on both ports, which don't speak it."""
    half = asyncio.create_task(reconnected(foe, foe.target.http, _HELLO + bytes(200)))
    await reconnected(foe, foe.target.rpc, _HELLO + bytes(200))
    await half


async def flooded(foe: Foe, connections: int, frames: bytes) -> None:
    """Send the same frames again and again on some gRPC connections, and drop what comes back."""

    async def one() -> str:
        connection = await plugged(foe, foe.target.rpc)
        if connection is None:
            return "no connection"
        await connection.send(PREFACE + frame(SETTINGS, 0, 0))
        while foe.goes_on and connection.alive:
            await connection.send(frames)
            connection.drop_answers()
            foe.told["rounds"] += 1
        connection.plug.close()
        return "closed"

    await foe.hammer(connections, lambda _: one())


@attack
async def pings(foe: Foe) -> None:
    """Pings of HTTP/2 without end on four connections."""
    await flooded(foe, 4, frame(PING, 0, 0, bytes(8)) * 500)


@attack
async def settings(foe: Foe) -> None:
    """Settings of HTTP/2 without end on four connections: each wants an acknowledgement."""
    await flooded(foe, 4, frame(SETTINGS, 0, 0, bytes.fromhex("000400010000")) * 500)


@attack
async def empty_frames(foe: Foe) -> None:
    """Empty frames of a call that never ends, on four connections."""
    await flooded(foe, 4, headers(1, "Play") + frame(DATA, 0, 1) * 500 + frame(RESET, 0, 1, bytes(4)))


@attack
async def rapid_resets(foe: Foe) -> None:
    """Calls that are begun and reset at once, on four connections, as many as they take."""

    async def one() -> str:
        connection = await plugged(foe, foe.target.rpc)
        if connection is None:
            return "no connection"
        await connection.send(PREFACE + frame(SETTINGS, 0, 0))
        stream = 1
        while foe.goes_on and connection.alive:
            pairs = (
                headers(one, "ListPastGames") + frame(RESET, 0, one, bytes((0, 0, 0, 8)))
                for one in range(stream, stream + 100, 2)
            )
            await connection.send(b"".join(pairs))
            connection.drop_answers()
            stream += 100
            foe.told["reset"] += 50
        connection.plug.close()
        return "closed"

    await foe.hammer(4, lambda _: one())


@attack
async def headers_without_end(foe: Foe) -> None:
    """A call whose headers go on in frame after frame, on four connections."""
    first = frame(HEADERS, END_STREAM, 1, b"\x00\x01a\x01b")
    more = frame(9, 0, 1, b"\x00\x01a\x01b" * 100)
    await flooded(foe, 4, first + more * 100)
