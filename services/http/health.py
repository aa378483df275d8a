"""A small HTTP server that says whether a process lives and is ready, for Kubernetes and other monitors.

It is for services without an HTTP server of their own. All services answer on the same paths.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, closing, suppress
from http import HTTPStatus
from typing import Any, TypeAlias

import msgspec

from domain.values import Value
from infra.failure import CommandFailed
from services.access.endpoint import host_and_port
from services.http.security_headers import HEADERS

LIVE_PATH = "/health/live"
READY_PATH = "/health/ready"

_HEAD_BYTES_MAX = 8 * 1024
_SECONDS_MAX = 5.0
_LOG = logging.getLogger(__name__)


class Ready(Value, frozen=True):
    """Whether a process is ready. Everybody can read it, so it names no secret."""

    problem: str | None = None
    """The reason why it is not ready."""
    catching_up: tuple[str, ...] = ()
    """The read models that do not have everything yet."""


Readiness: TypeAlias = "Callable[[], Awaitable[Ready]]"
Content: TypeAlias = "Callable[[], Awaitable[bytes]]"
Pages: TypeAlias = "Mapping[str, tuple[str, Content]]"
"""Other pages by path: the media type, and a function that returns the content."""
Answer: TypeAlias = "tuple[HTTPStatus, str, bytes]"
_JSON = "application/json"
_METHODS = ("GET", "HEAD")


@asynccontextmanager
async def telling_health(address: str, readiness: Readiness, pages: Pages) -> AsyncIterator[str]:
    """Serve the health of the process until the block ends; yields the address with the real port."""
    host, port = host_and_port(address)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A client that sends nonsense, sends nothing or hangs up gets no answer, and must not disturb the process.
        with closing(writer), suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(_SECONDS_MAX):
                writer.write(await _response(await reader.readuntil(b"\r\n\r\n"), readiness, pages))
                await writer.drain()

    try:
        server = await asyncio.start_server(answer, host.strip("[]"), port, limit=_HEAD_BYTES_MAX)
    except OSError:
        raise CommandFailed(f"can't listen on {address}: is the port taken?") from None
    async with server:
        yield f"{host}:{server.sockets[0].getsockname()[1]}"


async def _response(head: bytes, readiness: Readiness, pages: Pages) -> bytes:
    method, _, rest = head.decode("latin-1").partition(" ")
    path = rest.partition(" ")[0].partition("?")[0]
    try:
        status, media_type, body = await _answer_to(method, path, readiness, pages)
    except Exception as error:  # noqa: BLE001 - a process that can't find out whether it is ready is not ready
        _LOG.warning("the health of the process could not be checked (%s)", type(error).__name__)
        status, media_type, body = _readiness_answer(Ready("the check failed"))
    lines = (
        f"HTTP/1.1 {status.value} {status.phrase}",
        f"Content-Type: {media_type}",
        f"Content-Length: {len(body)}",
        "Cache-Control: no-store",
        "Connection: close",
        *((f"Allow: {', '.join(_METHODS)}",) if status is HTTPStatus.METHOD_NOT_ALLOWED else ()),
        *(f"{name}: {value}" for name, value in HEADERS.items()),
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (b"" if method == "HEAD" else body)


async def _answer_to(method: str, path: str, readiness: Readiness, pages: Pages) -> Answer:
    if path not in (LIVE_PATH, READY_PATH, *pages):
        return _json_answer(HTTPStatus.NOT_FOUND, status="not found")
    if method not in _METHODS:
        return _json_answer(HTTPStatus.METHOD_NOT_ALLOWED, status="not allowed")
    if path in pages:
        media_type, content = pages[path]
        return HTTPStatus.OK, media_type, await content()
    if path == LIVE_PATH:
        return _json_answer(HTTPStatus.OK, status="live")
    return _readiness_answer(await readiness())


def _readiness_answer(found: Ready) -> Answer:
    behind = {"catching_up": found.catching_up} if found.catching_up else {}
    if found.problem is None:
        return _json_answer(HTTPStatus.OK, status="ready", **behind)
    return _json_answer(HTTPStatus.SERVICE_UNAVAILABLE, status="not ready", problem=found.problem, **behind)


def _json_answer(code: HTTPStatus, /, **content: Any) -> Answer:
    return code, _JSON, msgspec.json.encode(content)
