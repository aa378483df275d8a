"""`python -m tests.benchmarks.connect`: what playing over Connect costs, beside gRPC, at the same server in one run.

The protocols take turns, so that what disturbs the machine for a while disturbs all of them, and only ratios count. The
CPU seconds are those of the server's process; the clients are this process. Two aims: a durable command over Connect
costs the server at most 1.5 times as much as over gRPC, and an event reaches a watcher within 1.5 times the time.
"""

import asyncio
import json
import statistics
import struct
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from typing import Any

from google.protobuf.json_format import MessageToJson
from liarsdice.v1 import game_service_pb2 as wire
from rich.console import Console
from rich.table import Table

from tests.benchmarks.rpc import AT_ONCE, TURNS, UNLIMITED, Done, Player, Seats, Server, rate_of, running

RATIO_MAX = 1.5
EVENTS = 300
PLACE_BID = "/liarsdice.v1.GameService/PlaceBid"
WATCH = "/liarsdice.v1.GameService/WatchGame"
_END = b"\r\n\r\n"


class Connection:
    """A connection of HTTP/1.1 that is kept open; as little of a client as there can be."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def to(cls, address: str) -> "Connection":
        """A new connection."""
        host, _, port = address.rpartition(":")
        return cls(*await asyncio.open_connection(host, int(port)))

    async def post(self, path: str, player: Player, kind: str, body: bytes) -> bytes:
        """The answer to a call."""
        self.send(path, player, kind, body)
        head = await self.reader.readuntil(_END)
        assert head.startswith(b"HTTP/1.1 200"), head
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        return await self.reader.readexactly(length)

    def send(self, path: str, player: Player, kind: str, body: bytes) -> None:
        """Send a request."""
        (_, token) = player.metadata[0]
        head = (
            f"POST {path} HTTP/1.1\r\nhost: a\r\ncontent-type: {kind}\r\nauthorization: {token}\r\n"
            f"connect-protocol-version: 1\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        self.writer.write(head.encode() + body)


async def commands(server: Server, http: str, tables: list[Seats]) -> dict[str, list[Done]]:
    """Durable unary commands over each protocol, taking turns."""
    connections = [await Connection.to(http) for _ in range(AT_ONCE)]

    def over_connect(kind: str, packed: Callable[[Any], bytes]) -> Callable[[int], Awaitable[object]]:
        async def command(number: int) -> None:
            player, bid = tables[number].next_bid()
            await connections[number].post(PLACE_BID, player, kind, packed(bid))

        return command

    async def over_grpc(number: int) -> None:
        player, bid = tables[number].next_bid()
        await server.games.PlaceBid(bid, metadata=player.metadata)

    ways = {
        "gRPC": over_grpc,
        "Connect, JSON": over_connect("application/json", lambda bid: MessageToJson(bid, indent=None).encode()),
        "Connect, protobuf": over_connect("application/proto", lambda bid: bid.SerializeToString()),
    }
    found: dict[str, list[Done]] = {name: [] for name in ways}
    for _ in range(TURNS):
        for name, way in ways.items():
            found[name].append(await rate_of(AT_ONCE, server.process, way))
    for connection in connections:
        connection.writer.close()
    return found


async def watching(server: Server, http: str, seats: Seats) -> dict[str, float]:
    """How long after a command is sent a watcher over each protocol has its event, at the median."""
    player = seats.players[0]
    call = server.games.WatchGame(wire.WatchGameRequest(game_id=seats.game_id), metadata=player.metadata)
    updates = call.__aiter__()
    await anext(updates)
    stream = await Connection.to(http)
    asked = json.dumps({"gameId": seats.game_id}).encode()
    stream.send(WATCH, player, "application/connect+json", struct.pack("!BI", 0, len(asked)) + asked)
    await stream.reader.readuntil(_END)
    await _message(stream.reader)

    async def over_grpc() -> float:
        while (await anext(updates)).WhichOneof("content") != "update":
            pass
        return time.perf_counter()

    async def over_connect() -> float:
        while b'"update"' not in await _message(stream.reader):
            pass
        return time.perf_counter()

    times: dict[str, list[float]] = {"gRPC": [], "Connect, JSON": []}
    for number in range(EVENTS):
        bidder, bid = seats.next_bid()
        began = time.perf_counter()
        # Both are there for every event; which of them is asked first alternates.
        ways = {"gRPC": over_grpc, "Connect, JSON": over_connect}
        names = list(ways) if number % 2 else list(reversed(ways))
        seen = {name: asyncio.create_task(ways[name]()) for name in names}
        await server.games.PlaceBid(bid, metadata=bidder.metadata)
        for name in names:
            times[name].append(await seen[name] - began)
    call.cancel()
    stream.writer.close()
    return {name: statistics.median(values) for name, values in times.items()}


async def _message(reader: asyncio.StreamReader) -> bytes:
    """The content of the next envelope; the server sends each as a chunk of its own."""
    while True:
        length = int((await reader.readline()).strip(), 16)
        chunk = await reader.readexactly(length)
        await reader.readexactly(2)
        if chunk:
            return chunk[5:]


async def run() -> list[str]:
    """Measure and print; returns what was missed."""
    missed: list[str] = []
    with tempfile.TemporaryDirectory(prefix="liarsdice-bench-", ignore_cleanup_errors=True) as folder:
        serve = ("-m", "services.cli", "serve", "--data", folder, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0")
        async with running(*serve, *UNLIMITED, pattern=r"on (\S+:\d+)") as (address, process):
            assert process.stdout is not None
            http = (await asyncio.to_thread(process.stdout.readline)).split()[-1].removeprefix("http://")
            server = Server(address, process.pid)
            players = (await server.player("Ann"), await server.player("Bob"))
            tables = [await server.seats(number, players) for number in range(AT_ONCE)]
            done = await commands(server, http, tables)
            seen = await watching(server, http, tables[0])
            await server.channel.close()
    table = Table("what", "measured", "of gRPC's", "aim")
    for name, results in done.items():
        cpu = statistics.median(one.cpu for one in results)
        ratios = [one.cpu / other.cpu for one, other in zip(results, done["gRPC"], strict=True)]
        _row(table, missed, f"CPU seconds for 1,000 durable commands, {name}", f"{cpu:.3f}", statistics.median(ratios))
    for name, seconds in seen.items():
        what = f"event at a watcher, p50 ms, {name}"
        _row(table, missed, what, f"{seconds * 1e3:.2f}", seconds / seen["gRPC"])
    Console(highlight=False, width=110).print(table)
    return missed


def _row(table: Table, missed: list[str], what: str, measured: str, ratio: float) -> None:
    table.add_row(what, measured, f"{ratio:.2f}", f"<= {RATIO_MAX}")
    if ratio > RATIO_MAX:
        missed.append(f"{what}: {ratio:.2f}, aim {RATIO_MAX}")


def main() -> int:
    """Measure and print the results; the exit code says whether an aim was missed."""
    missed = asyncio.run(run())
    for sentence in missed:
        sys.stdout.write(f"missed: {sentence}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
