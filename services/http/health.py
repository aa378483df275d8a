"""Whether a process lives and is ready, told over HTTP to whoever watches over it, such as Kubernetes.

The paths are the same for every service. What stands here serves those that have no HTTP of their own.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import TypeAlias

import msgspec

from infra.failure import CommandFailed
from services.access.endpoint import host_and_port

LIVE_PATH = "/health/live"
READY_PATH = "/health/ready"

_HEAD_BYTES_MAX = 8 * 1024
_SECONDS_MAX = 5.0
_LOG = logging.getLogger(__name__)

Problem: TypeAlias = "Callable[[], Awaitable[str | None]]"
"""Asks what keeps a process from being ready; None if nothing does. It is told to everybody, so it names no secret."""
Told: TypeAlias = "Callable[[], Awaitable[bytes]]"
Pages: TypeAlias = "Mapping[str, tuple[str, Told]]"
"""What else is told, by path: its media type, and what asks for it."""
Answer: TypeAlias = "tuple[HTTPStatus, str, bytes]"
_JSON = "application/json"


@asynccontextmanager
async def telling_health(address: str, problem: Problem, pages: Pages) -> AsyncIterator[str]:
    """Tell how the process is until the block ends; gives the address with the port that was taken."""
    host, port = host_and_port(address)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Whoever asks nonsense, says nothing or hangs up gets no answer, and the process has no trouble from it.
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(_SECONDS_MAX):
                writer.write(await _answered(await reader.readuntil(b"\r\n\r\n"), problem, pages))
                await writer.drain()
        writer.close()

    try:
        server = await asyncio.start_server(answer, host.strip("[]"), port, limit=_HEAD_BYTES_MAX)
    except OSError:
        raise CommandFailed(f"can't listen on {address}: is the port taken?") from None
    async with server:
        yield f"{host}:{server.sockets[0].getsockname()[1]}"


async def _answered(head: bytes, problem: Problem, pages: Pages) -> bytes:
    method, _, rest = head.decode("latin-1").partition(" ")
    path = rest.partition(" ")[0].partition("?")[0]
    try:
        status, media_type, body = await _looked_up(method, path, problem, pages)
    except Exception as error:  # noqa: BLE001 - who can't tell that it is ready is not
        _LOG.warning("how the process is could not be told (%s)", type(error).__name__)
        status, media_type, body = _not_ready("it can't be told")
    lines = (
        f"HTTP/1.1 {status.value} {status.phrase}",
        f"Content-Type: {media_type}",
        f"Content-Length: {len(body)}",
        "Cache-Control: no-store",
        "Connection: close",
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (b"" if method == "HEAD" else body)


async def _looked_up(method: str, path: str, problem: Problem, pages: Pages) -> Answer:
    if path not in (LIVE_PATH, READY_PATH, *pages):
        return _said(HTTPStatus.NOT_FOUND, status="not found")
    if method not in ("GET", "HEAD"):
        return _said(HTTPStatus.METHOD_NOT_ALLOWED, status="not allowed")
    if path in pages:
        media_type, told = pages[path]
        return HTTPStatus.OK, media_type, await told()
    if path == LIVE_PATH:
        return _said(HTTPStatus.OK, status="live")
    found = await problem()
    return _said(HTTPStatus.OK, status="ready") if found is None else _not_ready(found)


def _not_ready(problem: str) -> Answer:
    return _said(HTTPStatus.SERVICE_UNAVAILABLE, status="not ready", problem=problem)


def _said(code: HTTPStatus, /, **content: str) -> Answer:
    return code, _JSON, msgspec.json.encode(content)
