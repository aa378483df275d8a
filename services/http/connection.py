"""One HTTP connection: how long a request may take to arrive, and an answer to be taken.

uvicorn closes only a connection that is idle between two requests. A client that sends half a request, or takes nothing
of an answer, would keep a descriptor and memory for ever. `check` closes such connections, and is called each second.
"""

import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from services.http.refusal_bytes import transport_bytes

SECONDS = {"head": 10.0, "body": 10.0, "rest": 60.0}
"""How long a client may take for the head of a request, for its body, and to take the rest of an answer before the
connection is closed."""

_INCOMPLETE = transport_bytes(HTTPStatus.REQUEST_TIMEOUT, "REQUEST_INCOMPLETE", "The request did not come to its end.")
_NO_HTTP = transport_bytes(HTTPStatus.BAD_REQUEST, "NO_HTTP", "This is no request of HTTP/1.1.")


class Connection(H11Protocol):
    """A connection with deadlines."""

    def __init__(self, left: Callable[[], None], **given: Any) -> None:
        """`left` is called when the connection is closed."""
        super().__init__(**given)
        self._left = left
        self._awaited: tuple[str | None, int] = (None, 0)
        self._answers = 0
        self._since = time.monotonic()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place of the connection back."""
        super().connection_lost(exc)
        self._unset_keepalive_if_required()
        self._left()

    def on_response_complete(self) -> None:
        """Count the answer."""
        self._answers += 1
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's words
        """Answer bytes that are no request."""
        self._end_with(_NO_HTTP)

    def check(self, now: float) -> None:
        """Close the connection if the client has kept us waiting for too long."""
        awaited = self._awaited_from_client()
        if awaited is None or (awaited, self._answers) != self._awaited:
            self._awaited, self._since = (awaited, self._answers), now
        elif now - self._since > SECONDS[awaited]:
            self._end_incomplete(awaited)

    def end_half_request(self) -> None:
        """Close the connection if a request on it has no end yet: nobody waits for it any more."""
        if self._awaited_from_client() == "body":
            self._end_incomplete("body")

    def _end_incomplete(self, awaited: str) -> None:
        """Answer half a request, unless an answer has begun already, and close the connection."""
        cycle: Any = self.cycle
        fits = awaited == "head" or (awaited == "body" and not cycle.response_started)
        self._end_with(_INCOMPLETE if fits else b"")

    @property
    def unsent_bytes(self) -> int:
        """How much of its answers waits for the client to take it."""
        return self.transport.get_write_buffer_size()

    def abort(self) -> None:
        """Close the connection at once, and drop what was not sent."""
        self.transport.abort()

    def _awaited_from_client(self) -> str | None:
        """What the client has to do next: end a head or a body, or take what is left; None if it is our turn."""
        if self.transport.is_closing():
            return "rest"
        if self.timeout_keep_alive_task is not None:
            return None  # Between two requests uvicorn has a timer of its own.
        cycle: Any = self.cycle  # None before the first request.
        if cycle is None or cycle.response_complete:
            return "head"
        return "body" if cycle.more_body else None

    def _end_with(self, answer: bytes) -> None:
        """Close the connection after an answer that is sent at once or not at all."""
        if answer and not self.unsent_bytes and not self.transport.is_closing():
            self.transport.write(answer)
            self.transport.close()
        else:
            self.abort()
