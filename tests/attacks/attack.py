"""What an attack is: a function that does harm until its time is over, and counts what the server answers."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import httpx
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from domain.values import Value
from tests.rpc.servers import METHODS

CALL_SECONDS_MAX = 30.0
_REFUSED_PAUSE_SECONDS = 0.002


class Target(Value, frozen=True):
    """The server, and what an attacker knows of it."""

    rpc: str
    http: str
    long_game: str
    """The longest ended game that there is; everybody may read it."""
    long_versions: int
    games: tuple[str, ...]
    """Some ended games."""
    tokens: tuple[str, ...]
    """Players that the attacker has registered."""
    live_game: str
    """The game that the victim plays; everybody may watch it."""


class Foe:
    """An attacker at work."""

    def __init__(self, target: Target, seconds: float) -> None:
        self.target, self.until = target, time.monotonic() + seconds
        self.told: Counter[str] = Counter()
        """How often each answer came."""

    @property
    def goes_on(self) -> bool:
        """Whether there is time left."""
        return time.monotonic() < self.until

    async def rest(self) -> None:
        """Do nothing until the time is over."""
        await asyncio.sleep(max(0.0, self.until - time.monotonic()))

    async def hammer(self, at_once: int, work: Callable[[int], Awaitable[str]]) -> None:
        """Do some work again and again, so many times at once, and count what comes of it."""

        async def one(number: int) -> None:
            while self.goes_on:
                answer = await self.outcome(work(number))
                if answer not in ("OK", "200"):
                    await asyncio.sleep(_REFUSED_PAUSE_SECONDS)
                number += at_once

        tasks = [asyncio.create_task(one(number)) for number in range(at_once)]
        await asyncio.wait(tasks, timeout=max(0.0, self.until - time.monotonic()))
        await given_up(tasks)

    async def outcome(self, work: Awaitable[str]) -> str:
        """The answer to some work, counted."""
        try:
            answer = await work
        except grpc.aio.AioRpcError as error:
            answer = error.code().name
        except (grpc.aio.UsageError, httpx.HTTPError, OSError) as error:
            answer = type(error).__name__
        self.told[answer] += 1
        return answer

    @asynccontextmanager
    async def channel(self) -> AsyncIterator["Caller"]:
        """A gRPC connection of its own."""
        options = (("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1))
        async with grpc.aio.insecure_channel(self.target.rpc, options) as channel:
            yield Caller(channel, self.target.tokens)

    @asynccontextmanager
    async def reader(self) -> AsyncIterator[httpx.AsyncClient]:
        """Somebody who reads over HTTP, on as many connections as it takes."""
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(
            base_url=f"http://{self.target.http}", timeout=CALL_SECONDS_MAX, limits=limits
        ) as client:
            yield client


class Caller:
    """A connection, over which any call can be made as any of the attacker's players."""

    def __init__(self, channel: grpc.aio.Channel, tokens: tuple[str, ...]) -> None:
        self.channel, self._tokens = channel, tokens

    def credentials(self, player: int | None) -> tuple[tuple[str, str], ...]:
        """The metadata of a player; none for a stranger."""
        return () if player is None else (("authorization", f"Bearer {self._tokens[player % len(self._tokens)]}"),)

    async def ask(self, method: str, player: int | None = None, **fields: Any) -> Any:
        """The answer to a call with one request and one answer."""
        path, described = METHODS[method]
        call: Any = self.channel.unary_unary(path)
        raw = await call(
            made(method, **fields).SerializeToString(), metadata=self.credentials(player), timeout=CALL_SECONDS_MAX
        )
        return GetMessageClass(described.output_type).FromString(raw)

    async def told(self, method: str, player: int | None = None, **fields: Any) -> str:
        """OK, if the call is answered."""
        await self.ask(method, player, **fields)
        return "OK"

    def stream(self, method: str, player: int | None = None, **fields: Any) -> Any:
        """A call with many answers; with many requests too if the method has them."""
        path, described = METHODS[method]
        if described.client_streaming:
            call: Any = self.channel.stream_stream(path)
            return call(metadata=self.credentials(player))
        call = self.channel.unary_stream(path)
        return call(made(method, **fields).SerializeToString(), metadata=self.credentials(player))


def made(method: str, **fields: Any) -> Message:
    """The request of a call."""
    return GetMessageClass(METHODS[method][1].input_type)(**fields)


async def given_up(tasks: list["asyncio.Task[None]"]) -> None:
    """Cancel tasks and wait for them."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


Attack = Callable[[Foe], Awaitable[None]]
ATTACKS: dict[str, Attack] = {}
"""All attacks by their names, in the order in which they run."""


def attack(work: Attack) -> Attack:
    """Note an attack under the name of its function."""
    ATTACKS[getattr(work, "__name__", "").replace("_", "-")] = work
    return work
