"""The channel to a server: TLS or not, the token, and how a call is made.

The published service config (`proto/service_config.json`) is for clients in any language. It lets gRPC repeat a call
that found no server, a few times and quickly, and stops that while most calls fail. Trouble that lasts longer, such as a
restart, is the business of `services.client.retry`, which counts seconds and not tries. The two do not multiply for long:
a server that stays away uses up gRPC's allowance, and from then on each try of ours is a single one.
"""

import asyncio
import secrets
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias, TypeVar

import grpc
from liarsdice.v1 import (
    audit_service_pb2_grpc,
    club_service_pb2_grpc,
    game_service_pb2_grpc,
    player_service_pb2_grpc,
    replay_service_pb2_grpc,
    statistics_service_pb2_grpc,
)

from domain.values import Value
from services.client.errors import refused
from services.client.retry import Patience, Retry

SERVICE_CONFIG = Path(__file__).parents[2] / "proto" / "service_config.json"
PATIENCE = Patience()
_MESSAGE_BYTES_MAX = 16 * 1024 * 1024

Request = TypeVar("Request")
Answer = TypeVar("Answer")
Method: TypeAlias = "grpc.aio.UnaryUnaryMultiCallable[Request, Answer]"


class Tls(Value, frozen=True):
    """The authority that the client trusts (by default those of the system), and its own certificate for servers that ask."""

    authority: Path | None = None
    certificate: Path | None = None
    key: Path | None = None


def new_request_id() -> str:
    """A name for one command of one client, never used again."""
    return secrets.token_urlsafe(16)


class Channel:
    """A channel to a server, which connects when it is first used; with a token once there is one."""

    def __init__(
        self, address: str, token: str | None = None, tls: Tls | None = None, patience: Patience = PATIENCE
    ) -> None:
        self.address, self.token, self.patience = address, token, patience
        self._connection = _open(address, tls)
        self.audit = audit_service_pb2_grpc.AuditServiceStub(self._connection)
        self.clubs = club_service_pb2_grpc.ClubServiceStub(self._connection)
        self.games = game_service_pb2_grpc.GameServiceStub(self._connection)
        self.players = player_service_pb2_grpc.PlayerServiceStub(self._connection)
        self.replays = replay_service_pb2_grpc.ReplayServiceStub(self._connection)
        self.statistics = statistics_service_pb2_grpc.StatisticsServiceStub(self._connection)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Hang up."""
        await self._connection.close()

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """The headers of every call."""
        return () if self.token is None else (("authorization", f"Bearer {self.token}"),)

    def retry(self, *, gives_up: bool = True) -> Retry:
        """The tries of a new call or stream on this channel."""
        return Retry(self.patience, self.address, gives_up=gives_up)

    async def ask(self, method: "Method[Request, Answer]", request: Request) -> Answer:
        """The answer to a call, which is made again while it is not answered."""

        async def attempt(seconds_left: float) -> Answer:
            return await self.ask_once(method, request, min(self.patience.try_seconds, seconds_left))

        return await self.retry().call(attempt)

    async def ask_once(
        self, method: "Method[Request, Answer]", request: Request, seconds: float | None = None
    ) -> Answer:
        """The answer to a call that is made a single time."""
        deadline = self.patience.try_seconds if seconds is None else seconds
        try:
            return await method(request, timeout=deadline, metadata=self.metadata)
        except grpc.aio.AioRpcError as error:
            raise refused(error) from None

    async def pages(self, method: "Method[Any, Answer]", request: Any) -> AsyncIterator[Answer]:
        """The pages of a list, each asked for when it is needed."""
        while True:
            page: Any = await self.ask(method, request)
            yield page
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def next_message(self, call: Any) -> Any:
        """The next message of a stream, or EOF; a stream that is silent for too long is dead."""
        # Not `wait_for`, which in Python 3.11 forgets that it was cancelled if a message comes at that very moment.
        async with asyncio.timeout(self.patience.silence_seconds):
            return await call.read()


def _open(address: str, tls: Tls | None) -> grpc.aio.Channel:
    options = (
        ("grpc.service_config", SERVICE_CONFIG.read_text()),
        # Pings, as often as the server allows: so the client notices that the network is gone.
        ("grpc.keepalive_time_ms", 20_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        ("grpc.http2.max_pings_without_data", 0),
        # Otherwise gRPC waits longer and longer, up to two minutes, before it looks for a server that was away.
        ("grpc.initial_reconnect_backoff_ms", 200),
        ("grpc.min_reconnect_backoff_ms", 200),
        ("grpc.max_reconnect_backoff_ms", 2_000),
        # All events of a long game may come at once when it is resumed.
        ("grpc.max_receive_message_length", _MESSAGE_BYTES_MAX),
    )
    if tls is None:
        return grpc.aio.insecure_channel(address, options=options)
    return grpc.aio.secure_channel(address, _credentials(tls), options=options)


def _credentials(tls: Tls) -> grpc.ChannelCredentials:
    authority, key, certificate = (
        None if path is None else path.read_bytes() for path in (tls.authority, tls.key, tls.certificate)
    )
    return grpc.ssl_channel_credentials(authority or _system_authorities(), key, certificate)


def _system_authorities() -> bytes | None:
    """The authorities that the system trusts; None, for the list that comes with gRPC, where the system names none."""
    trusted = ssl.create_default_context().get_ca_certs(binary_form=True)
    return "".join(ssl.DER_cert_to_PEM_cert(certificate) for certificate in trusted).encode() or None
