"""`python -m tests.benchmarks.rpc`: what playing over gRPC costs, against a bare grpc.aio server with as many bytes.

The real server runs in a process of its own, on its embedded Postgres with fsync on; the bare one in another; the client
is this process, and sends both the same metadata. The two take turns, so that what disturbs the machine for a while
disturbs both, and only the ratios of one run count. The CPU seconds of the server's own process for 1,000 commands are
printed too: the clock on the wall does not touch them.
"""

import asyncio
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import grpc
from liarsdice.v1 import game_service_pb2 as wire
from liarsdice.v1 import game_service_pb2_grpc as stubs
from liarsdice.v1 import player_service_pb2, player_service_pb2_grpc
from rich.console import Console
from rich.table import Table

AT_ONCE = 64
SECONDS = 1.5
TURNS = 5
WATCHERS = 1_000
WATCHERS_PER_CHANNEL = 100
FANOUT_UPDATES = 10
IDLE_GAMES = 1_000
FACES = 6
UNLIMITED = [
    f"--{limit}=0" for limit in ("player-rate", "address-rate", "tables-max", "table-rate", "bot-games-max", "bot-rate")
]


class Player(NamedTuple):
    """A player who calls the server."""

    metadata: tuple[tuple[str, str], ...]


class Seats:
    """A table with two players who raise each other for ever."""

    def __init__(self, game_id: str, players: tuple[Player, Player], first: int) -> None:
        self.game_id, self.players, self.turn = game_id, players, first
        self.bids = 0

    def next_bid(self) -> tuple[Player, wire.PlaceBidRequest]:
        """The next raise: the same quantity of the next face, or one more of the lowest."""
        self.bids += 1
        quantity, face = divmod(self.bids + FACES, FACES - 1)
        player = self.players[self.turn]
        self.turn = 1 - self.turn
        return player, wire.PlaceBidRequest(
            request_id=f"bid-{self.bids}", game_id=self.game_id, quantity=quantity, face=face + 2
        )


class Server:
    """The real server, as a client sees it."""

    def __init__(self, address: str, process: int) -> None:
        self.address, self.process = address, process
        self.channel = grpc.aio.insecure_channel(address)
        self.games = stubs.GameServiceStub(self.channel)
        self.players = player_service_pb2_grpc.PlayerServiceStub(self.channel)

    async def player(self, name: str) -> Player:
        """A new player."""
        answer = await self.players.Register(player_service_pb2.RegisterRequest(name=name))
        return Player((("authorization", f"Bearer {answer.token}"),))

    async def seats(self, number: int, players: tuple[Player, Player]) -> Seats:
        """A table at which the bidding is open."""
        one, other = players
        created = await self.games.CreateGame(
            wire.CreateGameRequest(request_id=f"table-{number}", rulebook="single-hand", seats_max=2),
            metadata=one.metadata,
        )
        game_id = created.game.view.game_id
        await self.games.JoinGame(wire.JoinGameRequest(request_id="join", game_id=game_id), metadata=other.metadata)
        await self.games.StartGame(wire.StartGameRequest(request_id="start", game_id=game_id), metadata=one.metadata)
        while True:
            view = (await self.games.GetGame(wire.GetGameRequest(game_id=game_id), metadata=one.metadata)).game.view
            if view.phase == 4:
                return Seats(game_id, players, view.waiting[0])
            await asyncio.sleep(0.01)

    def resident_kib(self) -> int:
        """The memory of the server's process."""
        status = Path(f"/proc/{self.process}/status").read_text(encoding="ascii")
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1])


class Bare:
    """The bare server."""

    def __init__(self, address: str, process: int) -> None:
        self.address, self.process = address, process
        self.channel = grpc.aio.insecure_channel(address)
        self.echo: Any = self.channel.unary_unary("/bare.Bare/Echo")
        self.push: Any = self.channel.unary_unary("/bare.Bare/Push")


def cpu_seconds_of(process: int) -> float:
    """The CPU time that a process has used, in user and in kernel mode, in all of its threads."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def told(request: bytes, answer: int) -> bytes:
    """A request with the same length that asks for an answer with this length."""
    return answer.to_bytes(4, "big") + request[4:]


@asynccontextmanager
async def running(*command: str, pattern: str) -> AsyncIterator[tuple[str, subprocess.Popen[str]]]:
    """A server process, and the address that it prints."""
    process = subprocess.Popen(  # noqa: ASYNC220 - nothing else is to be done while it starts
        [sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        while not (found := re.search(pattern, await asyncio.to_thread(process.stdout.readline))):
            assert process.poll() is None, "the server did not start"
        yield found[1], process
    finally:
        process.terminate()
        await asyncio.to_thread(process.wait)


class Done(NamedTuple):
    """How much work was done in a while."""

    rate: float
    """How often in a second."""
    cpu: float
    """The CPU seconds of the serving process for 1,000 times."""


async def rate_of(workers: int, process: int, work: Callable[[int], Awaitable[object]]) -> Done:
    """What a process does for so many workers who ask it again and again."""
    count = 0
    until = time.perf_counter() + SECONDS

    async def worker(number: int) -> None:
        nonlocal count
        while time.perf_counter() < until:
            await work(number)
            count += 1

    used, began = cpu_seconds_of(process), time.perf_counter()
    await asyncio.gather(*(worker(number) for number in range(workers)))
    seconds = time.perf_counter() - began
    return Done(count / seconds, (cpu_seconds_of(process) - used) / count * 1_000)


async def sizes_of(server: Server, seats: Seats) -> tuple[bytes, int]:
    """A typical command, and how many bytes its answer has."""
    player, request = seats.next_bid()
    answer = await server.games.PlaceBid(request, metadata=player.metadata)
    return request.SerializeToString(), len(answer.SerializeToString())


async def unary(server: Server, bare: Bare, tables: list[Seats]) -> tuple[list[Done], list[Done]]:
    """Durable unary commands and unary echoes, taking turns."""
    request, answer = await sizes_of(server, tables[0])
    echoed = told(request, answer)

    async def command(number: int) -> None:
        player, bid = tables[number].next_bid()
        await server.games.PlaceBid(bid, metadata=player.metadata)

    ours, theirs = [], []
    for _ in range(TURNS):
        metadata = tables[0].players[0].metadata
        theirs.append(await rate_of(AT_ONCE, bare.process, lambda _: bare.echo(echoed, metadata=metadata)))  # noqa: B023
        ours.append(await rate_of(AT_ONCE, server.process, command))
    return ours, theirs


def _each(message: Any) -> Any:
    """What a message holds: itself, or the answers of a batch."""
    is_batch = isinstance(message, wire.PlayResponse) and message.HasField("batch")
    return message.batch.responses if is_batch else (message,)


class Stream:
    """Requests and answers over one bidirectional call: answers find their requests by an id, or come in order."""

    def __init__(self, call: Any, id_of: Callable[[Any], str] | None) -> None:
        self._call, self._id_of = call, id_of
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._pen = asyncio.Lock()
        self._reading = asyncio.create_task(self._read())

    async def tell(self, request: Any) -> None:
        async with self._pen:
            await self._call.write(request)

    async def ask(self, key: str, request: Any) -> Any:
        async with self._pen:  # One message at a time may be on its way out.
            answer = self._waiting[key] = asyncio.get_running_loop().create_future()
            await self._call.write(request)
        return await answer

    async def _read(self) -> None:
        async for message in self._call:
            for answer in _each(message):
                key = next(iter(self._waiting)) if self._id_of is None else self._id_of(answer)
                self._waiting.pop(key).set_result(answer)

    async def close(self) -> None:
        await self._call.done_writing()
        self._reading.cancel()
        self._call.cancel()


async def streams(server: Server, bare: Bare, tables: list[Seats]) -> tuple[list[Done], list[Done]]:
    """Durable commands over Play and echoes over a bidirectional stream, two streams each, taking turns."""
    request, answer = await sizes_of(server, tables[0])
    echoed, keys = told(request, answer + 12), iter(range(10**9))
    ours, theirs = [], []
    for turn in range(TURNS):
        calls = [Stream(bare.channel.stream_stream("/bare.Bare/EchoStream")(), None) for _ in range(2)]

        async def echo(number: int, calls: list[Stream] = calls) -> None:
            await calls[number % 2].ask(str(next(keys)), echoed)

        theirs.append(await rate_of(AT_ONCE, bare.process, echo))
        for call in calls:
            await call.close()
        by_player = {
            player: Stream(server.games.Play(metadata=player.metadata), lambda told: told.result.request_id)
            for player in tables[0].players
        }
        for stream in by_player.values():
            await stream.tell(wire.PlayRequest(options=wire.PlayOptions(batches=True)))

        async def command(number: int, turn: int = turn, by_player: dict[Player, Stream] = by_player) -> None:
            player, bid = tables[number].next_bid()
            bid.request_id = f"{turn}-{number}-{tables[number].bids}"
            told_back = await by_player[player].ask(bid.request_id, wire.PlayRequest(place_bid=bid))
            assert told_back.WhichOneof("response") == "result", told_back

        ours.append(await rate_of(AT_ONCE, server.process, command))
        for call in by_player.values():
            await call.close()
    return ours, theirs


async def watching(server: Server, bare: Bare, seats: Seats) -> tuple[float, float, float]:
    """How long after a command is sent a watcher has its event; and the p50 of a lone echo and of a lone command."""
    request, answer = await sizes_of(server, seats)
    echoed = told(request, answer)
    call = server.games.WatchGame(wire.WatchGameRequest(game_id=seats.game_id), metadata=seats.players[0].metadata)
    updates = call.__aiter__()
    await anext(updates)
    seen, commanded, echoes = [], [], []
    for _ in range(400):
        began = time.perf_counter()
        await bare.echo(echoed, metadata=seats.players[0].metadata)
        echoes.append(time.perf_counter() - began)
        player, bid = seats.next_bid()
        began = time.perf_counter()
        answered = asyncio.ensure_future(server.games.PlaceBid(bid, metadata=player.metadata))
        while (await anext(updates)).WhichOneof("content") != "update":
            pass
        seen.append(time.perf_counter() - began)
        await answered
        commanded.append(time.perf_counter() - began)
    call.cancel()
    return statistics.median(seen), statistics.median(echoes), statistics.median(commanded)


async def fanned_out(calls: list[Any], push: Callable[[], Awaitable[object]], updates: int) -> float:
    """How many messages a second reach all watchers together."""
    readers = [call.__aiter__() for call in calls]

    async def read(reader: Any) -> None:
        for _ in range(updates):
            await anext(reader)

    began = time.perf_counter()
    reading = asyncio.gather(*(read(reader) for reader in readers))
    for _ in range(updates):
        await push()
    await reading
    return updates * len(calls) / (time.perf_counter() - began)


async def fan_out(server: Server, bare: Bare, seats: Seats) -> tuple[list[float], list[float], float]:
    """One game to many watchers against a bare fan-out, and the memory of an idle watcher in KiB."""
    request, answer = await sizes_of(server, seats)
    watcher = await server.player("watcher")
    before = server.resident_kib()
    ours_calls, channels = [], []
    for number in range(WATCHERS):
        if number % WATCHERS_PER_CHANNEL == 0:
            channels.append(grpc.aio.insecure_channel(server.address, options=[("grpc.use_local_subchannel_pool", 1)]))
        games = stubs.GameServiceStub(channels[-1])
        call = games.WatchGame(wire.WatchGameRequest(game_id=seats.game_id), metadata=watcher.metadata)
        await anext(call.__aiter__())
        ours_calls.append(call)
    grown = (server.resident_kib() - before) / WATCHERS
    bare_calls: list[Any] = []
    for number in range(WATCHERS):
        if number % WATCHERS_PER_CHANNEL == 0:
            channels.append(grpc.aio.insecure_channel(bare.address, options=[("grpc.use_local_subchannel_pool", 1)]))
        watch: Any = channels[-1].unary_stream("/bare.Bare/Watch")
        bare_calls.append(watch(b""))
        await bare_calls[-1].initial_metadata()

    async def bid() -> None:
        player, request = seats.next_bid()
        await server.games.PlaceBid(request, metadata=player.metadata)

    ours, theirs = [], []
    for _ in range(3):
        theirs.append(await fanned_out(bare_calls, lambda: bare.push(told(request, answer + 30)), FANOUT_UPDATES))
        ours.append(await fanned_out(ours_calls, bid, FANOUT_UPDATES))
    for channel in channels:
        await channel.close()
    return ours, theirs, grown


async def idle_games(server: Server, players: tuple[Player, Player]) -> float:
    """The memory of an idle live game in KiB."""
    for number in range(100):  # What the first games cost is not what a further one costs.
        await server.seats(10_000 + number, players)
    before = server.resident_kib()
    for number in range(IDLE_GAMES):
        await server.seats(20_000 + number, players)
    return (server.resident_kib() - before) / IDLE_GAMES


def ratio(ours: list[float], theirs: list[float]) -> float:
    return statistics.median(one / other for one, other in zip(ours, theirs, strict=True))


async def measure(server: Server, bare: Bare) -> list[str]:
    console = Console(highlight=False, width=110)
    players = (await server.player("Ann"), await server.player("Bob"))
    tables = [await server.seats(number, players) for number in range(AT_ONCE)]
    table = Table("what", "ours", "bare", "ratio", "aim")
    missed = []

    def row(what: str, ours: str, bare: str, value: float, aim: float, *, at_most: bool = False) -> None:
        table.add_row(what, ours, bare, f"{value:.2f}", f"{'<=' if at_most else '>='} {aim}")
        if value > aim if at_most else value < aim:
            missed.append(f"{what}: {value:.2f}, aim {aim}")

    game_kib = await idle_games(server, players)
    for what, measured, aim in (("durable unary commands", unary, 0.6), ("durable commands over Play", streams, 0.5)):
        done, echoed = await measured(server, bare, tables)
        ours, theirs = [one.rate for one in done], [one.rate for one in echoed]
        row(f"{what}/s", _per_second(ours), _per_second(theirs), ratio(ours, theirs), aim)
        cpu, of_echo = (statistics.median(one.cpu for one in side) for side in (done, echoed))
        table.add_row(f"CPU seconds for 1,000 {what}", f"{cpu:.3f}", f"{of_echo:.3f}", f"{cpu / of_echo:.2f}", "")
    seen, echo, commanded = await watching(server, bare, tables[1])
    row("event at a watcher, p50 ms", f"{seen * 1e3:.2f}", f"{echo * 1e3:.2f}", seen / echo, 3, at_most=True)
    table.add_row("a lone durable command, p50 ms", f"{commanded * 1e3:.2f}", f"{echo * 1e3:.2f}", "", "")
    ours, theirs, watcher_kib = await fan_out(server, bare, tables[2])
    row(f"fan-out to {WATCHERS} watchers, messages/s", _per_second(ours), _per_second(theirs), ratio(ours, theirs), 0.5)
    row("KiB per idle watcher", f"{watcher_kib:.1f}", "", watcher_kib, 60, at_most=True)
    row("KiB per idle live game", f"{game_kib:.1f}", "", game_kib, 20, at_most=True)
    console.print(table)
    return missed


def _per_second(rates: list[float]) -> str:
    return f"{statistics.median(rates):,.0f}"


async def run() -> list[str]:
    with tempfile.TemporaryDirectory(prefix="liarsdice-bench-", ignore_cleanup_errors=True) as folder:
        serve = ("-m", "services.cli", "serve", "--data", folder, "--listen", "127.0.0.1:0", "--no-http")
        async with (
            running("-m", "tests.benchmarks.bare_server", pattern=r"(\S+:\d+)") as (bare_address, bare_process),
            running(*serve, *UNLIMITED, pattern=r"on (\S+:\d+)") as (address, process),
        ):
            server, bare = Server(address, process.pid), Bare(bare_address, bare_process.pid)
            try:
                return await measure(server, bare)
            finally:
                await server.channel.close()
                await bare.channel.close()


def main() -> int:
    """Measure and print the results; the exit code says whether an aim was missed."""
    missed = asyncio.run(run())
    for sentence in missed:
        sys.stdout.write(f"missed: {sentence}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
