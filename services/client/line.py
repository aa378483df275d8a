"""The line to a server: every call gets the token and a deadline, and is made again while that can help."""

import asyncio
import random
import secrets
from itertools import count
from typing import Any, TypeAlias, TypeVar

import grpc
from liarsdice.v1 import (
    game_service_pb2_grpc,
    player_service_pb2_grpc,
    replay_service_pb2_grpc,
    statistics_service_pb2_grpc,
)

from domain.values import Value
from services.client.channel import Tls, open_channel
from services.client.failures import Refused, Unreachable, refused

Request = TypeVar("Request")
Answer = TypeVar("Answer")
Method: TypeAlias = "grpc.aio.UnaryUnaryMultiCallable[Request, Answer]"


class Patience(Value, frozen=True, kw_only=True):
    """How long a client tries."""

    try_seconds: float = 5.0
    """The deadline of a single try."""
    total_seconds: float = 30.0
    """How long a call is tried again before the client gives up."""
    pause_seconds_min: float = 0.1
    pause_seconds_max: float = 2.0
    silence_seconds: float = 45.0
    """How long a stream may be silent before it is taken for dead; the server sends heartbeats more often than that."""

    def pause(self, tries: int) -> float:
        """How long to wait after some tries: longer each time, and never the same for all clients of a server."""
        longest = min(self.pause_seconds_max, self.pause_seconds_min * 2.0 ** min(tries, 16))
        return longest * random.uniform(0.5, 1.0)  # noqa: S311 - clients must differ, not be secret


def new_request_id() -> str:
    """A name for one command of one client, never used again."""
    return secrets.token_urlsafe(16)


class Line:
    """A channel to a server, with a token once there is one."""

    def __init__(self, address: str, token: str | None, tls: Tls | None, patience: Patience) -> None:
        self.address, self.token, self.patience = address, token, patience
        self.channel = open_channel(address, tls)
        self.games = game_service_pb2_grpc.GameServiceStub(self.channel)
        self.players = player_service_pb2_grpc.PlayerServiceStub(self.channel)
        self.replays = replay_service_pb2_grpc.ReplayServiceStub(self.channel)
        self.statistics = statistics_service_pb2_grpc.StatisticsServiceStub(self.channel)

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What every call brings along."""
        return () if self.token is None else (("authorization", f"Bearer {self.token}"),)

    async def ask(self, method: "Method[Request, Answer]", request: Request) -> Answer:
        """Make a call, again with the same request while it is not answered; its request id keeps it from being done twice."""
        clock = asyncio.get_running_loop().time
        until = clock() + self.patience.total_seconds
        for tries in count():
            try:
                return await self.ask_once(method, request, min(self.patience.try_seconds, until - clock()))
            except Refused as failure:
                if not failure.passing:
                    raise
                pause = max(self.patience.pause(tries), failure.retry_seconds or 0.0)
                if clock() + pause < until:
                    await asyncio.sleep(pause)
                    continue
                if not failure.unanswered:
                    raise
                raise Unreachable(self.address, failure) from None
        raise AssertionError("the counting has no end")

    async def heard(self, call: Any) -> Any:
        """The next message of a stream that lives."""
        # Not `wait_for`, which in Python 3.11 forgets that it was cancelled if a message comes at that very moment.
        async with asyncio.timeout(self.patience.silence_seconds):
            return await call.read()

    async def ask_once(self, method: "Method[Request, Answer]", request: Request, seconds: float) -> Answer:
        """Make a call a single time."""
        try:
            return await method(request, timeout=seconds, metadata=self.metadata)
        except grpc.aio.AioRpcError as error:
            raise refused(error) from None
