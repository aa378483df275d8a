"""The adapter for gRPC: turns methods into handlers of the library, and failures into statuses."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, TypeAlias

import grpc
from google.protobuf.message import Message

from services.access.address import limit_key
from services.access.identity import bearer_of
from services.rpc.method import AnyMethod, Served, StreamMethod, UnaryMethod, parsed, problem_told
from services.rpc.status import DETAILS_KEY, code_of_problem, details_of

Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"


class Tally:
    """How many calls have begun."""

    def __init__(self) -> None:
        self.begun = 0


class GrpcExchange:
    """A call over gRPC."""

    __slots__ = ("address", "context", "token")

    def __init__(self, context: Context) -> None:
        self.context, self.address, self.token = context, limit_key(context.peer()), _token(context)

    async def begin(self) -> None:
        """Send the metadata that come before all answers."""
        await self.context.send_initial_metadata(())

    async def send(self, message: bytes) -> None:
        """Send one answer on the stream of this call."""
        try:
            await self.context.write(message)
        except grpc.aio.InternalError:
            raise asyncio.CancelledError from None  # The caller is gone.


def generic_handler(service: Served, tally: Tally) -> grpc.GenericRpcHandler:
    """The handler of all calls of a service, for the library."""
    handlers = {name: _handler(method, tally) for name, method in service.methods.items()}
    return grpc.method_handlers_generic_handler(service.name, handlers)


def _handler(method: AnyMethod, tally: Tally) -> Any:
    if isinstance(method, UnaryMethod):
        return grpc.unary_unary_rpc_method_handler(_unary(method, tally))
    if method.streams_requests:
        return grpc.stream_stream_rpc_method_handler(_both_streams(method, tally))
    return grpc.unary_stream_rpc_method_handler(_server_stream(method, tally))


def _unary(method: UnaryMethod, tally: Tally) -> Any:
    request_type = method.request_type

    async def handle(raw: bytes, context: Context) -> bytes:
        tally.begun += 1
        try:
            answer = await method.answer(GrpcExchange(context), lambda: parsed(raw, request_type))
            return answer if isinstance(answer, bytes) else answer.SerializeToString()
        except Exception as error:  # noqa: BLE001 - the caller gets every failure, but nothing secret
            await _fail(context, error, request_type)
            raise AssertionError from None

    return handle


def _server_stream(method: StreamMethod, tally: Tally) -> Any:
    async def handle(raw: bytes, context: Context) -> None:
        tally.begun += 1
        await _stream(method, _one(raw), context)

    return handle


def _both_streams(method: StreamMethod, tally: Tally) -> Any:
    async def handle(requests: AsyncIterator[bytes], context: Context) -> None:
        tally.begun += 1
        await _stream(method, requests, context)

    return handle


async def _stream(method: StreamMethod, requests: AsyncIterator[bytes], context: Context) -> None:
    try:
        await method.stream(GrpcExchange(context), requests)
    except Exception as error:  # noqa: BLE001 - as above
        await _fail(context, error, method.request_type)


async def _one(raw: bytes) -> AsyncIterator[bytes]:
    yield raw


async def _fail(context: Context, error: Exception, request_type: type[Message]) -> None:
    """End a call with the status and the details of an error."""
    if isinstance(error, grpc.aio.AbortError):
        raise error
    problem = problem_told(error)
    details = ((DETAILS_KEY, details_of(problem, request_type)),)
    await context.abort(code_of_problem(problem), problem.message, trailing_metadata=details)


def _token(context: Context) -> str | None:
    for key, value in context.invocation_metadata() or ():
        if key == "authorization" and isinstance(value, str) and (token := bearer_of(value)) is not None:
            return token
    return None
