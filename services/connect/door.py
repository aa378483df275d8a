"""The door: finds the method and the protocol of a request over HTTP, and answers it.

There is no code for any method here. Whatever the services have is reached at `/liarsdice.v1.<Service>/<Method>`, over

- Connect: a POST with JSON or protobuf for one answer, envelopes for a stream of answers, and a GET for what changes
  nothing;
- gRPC-Web, as bytes or as text.

HTTP/1.1 has no two directions at once. So where a method takes many requests, all of them come before the first answer.
"""

import asyncio
import re
from base64 import b64decode
from binascii import Error as NoBase64
from collections.abc import Awaitable, Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from domain.refusals import Malformed, Refusal
from domain.values import Value
from services.access.rate_limit import AddressLimit
from services.access.refusals import FieldInvalid, TooFast
from services.connect.codec import CODECS, PROTO, Codec
from services.connect.envelope import HEAD_BYTES, STREAM_BYTES_MAX, contents, enveloped, only, unpacked
from services.connect.failure import Failure, deadline_exceeded, failure_of
from services.connect.request import Gone, Request
from services.connect.stream import HttpStream, answer_stream, connect_framing, web_framing
from services.http.delivery import Receive, Send
from services.http.problems import MEDIA_TYPE, problem_of_refusal, problem_of_transport
from services.live.refusals import ServerDraining
from services.rpc.method import Served, StreamMethod, UnaryMethod
from services.rpc.server import MESSAGE_BYTES_MAX

PREFIX = "/liarsdice.v1."
_PIECES = re.compile(rb"[^=]+=*")
_FREE_OF_EFFECTS = descriptor_pb2.MethodOptions.NO_SIDE_EFFECTS
_UNARY = {f"application/{name}": codec for name, codec in CODECS.items()}
_STREAMED = {f"application/connect+{name}": codec for name, codec in CODECS.items()}
_WEB = {
    "application/grpc-web": (PROTO, False),
    "application/grpc-web-text": (PROTO, True),
    **{f"application/grpc-web+{name}": (codec, False) for name, codec in CODECS.items()},
    **{f"application/grpc-web-text+{name}": (codec, True) for name, codec in CODECS.items()},
}


class _Reached(Value, frozen=True):
    """A method that can be reached, and what the contract says of it."""

    method: UnaryMethod | StreamMethod
    answer_type: type[Message]
    is_free_of_effects: bool

    @property
    def content_types(self) -> tuple[str, ...]:
        """What a POST may contain."""
        return (*(_UNARY if isinstance(self.method, UnaryMethod) else _STREAMED), *_WEB)


class Door:
    """An application that answers all methods of some services."""

    def __init__(self, services: Iterable[Served], limit: AddressLimit, draining: Callable[[], bool]) -> None:
        """While the server is `draining`, new calls are sent away.

        Methods count their calls by themselves. What does not get as far as a method counts against `limit` here.
        """
        self._limit, self._draining = limit, draining
        self._reached: Mapping[str, _Reached] = {
            f"/{service.name}/{name}": _reached(service.name, name, method)
            for service in services
            for name, method in service.methods.items()
        }

    @property
    def paths(self) -> tuple[str, ...]:
        """Where the methods are."""
        return tuple(self._reached)

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer a request."""
        request = Request(scope, receive)
        try:
            await self._serve(scope, request, send)
        except NoCall as no_call:
            await self._send_problem(request, send, no_call)
        except Gone:
            pass

    async def _serve(self, scope: Any, request: Request, send: Send) -> None:
        reached = self._reached.get(scope["path"])
        if reached is None:
            raise NoCall(HTTPStatus.NOT_FOUND, "NO_SUCH_METHOD", "There is no such method in the contract.")
        scope["path_template"] = scope["path"]  # By this name the metrics count it.
        if request.method == "GET" and reached.is_free_of_effects:
            await self._get(reached, request, send)
        elif request.method == "POST":
            await self._post(reached, request, send)
        else:
            allowed = "GET, HEAD, POST" if reached.is_free_of_effects else "POST"
            sentence = f"This method takes {allowed.replace('GET, HEAD, ', 'GET and ')}."
            raise NoCall(HTTPStatus.METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", sentence, {"Allow": allowed})

    async def _post(self, reached: _Reached, request: Request, send: Send) -> None:
        kind = request.content_type
        if kind in _WEB:
            await self._web(reached, request, send)
        elif isinstance(reached.method, UnaryMethod) and kind in _UNARY:
            await self._unary(reached, request, send)
        elif isinstance(reached.method, StreamMethod) and kind in _STREAMED:
            codec, encoding = _STREAMED[kind], request.headers.get("connect-content-encoding", "")
            stream = HttpStream(request, connect_framing(codec), reached.answer_type, send)
            await self._stream(reached.method, request, stream, _Envelopes(codec, encoding, request.connect_seconds))
        else:
            known = ", ".join(reached.content_types)
            sentence = f"The content type must be one of {known}."
            raise NoCall(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "CONTENT_TYPE_UNKNOWN", sentence, {"Accept-Post": known})

    async def _unary(self, reached: _Reached, request: Request, send: Send) -> None:
        """Answer a call with one answer over Connect."""

        async def content() -> bytes:
            request.check_version()
            return unpacked(await request.body(), request.headers.get("content-encoding", ""))

        asked = _Asked(_UNARY[request.content_type], content, request.connect_seconds)
        await _send_unary(send, asked.codec, await self._answer(reached, request, asked))

    async def _get(self, reached: _Reached, request: Request, send: Send) -> None:
        """Answer a call that changes nothing, in a way that caches understand."""
        given = dict(parse_qsl(request.query.decode("latin-1"), keep_blank_values=True))
        codec = CODECS.get(given.get("encoding", ""))
        if codec is None:
            sentence = f"The parameter encoding must be one of {', '.join(CODECS)}."
            raise NoCall(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "CONTENT_TYPE_UNKNOWN", sentence)

        async def content() -> bytes:
            return _message_in(given)

        answer = await self._answer(reached, request, _Asked(codec, content, request.connect_seconds))
        whose = "public" if reached.method.same_for_all else "private"
        await _send_unary(send, codec, answer, {"Cache-Control": f"{whose}, no-cache"})

    async def _web(self, reached: _Reached, request: Request, send: Send) -> None:
        """Answer a call over gRPC-Web."""
        codec, as_text = _WEB[request.content_type]
        framing, encoding = web_framing(codec, as_text=as_text), request.headers.get("grpc-encoding", "")
        if isinstance(reached.method, StreamMethod):
            stream = HttpStream(request, framing, reached.answer_type, send)
            envelopes = _Envelopes(codec, encoding, request.grpc_seconds, as_text)
            await self._stream(reached.method, request, stream, envelopes)
            return

        async def content() -> bytes:
            return next(only(contents(await _body(request, one=True, as_text=as_text), encoding)))

        answer = await self._answer(reached, request, _Asked(codec, content, request.grpc_seconds))
        failure = answer if isinstance(answer, Failure) else None
        body = b"" if isinstance(answer, Failure) else framing.coded(enveloped(answer))
        headers = {"Content-Type": framing.content_type, "Cache-Control": "no-store"}
        await _send_whole(send, HTTPStatus.OK, headers, body + framing.coded(framing.end(failure)))

    async def _answer(self, reached: _Reached, request: Request, asked: "_Asked") -> bytes | Failure:
        """The answer to a call with one request, written, or why it failed."""
        method = reached.method
        assert isinstance(method, UnaryMethod), "streams are answered elsewhere"
        try:
            self._check_draining()
            raw, seconds = await asked.content(), asked.seconds()
        except Refusal as refusal:
            return failure_of(await self._counted(request, refusal), method.request_type)
        deadline = asyncio.timeout(seconds)
        try:
            async with deadline:
                answer = await method.answer(_Once(request), lambda: asked.codec.read(raw, method.request_type))
            return asked.codec.written(answer, reached.answer_type)
        except Exception as error:  # noqa: BLE001 - the caller gets every failure, but nothing secret
            return deadline_exceeded() if deadline.expired() else failure_of(error, method.request_type)

    async def _stream(
        self, method: StreamMethod, request: Request, stream: HttpStream, envelopes: "_Envelopes"
    ) -> None:
        """Answer a call on a stream."""
        try:
            self._check_draining()
            request.check_version()
            one, seconds = not method.streams_requests, envelopes.seconds()
            found = contents(await _body(request, one=one, as_text=envelopes.as_text), envelopes.encoding)
        except Refusal as refusal:
            await stream.end(failure_of(await self._counted(request, refusal), method.request_type))
            return
        # They are unpacked and read one by one, once the caller is admitted.
        read = (envelopes.codec.forwarded(raw, method.request_type) for raw in (only(found) if one else found))
        await answer_stream(method, stream, read, request, seconds)

    async def _counted(self, request: Request, refusal: Refusal) -> Refusal:
        """A refusal of something that is no call yet; another one if its address has sent too much of that."""
        try:
            self._limit.check(request.address)
        except TooFast as too_fast:
            await self._limit.linger(request.address)
            return too_fast
        return refusal

    async def _send_problem(self, request: Request, send: Send, no_call: "NoCall") -> None:
        """Answer a request that is no call."""
        refusal = await self._counted(request, no_call.refusal)
        if refusal is no_call.refusal:
            problem, more = no_call.problem, no_call.headers
        else:
            problem, more = problem_of_refusal(refusal)
        headers = {"Content-Type": MEDIA_TYPE, "Cache-Control": "no-store", **more}
        await _send_whole(send, problem.status, headers, msgspec.json.encode(problem))

    def _check_draining(self) -> None:
        if self._draining():
            raise ServerDraining


class NoCall(Exception):  # noqa: N818 - the client's mistake, not an error of ours
    """A request is no call of any method."""

    def __init__(self, status: HTTPStatus, reason: str, sentence: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.problem, self.headers = problem_of_transport(status, reason, sentence), headers or {}
        self.refusal = Malformed(what="call", problem=sentence)


class _Asked(Value, frozen=True):
    """How to get the one request of a call, and how long its caller wants to wait."""

    codec: Codec
    content: Callable[[], Awaitable[bytes]]
    seconds: Callable[[], float | None]


class _Envelopes(Value, frozen=True):
    """How the requests of a stream are written."""

    codec: Codec
    encoding: str
    seconds: Callable[[], float | None]
    as_text: bool = False


class _Once:
    """A call with one answer: there is no stream to begin."""

    __slots__ = ("address", "token")

    def __init__(self, request: Request) -> None:
        self.address, self.token = request.address, request.token

    async def begin(self) -> None:
        """Nothing: the answer comes as a whole."""

    async def send(self, message: bytes) -> None:
        """Nothing may be sent before the answer."""
        raise AssertionError(len(message))


def _reached(service: str, name: str, method: UnaryMethod | StreamMethod) -> _Reached:
    described = descriptor_pool.Default().FindServiceByName(service).methods_by_name[name]
    is_free = described.GetOptions().idempotency_level == _FREE_OF_EFFECTS
    return _Reached(method, GetMessageClass(described.output_type), is_free and isinstance(method, UnaryMethod))


async def _body(request: Request, *, one: bool, as_text: bool) -> bytes:
    """The envelopes of a request."""
    bytes_max = MESSAGE_BYTES_MAX + HEAD_BYTES if one else STREAM_BYTES_MAX
    raw = await request.body(bytes_max * 4 // 3 + 4 if as_text else bytes_max)
    if not as_text:
        return raw
    try:
        # A client may write each of several pieces with padding of its own.
        return b"".join(b64decode(piece, validate=True) for piece in _PIECES.findall(raw))
    except NoBase64:
        raise Malformed(what="body", problem="it is no base64") from None


def _message_in(asked: dict[str, str]) -> bytes:
    """The message in the parameters of a GET."""
    if asked.get("connect", "v1") != "v1":
        raise FieldInvalid(field="connect", problem="must be v1")
    raw = asked.get("message", "").encode()
    if asked.get("base64") == "1":
        raw = raw.rstrip(b"=")
        try:
            raw = b64decode(raw + b"=" * (-len(raw) % 4), b"-_", validate=True)
        except NoBase64:
            raise FieldInvalid(field="message", problem="must be base64") from None
    return unpacked(raw, asked.get("compression", ""))


async def _send_unary(send: Send, codec: Codec, answer: bytes | Failure, more: dict[str, str] | None = None) -> None:
    if isinstance(answer, Failure):
        headers = {"Content-Type": "application/json", "Cache-Control": "no-store", **answer.http_headers}
        await _send_whole(send, answer.http_status, headers, msgspec.json.encode(answer.as_connect()))
    else:
        headers = {"Content-Type": f"application/{codec.name}", **(more or {"Cache-Control": "no-store"})}
        await _send_whole(send, HTTPStatus.OK, headers, answer)


async def _send_whole(send: Send, status: int, headers: dict[str, str], body: bytes) -> None:
    written = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": int(status), "headers": written})
    await send({"type": "http.response.body", "body": body})
