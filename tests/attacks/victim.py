"""The process of the victim: `python -m tests.attacks.victim RPC HTTP`.

Two players of this process play one game after the other over gRPC, with unary calls. One keeps a chain of their own and
rolls by calls; for the other the server rolls. A reader asks for the list of games over HTTP, each time on a new
connection, and a newcomer calls over a new gRPC connection. Every answer is printed as a line of JSON, with the time that
it took. A line on the input asks whether every acknowledged command can be found in the games.

The victim comes from another address than the attacker. gRPC can't choose where it comes from, so its bytes go through a
bridge in this process that can.
"""

import asyncio
import os
import sys
import time
from collections.abc import Awaitable
from itertools import count
from random import Random
from typing import Any, TypeVar

import grpc
import msgspec
from liarsdice.v1 import game_pb2, game_service_pb2

from domain.fairness.chain import Chain, make_chain
from tests.attacks.attack import Caller

Result = TypeVar("Result")
ADDRESS = "127.0.0.2"
ANSWER_SECONDS_MAX = 10.0
MOVE_PAUSE_SECONDS = 0.005
READ_PAUSE_SECONDS = 0.02
VISIT_PAUSE_SECONDS = 0.1
BIDS_MAX = 12


class Sample(msgspec.Struct, frozen=True):
    """One answer that the victim got, or waited for in vain."""

    at: float
    kind: str
    seconds: float
    failure: str = ""


class Found(msgspec.Struct, frozen=True):
    """How many commands were acknowledged since the last question, and how many of them are not in their games."""

    acknowledged: int
    lost: int


class Begun(msgspec.Struct, frozen=True):
    """A game that the victim has begun."""

    game_id: str


def tell(what: Sample | Found | Begun) -> None:
    """Print a line."""
    sys.stdout.write(msgspec.json.encode({"type": type(what).__name__, **msgspec.to_builtins(what)}).decode() + "\n")
    sys.stdout.flush()


async def timed(kind: str, work: Awaitable[Result]) -> Result | None:
    """The result of some work, whose time is told; None if it failed."""
    began, failure, result = time.monotonic(), "", None
    try:
        async with asyncio.timeout(ANSWER_SECONDS_MAX):
            result = await work
    except grpc.aio.AioRpcError as error:
        failure = f"{error.code().name} {error.details()}"
    except OSError as error:  # A time that is up is one of them.
        failure = f"{type(error).__name__} {error}"
    tell(Sample(time.monotonic(), kind, time.monotonic() - began, failure))
    return result


async def bridge(address: str) -> str:
    """The address of a listener whose connections reach the server from the victim's own address."""
    host, _, port = address.rpartition(":")

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while piece := await reader.read(65_536):
                writer.write(piece)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    async def join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there = await asyncio.open_connection(host, int(port), local_addr=(ADDRESS, 0))
        except OSError:
            writer.close()
            return
        await asyncio.gather(pump(reader, there[1]), pump(there[0], writer))

    listener = await asyncio.start_server(join, "127.0.0.1", 0)
    return f"127.0.0.1:{listener.sockets[0].getsockname()[1]}"


class Pair:
    """Two players, and what the server has acknowledged to them."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._numbers = count()
        self._chance = Random(1)
        self._acknowledged: list[tuple[str, int, game_pb2.Bid | None]] = []
        """Of each command its game, the version after it, and the bid if it was one."""

    async def play(self) -> None:
        """Play one game after the other. After a failure that did not pass, begin a new one."""
        while True:
            try:
                await self._play_game()
            except grpc.aio.AioRpcError as error:
                # Setting up a table is not measured, but a victim who can't play has not been left alone.
                tell(Sample(time.monotonic(), "command", ANSWER_SECONDS_MAX, f"{error.code().name} {error.details()}"))
                await asyncio.sleep(0.2)

    async def _ask(self, method: str, player: int, **fields: Any) -> Any:
        return await self._caller.ask(method, player, **fields)

    async def _play_game(self) -> None:
        created = await self._ask(
            "CreateGame",
            0,
            request_id=f"table-{next(self._numbers)}",
            rulebook="single-hand",
            seats_max=2,
            without_seat=True,
        )
        game_id, length = created.game.view.game_id, created.game.chain_length
        chain = make_chain(self._chance.randbytes(32), game_id, length)
        await self._ask("JoinGame", 0, request_id="join-0", game_id=game_id, anchor=chain.anchor)
        await self._ask("JoinGame", 1, request_id="join-1", game_id=game_id)
        await self._ask("StartGame", 0, request_id="start", game_id=game_id)
        tell(Begun(game_id))
        called = time.monotonic()
        while (game := await self._look(game_id)).view.phase != game_pb2.PHASE_ENDED:
            if game.view.phase == game_pb2.PHASE_BIDDING:
                if called:
                    tell(Sample(time.monotonic(), "dice", time.monotonic() - called))
                called = await self._bid_and_doubt(game)
            elif 0 in game.view.waiting and game.view.moves.roll:
                await self._roll(game, chain)
            else:
                await asyncio.sleep(0.01)
                if time.monotonic() - called > ANSWER_SECONDS_MAX:
                    tell(Sample(time.monotonic(), "dice", time.monotonic() - called, "no dice"))
                    called = time.monotonic()

    async def _look(self, game_id: str) -> game_pb2.Game:
        game: game_pb2.Game = (await self._ask("GetGame", 0, game_id=game_id)).game
        return game

    async def _roll(self, game: game_pb2.Game, chain: Chain) -> None:
        link = chain.link(game.link_number)
        await self._command("Roll", 0, game.view.game_id, None, link=link)

    async def _bid_and_doubt(self, game: game_pb2.Game) -> float:
        """Bid in turn, and doubt; returns the time after which new dice are waited for."""
        game_id, seat = game.view.game_id, game.view.waiting[0]
        lowest = game.view.moves.lowest_bids
        quantity = lowest[0].quantity if lowest else 1
        bids = [(quantity + index // 5, 2 + index % 5) for index in range(len(game.view.bids), BIDS_MAX)]
        for amount, face in bids if not game.view.bids else []:
            await asyncio.sleep(MOVE_PAUSE_SECONDS)
            bid = game_pb2.Bid(quantity=amount, face=face)
            if not await self._command("PlaceBid", seat, game_id, bid, quantity=amount, face=face):
                return time.monotonic()
            seat = 1 - seat
        await self._command("Challenge", seat, game_id, None)
        return time.monotonic()

    async def _command(self, method: str, player: int, game_id: str, bid: game_pb2.Bid | None, **fields: Any) -> bool:
        """Send a command until it is answered, as any client does, and note what was acknowledged."""
        request_id = f"{method}-{next(self._numbers)}"
        answer = await timed("command", self._ask(method, player, game_id=game_id, request_id=request_id, **fields))
        if answer is not None:
            self._acknowledged.append((game_id, answer.result.version, bid))
        return answer is not None

    async def check(self) -> Found:
        """Look for everything that was acknowledged since the last time."""
        asked = list(self._acknowledged)
        stored = {game_id: await self._stored(game_id) for game_id in {game_id for game_id, _, _ in asked}}
        del self._acknowledged[: len(asked)]
        lost = sum(not _is_there(stored[game_id], version, bid) for game_id, version, bid in asked)
        return Found(len(asked), lost)

    async def _stored(self, game_id: str) -> dict[int, Any]:
        """The events of a game by their versions, up to where it stands."""
        last = (await self._look(game_id)).version
        stream = self._caller.stream("WatchGame", 0, game_id=game_id, after_version=0)
        found: dict[int, Any] = {}
        while last not in found:
            raw = await stream.read()
            if raw is grpc.aio.EOF:
                break
            update = game_service_pb2.WatchGameResponse.FromString(raw).update
            found |= {event.version: event for event in update.events}
        stream.cancel()
        return found


def _is_there(events: dict[int, Any], version: int, bid: game_pb2.Bid | None) -> bool:
    event = events.get(version)
    if event is None:
        return False
    return bid is None or (event.bid_placed.quantity, event.bid_placed.face) == (bid.quantity, bid.face)


async def read(http: str) -> None:
    """Read the list of games, each time as somebody new."""
    while True:
        await timed("read", _read(http))
        await asyncio.sleep(READ_PAUSE_SECONDS)


async def _read(http: str) -> None:
    """Send a request by hand: a client for each of them would cost this process more than the server."""
    host, _, port = http.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port), local_addr=(ADDRESS, 0))
    try:
        writer.write(f"GET /api/v1/games HTTP/1.1\r\nhost: {http}\r\nconnection: close\r\n\r\n".encode())
        answer = await reader.read(-1)
    finally:
        writer.close()
    if not answer.startswith(b"HTTP/1.1 200 "):
        raise OSError(answer[:40].decode(errors="replace"))


async def visit(rpc: str) -> None:
    """Call over a connection that was not there before."""
    options = (("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0))
    while True:
        async with grpc.aio.insecure_channel(rpc, options) as channel:
            await timed("visit", Caller(channel, ()).ask("ListRulebooks"))
        await asyncio.sleep(VISIT_PAUSE_SECONDS)


async def checked(pair: Pair) -> Found:
    """What of the acknowledged commands is lost; asked again if the server can't answer yet."""
    while True:
        try:
            return await pair.check()
        except grpc.aio.AioRpcError as error:
            tell(Sample(time.monotonic(), "check", 0.0, f"{error.code().name} {error.details()}"))
            await asyncio.sleep(0.5)


async def main(rpc: str, http: str) -> None:
    """Play, read and visit until the input is closed."""
    near = await bridge(rpc)
    async with grpc.aio.insecure_channel(near) as channel:
        nobody = Caller(channel, ())
        tokens = [(await nobody.ask("Register", name=f"Victim {number}")).token for number in range(2)]
        pair = Pair(Caller(channel, tuple(tokens)))
        tasks = [asyncio.create_task(work) for work in (pair.play(), read(http), visit(near))]
        questions = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(questions), sys.stdin)
        while await questions.readline():
            tell(await checked(pair))
        assert not any(task.done() for task in tasks), "all of them go on until somebody ends them"
        # Nothing has to be closed in order: a victim simply goes.
        os._exit(0)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
