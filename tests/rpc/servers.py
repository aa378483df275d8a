"""A real server on a real database, and players who call it over real channels.

A player keeps the bytes of everything that the server ever said to it, so that a test can look for what must not be there.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from typing import Any, NamedTuple, Self, TypeVar, cast

import grpc
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from liarsdice.v1 import (
    audit_service_pb2,
    club_service_pb2,
    game_service_pb2,
    player_service_pb2,
    replay_service_pb2,
    statistics_service_pb2,
)
from msgspec.structs import replace

from services.access.identity import TrustedIssuer
from services.app.settings import Settings
from services.app.wiring import Serving
from tests.infra.postgres.databases import new_database
from tests.servers import SECONDS_MAX, SETTINGS, run, served

Result = TypeVar("Result")
METHODS = {
    method.name: (f"/{service.full_name}/{method.name}", method)
    for module in (
        game_service_pb2,
        player_service_pb2,
        audit_service_pb2,
        replay_service_pb2,
        statistics_service_pb2,
        club_service_pb2,
    )
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}
_REQUEST_IDS = count()


class Told(Exception):  # noqa: N818 - what the server told
    """A failed call, with its status and its details."""

    def __init__(self, error: grpc.aio.AioRpcError) -> None:
        trailing = dict(error.trailing_metadata())
        self.code, self.message = error.code(), error.details() or ""
        self.raw = bytes(trailing.get("grpc-status-details-bin", b""))
        self.status = Status.FromString(self.raw)
        info = self._detail(ErrorInfo)
        self.reason, self.metadata = str(info.reason), dict(info.metadata)
        super().__init__(f"{self.code.name} {self.reason}: {self.message}")

    @property
    def fields(self) -> list[str]:
        """The fields that are wrong."""
        return [str(violation.field) for violation in self._detail(BadRequest).field_violations]

    @property
    def field(self) -> str:
        """The one field that is wrong."""
        (field,) = self.fields
        return field

    @property
    def retry_seconds(self) -> float:
        """When to try again."""
        delay = self._detail(RetryInfo).retry_delay
        return float(delay.seconds + delay.nanos / 1e9)

    def _detail(self, kind: Any) -> Any:
        detail = kind()
        for packed in self.status.details:
            if packed.Is(kind.DESCRIPTOR):
                packed.Unpack(detail)
        return detail


def _is_field(message: Any, path: str) -> bool:
    """Whether a message has a field, or a choice between fields, at a path."""
    *parts, last = path.split(".")
    for part in parts:
        field = message.fields_by_name.get(part)
        message = None if field is None else field.message_type
        if message is None:
            return False
    return last in message.fields_by_name or last in message.oneofs_by_name


class Heard(NamedTuple):
    """Bytes from the server, and the message in them; only bytes if they are the details of an error."""

    raw: bytes
    message: Any


class Stream:
    """A call on which many answers come."""

    def __init__(self, player: "Player", method: str, call: Any) -> None:
        self._player, self._method, self.call = player, method, call

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            raw = await self.call.read()
        except grpc.aio.AioRpcError as error:
            raise self._player.told(self._method, error) from None
        if raw is grpc.aio.EOF:
            code = await self.call.code()
            if code is grpc.StatusCode.OK:
                raise StopAsyncIteration
            details, trailing = await self.call.details(), await self.call.trailing_metadata()
            ended = grpc.aio.AioRpcError(code, grpc.aio.Metadata(), trailing, details)
            raise self._player.told(self._method, ended)
        return self._player.heard_of(self._method, raw)

    async def next(self, kind: str) -> Any:
        """The next answer of a kind."""
        async for answer in self:
            (oneof,) = answer.DESCRIPTOR.oneofs
            if answer.WhichOneof(oneof.name) == kind:
                return getattr(answer, kind)
        raise AssertionError(f"the stream ended without a {kind}")

    async def send(self, **request: Any) -> None:
        """Ask for something, on a call that takes more than one request."""
        kind = GetMessageClass(METHODS[self._method][1].input_type)
        try:
            await self.call.write(kind(**request).SerializeToString())
        except grpc.aio.AioRpcError as error:  # It may have ended before anything was asked, as with a false token.
            raise self._player.told(self._method, error) from None


class Player:
    """Someone who calls a server."""

    def __init__(self, channel: grpc.aio.Channel, token: str = "", player_id: str = "") -> None:
        self.channel, self.token, self.player_id = channel, token, player_id
        self.heard: list[Heard] = []

    @property
    def credentials(self) -> tuple[tuple[str, str], ...]:
        """The metadata by which the server knows this player."""
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()

    async def ask(self, method: str, **fields: Any) -> Any:
        """The answer to a call; a request id is made up where one is needed and none is given."""
        return await self.send(method, request(method, **fields).SerializeToString())

    async def send(self, method: str, raw: bytes) -> Any:
        """The answer to a call with these bytes."""
        call: Any = self.channel.unary_unary(METHODS[method][0])
        try:
            answer = await call(raw, metadata=self.credentials, timeout=SECONDS_MAX)
        except grpc.aio.AioRpcError as error:
            raise self.told(method, error) from None
        return self.heard_of(method, answer)

    def watch(self, game_id: str, **fields: Any) -> Stream:
        """Follow a game."""
        raw = request("WatchGame", game_id=game_id, **fields).SerializeToString()
        call: Any = self.channel.unary_stream(METHODS["WatchGame"][0])
        return Stream(self, "WatchGame", call(raw, metadata=self.credentials, timeout=SECONDS_MAX))

    def watch_all(self, *games: dict[str, Any]) -> Stream:
        """Follow several games on one stream."""
        raw = request("WatchGames", games=games).SerializeToString()
        call: Any = self.channel.unary_stream(METHODS["WatchGames"][0])
        return Stream(self, "WatchGames", call(raw, metadata=self.credentials, timeout=SECONDS_MAX))

    def play(self) -> Stream:
        """Begin a Play call."""
        call: Any = self.channel.stream_stream(METHODS["Play"][0])
        return Stream(self, "Play", call(metadata=self.credentials, timeout=SECONDS_MAX))

    async def replay(self, game_id: str, **opening: Any) -> Stream:
        """Begin a replay."""
        call: Any = self.channel.stream_stream(METHODS["ReplayGame"][0])
        stream = Stream(self, "ReplayGame", call(metadata=self.credentials, timeout=SECONDS_MAX))
        await stream.send(open={"game_id": game_id, **opening})
        return stream

    def export(self, method: str = "ExportRecords", **fields: Any) -> Stream:
        """Ask for records, of all games or of a club."""
        raw = request(method, **fields).SerializeToString()
        call: Any = self.channel.unary_stream(METHODS[method][0])
        return Stream(self, method, call(raw, metadata=self.credentials, timeout=SECONDS_MAX))

    async def sees(self, game_id: str, what: Callable[[Any], bool]) -> Any:
        """The game, once it looks as the test wants."""
        stream = self.watch(game_id, include_game=True)
        try:
            async for answer in stream:
                game = answer.snapshot if answer.HasField("snapshot") else answer.update.game
                if game.version and what(game):
                    return game
        finally:
            stream.call.cancel()
        raise AssertionError("the stream ended before that")

    def heard_of(self, method: str, raw: bytes) -> Any:
        """An answer, noted down."""
        message = GetMessageClass(METHODS[method][1].output_type).FromString(raw)
        self.heard.append(Heard(raw, message))
        return message

    def told(self, method: str, error: grpc.aio.AioRpcError) -> Told:
        """The failure of a call, noted with its details. The fields that it names must exist in the request."""
        trailing = b"".join(
            value if isinstance(value, bytes) else value.encode() for _, value in error.trailing_metadata()
        )
        self.heard.append(Heard((error.details() or "").encode() + trailing, None))
        told = Told(error)
        for field in told.fields:
            assert _is_field(METHODS[method][1].input_type, field), f"{method} has no field {field}: {told}"
        return told


class Server:
    """A server that runs, and the channel to it."""

    def __init__(self, running: Serving, channel: grpc.aio.Channel) -> None:
        self.running, self.channel = running, channel

    @property
    def stranger(self) -> Player:
        """Someone without a token."""
        return Player(self.channel)

    async def player(self, name: str = "Ann", scopes: tuple[str, ...] | None = None) -> Player:
        """A registered player. Only an operator can give more scopes than a player gets."""
        if scopes is not None:
            caller, token = await self.running.identities.register(name, scopes)
            return Player(self.channel, token, caller.player_id)
        answer = await self.stranger.ask("Register", name=name)
        return Player(self.channel, answer.token, answer.player.player_id)

    async def players(self, number: int) -> list[Player]:
        """Some players."""
        return [await self.player(f"Player {index}") for index in range(number)]

    async def table(self, players: list[Player], rulebook: str = "single-hand", **fields: Any) -> str:
        """A table at which these players sit, set up by the first of them."""
        owner, *others = players
        game = (await owner.ask("CreateGame", rulebook=rulebook, **fields)).game
        for other in others:
            await other.ask("JoinGame", game_id=game.view.game_id, invitation_code=game.invitation_code)
        return str(game.view.game_id)

    async def bidding(self, players: list[Player], rulebook: str = "single-hand", **fields: Any) -> str:
        """A game of these players in which the dice of the first round have fallen and the first of them opens."""
        game_id = await self.table(players, rulebook, **fields)
        await players[0].ask("StartGame", game_id=game_id, opener=0)
        await players[0].sees(game_id, lambda game: any(seat.hidden_count for seat in game.view.seats))
        return game_id


def request(method: str, **fields: Any) -> Message:
    """The request of a call."""
    kind = METHODS[method][1].input_type
    if "request_id" in kind.fields_by_name:
        fields.setdefault("request_id", f"request-{next(_REQUEST_IDS)}")
    return GetMessageClass(kind)(**fields)


@asynccontextmanager
async def server(
    url: str | None = None,
    settings: Settings | None = None,
    issuer: TrustedIssuer | None = None,
    protocol: str = "grpc",
) -> AsyncIterator[Server]:
    """A server with a channel to it; the shared one if no database is named."""
    if protocol != "grpc" and url is not None:
        settings = replace(settings or SETTINGS, http="127.0.0.1:0")
    async with served(url, settings, issuer) as running, channel_to(running, protocol) as channel:
        yield Server(running, channel)


@asynccontextmanager
async def channel_to(running: Serving, protocol: str = "grpc") -> AsyncIterator[grpc.aio.Channel]:
    """A channel over gRPC, or one that looks like it over a protocol of the door for browsers."""
    from tests.connect.channels import DoorChannel  # It knows the methods that are listed here.

    if protocol == "grpc":
        async with grpc.aio.insecure_channel(running.address) as channel:
            yield channel
        return
    assert running.reading is not None
    door = DoorChannel(running.reading.url, protocol)
    try:
        yield cast("grpc.aio.Channel", door)
    finally:
        await door.close()


def on_server(
    story: Callable[[Server], Awaitable[Result]],
    settings: Settings | None = None,
    issuer: TrustedIssuer | None = None,
    url: str | None = None,
    *,
    own: bool = False,
    protocol: str = "grpc",
) -> Result:
    """The result of a story on the shared server, or on its `own` if it changes the server or needs other settings."""
    where = url or (new_database(lanes=2) if own or settings or issuer else None)

    async def told() -> Result:
        async with server(where, settings, issuer, protocol) as running:
            return await story(running)

    return run(told()) if where is None else asyncio.run(told())
