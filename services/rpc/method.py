"""The methods of the services: what each takes, who may call it, and how it is carried out, whatever the protocol.

The bytes of a request are parsed here, because the gRPC library answers bytes that are no message with an internal error.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError, Message

from domain.refusals import Malformed
from infra.spans import span
from services.access.refusals import FieldInvalid
from services.reasons.problem import FAULT, Problem, problem_of
from services.rpc.gate import Answer, Call, Exchange, Gate, Unary
from services.rpc.request_shape import check_enums, path_of_bad_text

_LOG = logging.getLogger(__name__)

Streaming = Callable[[AsyncIterator[bytes], Call], Awaitable[None]]
"""Answers the requests of a call on its stream."""


class Method:
    """What all methods have in common: their gate, and what they take."""

    def __init__(
        self,
        gate: Gate,
        request_type: type[Message],
        *,
        open_to_all: bool = False,
        same_for_all: bool = False,
        scope: str | None = None,
    ) -> None:
        """A call `open_to_all` needs no token.

        One that is `same_for_all` also takes an old token: its answer does not depend on the caller, and a client whose
        token was revoked must be able to register again.
        """
        self.gate, self.request_type, self.same_for_all = gate, request_type, same_for_all
        self._open_to_all, self._scope = open_to_all or same_for_all, scope
        self.name = name_of(request_type)

    async def _admit(self, exchange: Exchange) -> Call:
        call = self.gate.admit_known(exchange, open_to_all=self._open_to_all, scope=self._scope)
        return call or await self.gate.admit(exchange, scope=self._scope, same_for_all=self.same_for_all)


def name_of(request_type: type[Message]) -> str:
    """The name of the method, or of the command on a Play call, that takes this request."""
    return str(request_type.DESCRIPTOR.name).removesuffix("Request")


class UnaryMethod(Method):
    """A method with one request and one answer."""

    def __init__(
        self, gate: Gate, request_type: type[Message], handler: Unary, *, in_steps: bool = False, **access: Any
    ) -> None:
        """If the caller gives up, an append that has begun is still completed, and the caller can send the request again.

        A call `in_steps` makes several appends. It runs to its end, because nobody wants half of it.
        """
        super().__init__(gate, request_type, **access)
        self._handler, self._in_steps = handler, in_steps

    async def answer(self, exchange: Exchange, parse: Callable[[], Any]) -> Answer:
        """The answer to a call. The request is parsed once the caller is admitted."""
        try:
            with span(self.name, is_first=True):
                call = await self._admit(exchange)
                answering = self._handler(parse(), call)
                return await (asyncio.shield(_to_its_end(answering)) if self._in_steps else answering)
        except Exception as error:
            await self.gate.refuse(exchange.address, error)
            raise


class StreamMethod(Method):
    """A method with many answers, and with one request or many."""

    def __init__(
        self,
        gate: Gate,
        request_type: type[Message],
        handler: Streaming,
        *,
        streams_requests: bool,
        open_to_all: bool = False,
    ) -> None:
        super().__init__(gate, request_type, open_to_all=open_to_all)
        self._handler, self.streams_requests = handler, streams_requests

    async def stream(self, exchange: Exchange, requests: AsyncIterator[bytes]) -> None:
        """Answer a call until it ends."""
        try:
            call = await self._admit(exchange)
            with self.gate.streams.opened(call.payer):
                await self._handler(requests, call)
        except Exception as error:
            await self.gate.refuse(exchange.address, error)
            raise


AnyMethod = UnaryMethod | StreamMethod


class Served(NamedTuple):
    """A service: its full name, and its methods by their names."""

    name: str
    methods: Mapping[str, AnyMethod]


def unary(gate: Gate, request_type: type[Message], handler: Unary, **given: Any) -> UnaryMethod:
    """A method with one request and one answer."""
    return UnaryMethod(gate, request_type, handler, **given)


def server_stream(
    gate: Gate,
    request_type: type[Message],
    handler: Callable[[Any, Call], Awaitable[None]],
    *,
    open_to_all: bool = False,
) -> StreamMethod:
    """A method with one request and many answers."""

    async def answer(requests: AsyncIterator[bytes], call: Call) -> None:
        await handler(parsed(await anext(requests), request_type), call)

    return StreamMethod(gate, request_type, answer, streams_requests=False, open_to_all=open_to_all)


def both_streams(
    gate: Gate, request_type: type[Message], handler: Streaming, *, open_to_all: bool = False
) -> StreamMethod:
    """A method with many requests and many answers."""
    return StreamMethod(gate, request_type, handler, streams_requests=True, open_to_all=open_to_all)


def _to_its_end(answering: Awaitable[Answer]) -> "asyncio.Future[Answer]":
    """The answer of a call that goes on if the caller gives up. Then nobody is left to get its refusal."""
    running = asyncio.ensure_future(answering)

    def ended(done: "asyncio.Future[Answer]") -> None:
        # Asking for the exception keeps the event loop from reporting it; the caller who waits gets it all the same.
        if not done.cancelled():
            done.exception()

    running.add_done_callback(ended)
    return running


def parsed(raw: bytes, request_type: type[Message]) -> Any:
    """The request in these bytes; refused if they are not a request of this type."""
    try:
        request = request_type.FromString(raw)
    except (DecodeError, UnicodeError):
        path = path_of_bad_text(raw, request_type)
        if path is not None:
            raise FieldInvalid(field=path, problem="must be text in UTF-8") from None
        raise Malformed(what=request_type.DESCRIPTOR.name, problem="these bytes are no such message") from None
    return checked(request)


def checked(request: Any) -> Any:
    """A request; refused if it has an enum value that this server does not know."""
    check_enums(request)
    return request


def problem_told(error: Exception) -> Problem:
    """The problem that a caller sees for an error. A fault of the program is logged, and shown without details."""
    problem = problem_of(error)
    if problem is None:
        _LOG.exception("a call failed", exc_info=error)
        return FAULT
    return problem
