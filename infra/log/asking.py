"""Asking the servers of logs and witnesses over HTTP: one request, with a bound on the time and on the answer's size."""

import ssl
import time
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from domain.refusals import Refusal
from domain.values import Value

_CHUNK_BYTES = 1 << 16


class NoAnswer(Refusal):
    """{url} does not answer as it should: {problem}."""


class Answered(Value, frozen=True):
    """What a server has answered."""

    status: int
    content: bytes
    retry_seconds: float = 0.0
    """How long it asks to wait before the next try."""


def ask(url: str, bytes_max: int, seconds_max: float, body: bytes | None = None) -> Answered:
    """The answer to a GET, or to a POST of a body. Nothing is followed to another address."""
    until = time.monotonic() + seconds_max
    try:
        with closing(_connection(url, seconds_max)) as connection:
            parts = urlsplit(url)
            path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
            headers = {"Accept-Encoding": "identity", "Content-Type": "text/plain"} if body is not None else {}
            connection.request("GET" if body is None else "POST", path, body, headers)
            answer = connection.getresponse()
            content = bytearray()
            while len(content) <= bytes_max and (chunk := answer.read1(_CHUNK_BYTES)):
                content += chunk
                if time.monotonic() > until:
                    raise TimeoutError
            wait = answer.getheader("Retry-After", "")
    except (OSError, HTTPException, ValueError) as error:
        problem = "it takes too long" if isinstance(error, TimeoutError) else type(error).__name__
        raise NoAnswer(url=url, problem=problem) from None
    if len(content) > bytes_max:
        raise NoAnswer(url=url, problem=f"its answer has more than {bytes_max} bytes")
    return Answered(answer.status, bytes(content), float(wait) if wait.isdecimal() and len(wait) < 4 else 0.0)  # noqa: PLR2004


def _connection(url: str, seconds_max: float) -> HTTPConnection:
    parts = urlsplit(url)
    if parts.scheme == "https" and parts.hostname:
        context = ssl.create_default_context()
        return HTTPSConnection(parts.hostname, parts.port, timeout=seconds_max, context=context)
    if parts.scheme == "http" and parts.hostname:
        return HTTPConnection(parts.hostname, parts.port, timeout=seconds_max)
    raise ValueError("no address")
