"""Answers to clients that do not get as far as the application, as the bytes of a whole HTTP answer."""

from http import HTTPStatus

import msgspec

from domain.refusals import Refusal
from services.http.problems import MEDIA_TYPE, Problem, problem_of_refusal, problem_of_transport
from services.http.security_headers import HEADERS


def transport_bytes(status: HTTPStatus, reason: str, sentence: str) -> bytes:
    """The answer to a client that does not speak HTTP as it should."""
    return _written(problem_of_transport(status, reason, sentence), {})


def refusal_bytes(refusal: Refusal) -> bytes:
    """The answer to a client that is refused before it has said anything."""
    return _written(*problem_of_refusal(refusal))


def _written(problem: Problem, headers: dict[str, str]) -> bytes:
    body = msgspec.json.encode(problem)
    lines = {
        "Content-Type": MEDIA_TYPE,
        "Content-Length": str(len(body)),
        "Cache-Control": "no-store",
        "Connection": "close",
        **headers,
        **HEADERS,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {problem.status} {problem.title}\r\n{head}\r\n".encode() + body
