"""One HTTP connection: how long a request may take to arrive, and an answer to be taken.

uvicorn closes only a connection that is idle between two requests. A client that sends half a request, or takes nothing
of an answer, would keep a descriptor and memory for ever. `check` closes such connections, and is called each second.

An address that has used up its share of the loop is held: what it has sent is not looked at before it has paid.
"""

import asyncio
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from services.access.address import limit_key
from services.access.loop_share import CONNECTION_SECONDS, Bill, LoopShare
from services.http.delivery import Receive, Send
from services.http.loop_time import measured
from services.http.refusal_bytes import transport_bytes

SECONDS = {"head": 10.0, "body": 10.0, "rest": 60.0}
"""How long a client may take for the head of a request, for its body, and to take the rest of an answer before the
connection is closed."""

_ENDS = {b"content-length", b"transfer-encoding"}
"""Each of these headers says where a request ends."""
_INCOMPLETE = transport_bytes(HTTPStatus.REQUEST_TIMEOUT, "REQUEST_INCOMPLETE", "The request did not come to its end.")
_NO_HTTP = transport_bytes(HTTPStatus.BAD_REQUEST, "NO_HTTP", "This is no request of HTTP/1.1.")


class Connection(H11Protocol):
    """A connection with deadlines."""

    def __init__(self, left: Callable[[], None], share: LoopShare | None, **given: Any) -> None:
        """`left` is called when the connection is closed. Without `share` an address may use as much as it wants."""
        super().__init__(**given)
        self._left, self._share = left, share
        self._address = ""
        self._is_held = False
        self._bill: Bill | None = None
        self._unbilled: Any = self.app
        self._awaited: tuple[str | None, int] = (None, 0)
        self._answers = 0
        self._since = time.monotonic()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Let the address pay for the connection, and for all that its requests take."""
        super().connection_made(transport)
        if self._share is not None and self.client is not None:
            self._address = limit_key(self.client[0])
            self._share.charge(self._address, CONNECTION_SECONDS)
            self.app = self._serve

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place of the connection back."""
        super().connection_lost(exc)
        self._unset_keepalive_if_required()
        self._left()

    def handle_events(self) -> None:
        """Look at what was sent, now or when the address has paid for what it had."""
        if self._share is None:
            self._handle()
        elif not self._is_held and self._share.admits(self._address, self._go_on):
            self._look(self._share)
        else:
            self._is_held = True
            self.transport.pause_reading()  # Each time: uvicorn may have begun to read again.

    def _go_on(self) -> None:
        """Look at what was held back."""
        assert self._share is not None, "only a share holds something back"
        self._is_held = False
        if not self.transport.is_closing():
            self._look(self._share)
            if not self.flow.read_paused:
                self.transport.resume_reading()

    def _look(self, share: LoopShare) -> None:
        """Look at what was sent. A request that begins is charged now, and not when its task begins."""
        cycle, began = self.cycle, time.thread_time()
        self._handle()
        share.charge(self._address, time.thread_time() - began)
        if self.cycle is not cycle:
            self._bill = share.bill(self._address)

    def _handle(self) -> None:
        """Handle what was sent. A request with two ends is the last one: who sent what follows, nobody can know (RFC 9112, 6.1)."""
        super().handle_events()
        cycle: Any = self.cycle  # None before the first request.
        if cycle is not None and {name for name, _ in cycle.scope["headers"]} >= _ENDS:
            cycle.keep_alive = False

    async def _serve(self, scope: Any, receive: Receive, send: Send) -> None:
        """Serve a request at the cost of the address."""
        bill = self._bill
        assert bill is not None, "a request has a bill before its task begins"
        try:
            await measured(self._unbilled(scope, receive, send), bill.add)
        finally:
            bill.close()

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
        if self._is_held:
            return None
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
