"""The gate does what every call needs: it parses the request, finds the caller, limits the rate and reports failures.

Handlers get a request and a caller, and return an answer or raise. The gate parses requests itself, because the library
answers bytes that are no message with an internal error.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeAlias

import grpc
from google.protobuf.message import DecodeError, Message

from domain.refusals import Malformed
from services.access.address import limit_key
from services.access.budget import NO_BUDGET, Budget
from services.access.caller import NOBODY, Caller
from services.access.identity import Identities
from services.access.open_streams import OpenStreams
from services.access.payer import Payer, payer_of
from services.access.rate_limit import AddressLimit, RateLimit
from services.access.refusals import (
    FieldInvalid,
    ReadsWaiting,
    ReadTooMuch,
    ScopeMissing,
    StreamsTooMany,
    TokenInvalid,
    TokenMissing,
    TooFast,
)
from services.reasons.problem import FAULT, Problem, problem_of
from services.rpc.request_shape import check_enums, path_of_bad_text
from services.rpc.status import DETAILS_KEY, code_of_problem, details_of

_LOG = logging.getLogger(__name__)
_BEARER = "bearer "
_TOO_MUCH = (TooFast, ReadTooMuch, ReadsWaiting, StreamsTooMany)

Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"
Answer: TypeAlias = "Message | bytes"
Unary: TypeAlias = "Callable[[Any, Call], Awaitable[Answer]]"
"""Returns the answer to a request, as a message or as the bytes of one."""
Streaming: TypeAlias = "Callable[[Any, Call], Awaitable[None]]"


class Call:
    """One call: its caller, and the stream for its answers."""

    __slots__ = ("_identities", "address", "caller", "context", "token")

    def __init__(self, context: Context, address: str, caller: Caller, token: str, identities: Identities) -> None:
        # The address is a value, because asking an ended call for its peer would crash the process.
        self.address = address
        self.context, self.caller, self.token, self._identities = context, caller, token, identities

    @property
    def payer(self) -> Payer:
        """The one whose limits this call counts for."""
        return payer_of(self.caller.player_id, self.address)

    async def renew(self) -> None:
        """Refuse to go on if the call has a token that is no longer valid."""
        if self.token and self._identities.known(self.token) is None:
            await self._identities.identify(self.token)

    async def send(self, message: bytes) -> None:
        """Send one answer on the stream of this call."""
        try:
            await self.context.write(message)
        except grpc.aio.InternalError:
            raise asyncio.CancelledError from None  # The caller is gone.


class Gate:
    """Admits calls, or refuses them because of their token, scope or rate."""

    def __init__(
        self,
        identities: Identities,
        of_player: RateLimit,
        of_address: AddressLimit,
        streams: OpenStreams | None = None,
        budget: Budget = NO_BUDGET,
    ) -> None:
        self._identities, self._of_player, self._of_address = identities, of_player, of_address
        self.streams, self.budget = streams or OpenStreams(0), budget
        self.admitted = self.commands = 0

    @property
    def calls(self) -> int:
        """The number of calls so far, and of commands on open streams."""
        return self.admitted + self.commands

    def admit_known(
        self, context: Context, address: str, *, open_to_all: bool = False, scope: str | None = None
    ) -> Call | None:
        """Count a call and admit it; None if the caller is not in memory, and `admit` has to read who it is."""
        # Not a coroutine, because every call passes here and most callers are in memory.
        self.admitted += 1
        self._of_address.check(address)
        token = _token(context)
        if token is None:
            if open_to_all:
                return Call(context, address, NOBODY, "", self._identities)
            raise TokenMissing
        caller = self._identities.known(token)
        return None if caller is None else self._admitted(context, address, caller, token, scope)

    async def admit(
        self, context: Context, address: str, *, scope: str | None = None, same_for_all: bool = False
    ) -> Call:
        """Admit a call for which `admit_known` returned None."""
        token = _token(context)
        assert token is not None, "only a call with a token has a caller to look up"
        try:
            caller = await self._identities.identify(token)
        except TokenInvalid:
            if same_for_all:
                return Call(context, address, NOBODY, "", self._identities)
            raise
        return self._admitted(context, address, caller, token, scope)

    def _admitted(self, context: Context, address: str, caller: Caller, token: str, scope: str | None) -> Call:
        self._of_player.check(caller.player_id)
        if scope is not None:
            check_scope(caller, scope)
        return Call(context, address, caller, token, self._identities)

    async def linger(self, address: str, error: Exception) -> None:
        """Let a caller who is refused again and again because of a limit wait for it."""
        if isinstance(error, _TOO_MUCH):
            await self._of_address.linger(address)

    def count(self, call: Call) -> None:
        """Count a command on an open stream against the rate of its caller."""
        self.commands += 1
        if call.token:
            self._of_player.check(call.caller.player_id)
        else:
            self._of_address.check(call.address)


def unary(
    gate: Gate,
    request_type: type[Message],
    handler: Unary,
    *,
    open_to_all: bool = False,
    same_for_all: bool = False,
    scope: str | None = None,
    in_steps: bool = False,
) -> "grpc.RpcMethodHandler[bytes, bytes]":
    """The handler of a call with one request and one answer.

    A call `open_to_all` needs no token. One that is `same_for_all` also takes an old token: its answer does not depend on
    the caller, and a client whose token was revoked must be able to register again.
    If the caller gives up, an append that has begun is still completed, and the caller can send the same request again.
    A call `in_steps` makes several appends. It runs to its end, because nobody wants half of it.
    """

    async def handle(raw: bytes, context: Context) -> bytes:
        address = limit_key(context.peer())
        try:
            call = gate.admit_known(context, address, open_to_all=open_to_all or same_for_all, scope=scope)
            call = call or await gate.admit(context, address, scope=scope, same_for_all=same_for_all)
            request = parsed(raw, request_type)
            answering = handler(request, call)
            answer = await (asyncio.shield(_to_its_end(answering)) if in_steps else answering)
            return answer if isinstance(answer, bytes) else answer.SerializeToString()
        except Exception as error:  # noqa: BLE001 - the caller gets every failure, but nothing secret
            await gate.linger(address, error)
            await fail(context, error, request_type)
            raise AssertionError from None

    return grpc.unary_unary_rpc_method_handler(handle)


def server_stream(
    gate: Gate, request_type: type[Message], handler: Streaming, *, open_to_all: bool = False
) -> "grpc.RpcMethodHandler[bytes, bytes]":
    """The handler of a call with one request and many answers."""

    async def handle(raw: bytes, context: Context) -> None:
        address = limit_key(context.peer())
        try:
            call = gate.admit_known(context, address, open_to_all=open_to_all) or await gate.admit(context, address)
            with gate.streams.opened(call.payer):
                await handler(parsed(raw, request_type), call)
        except Exception as error:  # noqa: BLE001 - as above
            await gate.linger(address, error)
            await fail(context, error, request_type)

    return grpc.unary_stream_rpc_method_handler(handle)


def both_streams(
    gate: Gate,
    request_type: type[Message],
    handler: Callable[[AsyncIterator[bytes], Call], Awaitable[None]],
    *,
    open_to_all: bool = False,
) -> Any:
    """The handler of a call with many requests and many answers."""

    async def handle(requests: AsyncIterator[bytes], context: Context) -> None:
        address = limit_key(context.peer())
        try:
            call = gate.admit_known(context, address, open_to_all=open_to_all) or await gate.admit(context, address)
            with gate.streams.opened(call.payer):
                await handler(requests, call)
        except Exception as error:  # noqa: BLE001 - as above
            await gate.linger(address, error)
            await fail(context, error, request_type)

    return grpc.stream_stream_rpc_method_handler(handle)


def _to_its_end(answering: Awaitable[Answer]) -> "asyncio.Future[Answer]":
    """The answer of a call that goes on if the caller gives up. Then nobody is left to get its refusal."""
    running = asyncio.ensure_future(answering)

    def ended(done: "asyncio.Future[Answer]") -> None:
        # Asking for the exception keeps the event loop from reporting it; the caller who waits gets it all the same.
        if not done.cancelled():
            done.exception()

    running.add_done_callback(ended)
    return running


def check_scope(caller: Caller, scope: str) -> None:
    """Refuse a caller without this scope. No scope includes another."""
    if scope not in caller.scopes:
        raise ScopeMissing(scope=scope)


def parsed(raw: bytes, request_type: type[Message]) -> Any:
    """The request in these bytes; refused if they are not a request of this type."""
    try:
        request = request_type.FromString(raw)
    except (DecodeError, UnicodeError):
        path = path_of_bad_text(raw, request_type)
        if path is not None:
            raise FieldInvalid(field=path, problem="must be text in UTF-8") from None
        raise Malformed(what=request_type.DESCRIPTOR.name, problem="these bytes are no such message") from None
    check_enums(request)
    return request


def problem_told(error: Exception) -> Problem:
    """The problem that a caller sees for an error. A fault of the program is logged, and shown without details."""
    problem = problem_of(error)
    if problem is None:
        _LOG.exception("a call failed", exc_info=error)
        return FAULT
    return problem


async def fail(context: Context, error: Exception, request_type: type[Message]) -> None:
    """End a call with the status and the details of an error."""
    if isinstance(error, grpc.aio.AbortError):
        raise error
    problem = problem_told(error)
    details = ((DETAILS_KEY, details_of(problem, request_type)),)
    await context.abort(code_of_problem(problem), problem.message, trailing_metadata=details)


def _token(context: Context) -> str | None:
    for key, value in context.invocation_metadata() or ():
        if key == "authorization" and isinstance(value, str) and value[: len(_BEARER)].lower() == _BEARER:
            return value[len(_BEARER) :].strip() or None
    return None
