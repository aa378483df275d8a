"""Whether a process lives and is ready, told over HTTP to whoever watches over it, such as Kubernetes.

The paths are the same for every service. What stands here serves those that have no HTTP of their own.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Any, TypeAlias

import msgspec

from services.failure import CommandFailed
from services.listening import host_and_port

LIVE_PATH = "/health/live"
READY_PATH = "/health/ready"

_HEAD_BYTES_MAX = 8 * 1024
_SECONDS_MAX = 5.0
_LOG = logging.getLogger(__name__)

Problem: TypeAlias = "Callable[[], Awaitable[str | None]]"
"""Asks what keeps a process from being ready; None if nothing does. It is told to everybody, so it names no secret."""
Answer: TypeAlias = "tuple[HTTPStatus, dict[str, Any]]"


@asynccontextmanager
async def telling_health(address: str, problem: Problem) -> AsyncIterator[str]:
    """Tell how the process is until the block ends; gives the address with the port that was taken."""
    host, port = host_and_port(address)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Whoever asks nonsense, says nothing or hangs up gets no answer, and the process has no trouble from it.
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(_SECONDS_MAX):
                writer.write(await _answered(await reader.readuntil(b"\r\n\r\n"), problem))
                await writer.drain()
        writer.close()

    try:
        server = await asyncio.start_server(answer, host.strip("[]"), port, limit=_HEAD_BYTES_MAX)
    except OSError:
        raise CommandFailed(f"can't listen on {address}: is the port taken?") from None
    async with server:
        yield f"{host}:{server.sockets[0].getsockname()[1]}"


async def _answered(head: bytes, problem: Problem) -> bytes:
    method, _, rest = head.decode("latin-1").partition(" ")
    status, content = await _looked_up(method, rest.partition(" ")[0].partition("?")[0], problem)
    body = msgspec.json.encode(content)
    lines = (
        f"HTTP/1.1 {status.value} {status.phrase}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Cache-Control: no-store",
        "Connection: close",
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (b"" if method == "HEAD" else body)


async def _looked_up(method: str, path: str, problem: Problem) -> Answer:
    if path not in (LIVE_PATH, READY_PATH):
        return HTTPStatus.NOT_FOUND, {"status": "not found"}
    if method not in ("GET", "HEAD"):
        return HTTPStatus.METHOD_NOT_ALLOWED, {"status": "not allowed"}
    if path == LIVE_PATH:
        return HTTPStatus.OK, {"status": "live"}
    try:
        found = await problem()
    except Exception as error:  # noqa: BLE001 - who can't tell that it is ready is not
        _LOG.warning("whether the process is ready could not be told (%s)", type(error).__name__)
        found = "it can't be told"
    if found is not None:
        return HTTPStatus.SERVICE_UNAVAILABLE, {"status": "not ready", "problem": found}
    return HTTPStatus.OK, {"status": "ready"}
