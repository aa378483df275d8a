"""A witness as a small HTTP server of C2SP's `tlog-witness`: logs send their checkpoints and get cosignatures.

    POST /add-checkpoint             a checkpoint with the proof that it continues the last one
    GET  /<origin hash>/checkpoint   the last checkpoint of a log with our cosignatures

It is on the open Internet, so everything is bounded: connections, the bytes of a head and of a body, and the time of each
request. What it has cosigned is on the disk before it answers.
"""

import asyncio
import logging
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from hashlib import sha256
from http import HTTPStatus

from domain.refusals import Malformed, Refusal
from domain.values import Value
from infra.failure import CommandFailed
from infra.log.checkpoints import OriginUnknown
from infra.log.cosigning import REQUEST_LENGTH_MAX, SIZE_TYPE, read_request
from infra.log.merkle import EMPTY_ROOT
from infra.log.notes import NoteSignatureWrong, NoteUnsigned, read_note
from infra.log.witness import ConsistencyWrong, LogForked, OldSizeWrong, Witness, WitnessStateRefused

CONNECTIONS_MAX = 200
_ADDRESS_CONNECTIONS_MAX = 20
_HEAD_LENGTH_MAX = 8_192
_REQUEST_SECONDS_MAX = 10.0
_IDLE_SECONDS_MAX = 30.0
_TEXT = "text/plain; charset=utf-8"
_LOG = logging.getLogger(__name__)
_STATUS: dict[type[Refusal], HTTPStatus] = {
    Malformed: HTTPStatus.BAD_REQUEST,
    OriginUnknown: HTTPStatus.NOT_FOUND,
    NoteUnsigned: HTTPStatus.FORBIDDEN,
    NoteSignatureWrong: HTTPStatus.FORBIDDEN,
    ConsistencyWrong: HTTPStatus.UNPROCESSABLE_ENTITY,
    LogForked: HTTPStatus.UNPROCESSABLE_ENTITY,
    WitnessStateRefused: HTTPStatus.INTERNAL_SERVER_ERROR,
}


class Answer(Value, frozen=True):
    """An answer."""

    status: HTTPStatus
    content: bytes
    kind: str = _TEXT


class _Head(Value, frozen=True):
    method: str
    path: str
    length: int
    stays: bool
    """Whether the connection stays open after the answer."""


@asynccontextmanager
async def serving_witness(witness: Witness, host: str, port: int) -> AsyncIterator[str]:
    """Serve a witness until the block ends; yields its address with the real port."""
    server = _Server(witness)
    try:
        listening = await asyncio.start_server(server.connected, host.strip("[]"), port, limit=_HEAD_LENGTH_MAX)
    except OSError:
        raise CommandFailed(f"can't listen on {host}:{port}: is the port taken?") from None
    async with listening:
        yield f"{host}:{listening.sockets[0].getsockname()[1]}"
    await server.close()


class _Server:
    def __init__(self, witness: Witness) -> None:
        self._witness = witness
        self._turn = asyncio.Lock()
        self._open: dict[str, int] = {}
        self._connections: set[asyncio.Task[None]] = set()

    def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of a connection from now on."""
        connection = asyncio.create_task(self._connected(reader, writer))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def close(self) -> None:
        """Close all connections."""
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer):
            await self._served(reader, writer)

    async def _served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        address = str((writer.get_extra_info("peername") or ("",))[0])
        if sum(self._open.values()) < CONNECTIONS_MAX and self._open.get(address, 0) < _ADDRESS_CONNECTIONS_MAX:
            self._open[address] = self._open.get(address, 0) + 1
            # A client that sends nonsense, sends nothing or hangs up gets no answer, and must not disturb the others.
            with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                while await self._answered(reader, writer):
                    pass
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer a request; whether another one may follow on the connection."""
        async with asyncio.timeout(_IDLE_SECONDS_MAX):
            first = await reader.readexactly(1)
        async with asyncio.timeout(_REQUEST_SECONDS_MAX):
            head = _head_of(first + await reader.readuntil(b"\r\n\r\n"))
            if isinstance(head, Answer):
                await _send(writer, head, stays=False)
                return False
            body = await reader.readexactly(head.length)
        answer = await self._answer(head, body)
        async with asyncio.timeout(_REQUEST_SECONDS_MAX):
            await _send(writer, answer, stays=head.stays, is_head=head.method == "HEAD")
        return head.stays

    async def _answer(self, head: _Head, body: bytes) -> Answer:
        try:
            if head.path == "/add-checkpoint":
                if head.method != "POST":
                    return Answer(HTTPStatus.METHOD_NOT_ALLOWED, b"POST a checkpoint here.\n")
                async with self._turn:
                    # In a thread, because writing to the disk takes time.
                    return await asyncio.to_thread(self._added, body)
            if head.method in ("GET", "HEAD"):
                return await asyncio.to_thread(self._monitored, head.path)
        except Exception:  # noqa: BLE001 - one request must not end the witness
            _LOG.exception("a request could not be answered")
            return Answer(HTTPStatus.INTERNAL_SERVER_ERROR, b"A fault of the witness.\n")
        return Answer(HTTPStatus.NOT_FOUND, b"There is no such thing here.\n")

    def _added(self, body: bytes) -> Answer:
        try:
            cosignatures = self._witness.add(read_request(body))
        except OldSizeWrong as refusal:
            return Answer(HTTPStatus.CONFLICT, f"{refusal.fields['seen']}\n".encode(), SIZE_TYPE)
        except Refusal as refusal:
            status = _STATUS.get(type(refusal), HTTPStatus.BAD_REQUEST)
            if status is HTTPStatus.BAD_REQUEST and _is_empty_log_with_leaves(body):
                status = HTTPStatus.UNPROCESSABLE_ENTITY
            if status in (HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.INTERNAL_SERVER_ERROR):
                _LOG.warning("a checkpoint was not cosigned: %s", refusal)
            return Answer(status, f"{refusal}\n".encode())
        return Answer(HTTPStatus.OK, "".join(one.line for one in cosignatures).encode())

    def _monitored(self, path: str) -> Answer:
        for origin in self._witness.origins:
            if path == f"/{sha256(origin.encode()).hexdigest()}/checkpoint":
                note = self._witness.cosigned(origin)
                if note is not None:
                    return Answer(HTTPStatus.OK, bytes(note))
        return Answer(HTTPStatus.NOT_FOUND, b"There is no such thing here.\n")


def _is_empty_log_with_leaves(body: bytes) -> bool:
    """Whether a request is wrong only because its log has no leaves, but not the root of an empty log."""
    try:
        lines = read_note(read_request(body).note).text.split("\n")
    except Refusal:
        return False
    return lines[1:2] == ["0"] and lines[2:3] != [b64encode(EMPTY_ROOT).decode()]


def _head_of(head: bytes) -> _Head | Answer:
    """The head of a request, or the answer to one that is refused for it."""
    first, *lines = head.decode("latin-1").split("\r\n")[:-2]
    method, _, rest = first.partition(" ")
    path, _, version = rest.partition(" ")
    headers: dict[str, list[str]] = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers.setdefault(name.lower(), []).append(value.strip())
    if version not in ("HTTP/1.1", "HTTP/1.0"):
        return Answer(HTTPStatus.BAD_REQUEST, b"This is not HTTP/1.1.\n")
    lengths = headers.get("content-length", [])
    if "transfer-encoding" in headers or (method == "POST" and not lengths):
        return Answer(HTTPStatus.LENGTH_REQUIRED, b"Say the length of the body.\n")
    if len(lengths) > 1 or any(not (one.isascii() and one.isdigit() and len(one) < 10) for one in lengths):  # noqa: PLR2004
        return Answer(HTTPStatus.BAD_REQUEST, b"The length of the body is not a number.\n")
    length = int(lengths[0]) if lengths else 0
    if length > REQUEST_LENGTH_MAX:
        return Answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, b"The body is too large.\n")
    stays = version == "HTTP/1.1" and "close" not in "".join(headers.get("connection", [])).lower()
    return _Head(method, path.partition("?")[0], length, stays)


async def _send(writer: asyncio.StreamWriter, answer: Answer, *, stays: bool, is_head: bool = False) -> None:
    lines = (
        f"HTTP/1.1 {answer.status.value} {answer.status.phrase}",
        f"Content-Type: {answer.kind}",
        f"Content-Length: {len(answer.content)}",
        "Cache-Control: no-store",
        f"Connection: {'keep-alive' if stays else 'close'}",
    )
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + (b"" if is_head else answer.content))
    await writer.drain()
