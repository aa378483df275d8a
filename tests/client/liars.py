"""A server that lies: it stands before a true one and changes its answers about a game. It notes what clients send."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Self

import grpc
from google.protobuf.message_factory import GetMessageClass
from liarsdice.v1 import game_pb2, game_service_pb2, player_service_pb2

Lie = Callable[[game_pb2.Game, Any], None]
"""Changes a game and the events told with it, in place."""


class Liar:
    """Passes on requests and answers, and changes the answers about games once it has a lie."""

    def __init__(self, true_address: str) -> None:
        self._true = grpc.aio.insecure_channel(true_address)
        self.lie: Lie | None = None
        self.links: list[bytes] = []
        """All links that it was sent."""
        self.deaf_to = ""
        """The call to which it does not listen."""
        self.address = ""

    @classmethod
    @asynccontextmanager
    async def before(cls, true_address: str) -> AsyncIterator[Self]:
        """A liar that listens on a port of its own."""
        liar, server = cls(true_address), grpc.aio.server()
        for module in (game_service_pb2, player_service_pb2):
            for service in module.DESCRIPTOR.services_by_name.values():
                handlers = {method.name: liar._handler(service.full_name, method) for method in service.methods}
                server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service.full_name, handlers),))
        liar.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        await server.start()
        try:
            yield liar
        finally:
            await server.stop(0)
            await liar._true.close()

    def _handler(self, service: str, method: Any) -> Any:
        path = f"/{service}/{method.name}"
        asked, answered = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
        how: dict[str, Any] = {
            "request_serializer": asked.SerializeToString,
            "response_deserializer": answered.FromString,
        }
        kinds: dict[str, Any] = {
            "request_deserializer": asked.FromString,
            "response_serializer": answered.SerializeToString,
        }
        if method.client_streaming:
            return grpc.stream_stream_rpc_method_handler(self._both(self._true.stream_stream(path, **how)), **kinds)
        if method.server_streaming:
            return grpc.unary_stream_rpc_method_handler(self._stream(self._true.unary_stream(path, **how)), **kinds)
        true = self._true.unary_unary(path, **how)
        return grpc.unary_unary_rpc_method_handler(self._unary(method.name, true), **kinds)

    def _unary(self, name: str, call: Any) -> Any:
        async def answer(request: Any, context: Any) -> Any:
            self._note(request)
            if name == self.deaf_to:
                await context.abort(grpc.StatusCode.UNAVAILABLE, "it does not listen")
            try:
                return self._changed(await call(request, metadata=_token(context)))
            except grpc.aio.AioRpcError as error:
                await _pass_on(error, context)

        return answer

    def _stream(self, call: Any) -> Any:
        async def answer(request: Any, context: Any) -> AsyncIterator[Any]:
            stream = call(request, metadata=_token(context))
            await context.send_initial_metadata(())
            try:
                async for message in stream:
                    yield self._changed(message)
            except grpc.aio.AioRpcError as error:
                await _pass_on(error, context)
            finally:
                stream.cancel()

        return answer

    def _both(self, call: Any) -> Any:
        async def answer(requests: AsyncIterator[Any], context: Any) -> AsyncIterator[Any]:
            stream = call(self._noted(requests), metadata=_token(context))
            try:
                async for message in stream:
                    yield self._changed(message)
            finally:
                stream.cancel()

        return answer

    async def _noted(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for request in requests:
            self._note(getattr(request, request.WhichOneof("request")))
            yield request

    def _note(self, request: Any) -> None:
        links = (getattr(sent, "link", b"") for sent in (request, getattr(request, "reroll", None)))
        self.links += [link for link in links if link]

    def _changed(self, message: Any) -> Any:
        if self.lie is None:
            return message
        if isinstance(message, game_service_pb2.GetGameResponse):
            self.lie(message.game, ())
        elif isinstance(message, game_service_pb2.WatchGameResponse | game_service_pb2.PlayResponse):
            if message.HasField("snapshot"):
                self.lie(message.snapshot, ())
            elif message.HasField("update"):
                self.lie(message.update.game, message.update.events)
            elif isinstance(message, game_service_pb2.PlayResponse):
                for response in message.batch.responses:
                    self._changed(response)
        return message


def _token(context: Any) -> Any:
    return [(key, value) for key, value in context.invocation_metadata() if key == "authorization"]


async def _pass_on(error: grpc.aio.AioRpcError, context: Any) -> None:
    await context.abort(error.code(), error.details() or "", tuple(error.trailing_metadata()))
