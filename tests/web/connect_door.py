"""A door for tests that speaks Connect in front of any gRPC server, such as one that lies; it also hands out files.

The door of the server itself is in front of the true server only. This one is small and knows nothing of games: each request
becomes a call, each answer or error of the call becomes JSON.
"""

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import grpc
import uvicorn
from google.protobuf.json_format import MessageToDict, MessageToJson, Parse
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2
from google.rpc.status_pb2 import Status

from tests.rpc.servers import METHODS

ROOT = Path(__file__).parents[2]
_KINDS = {".js": b"text/javascript", ".html": b"text/html; charset=utf-8"}
_END_OF_STREAM = 2
_DETAILS = {f"google.rpc.{name}": getattr(error_details_pb2, name) for name in ("ErrorInfo", "RetryInfo", "BadRequest")}
_PATHS: dict[str, Any] = dict(METHODS.values())


class ConnectDoor:
    """Takes requests of Connect, and makes calls of them."""

    def __init__(self, grpc_address: str) -> None:
        self._channel = grpc.aio.insecure_channel(grpc_address)
        self.address = ""

    @classmethod
    @asynccontextmanager
    async def before(cls, grpc_address: str) -> AsyncIterator["ConnectDoor"]:
        """A door that listens on a port of its own."""
        door = cls(grpc_address)
        server = _Server(uvicorn.Config(door, port=0, lifespan="off", log_config=None, access_log=False, ws="none"))
        serving = asyncio.create_task(server.serve())
        while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.005)
        door.address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        try:
            yield door
        finally:
            server.should_exit = server.force_exit = True
            await serving
            await door._channel.close()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["method"] == "GET":
            await _hand_out(ROOT / scope["path"].lstrip("/"), send)
            return
        method, headers = _PATHS[scope["path"]], dict(scope["headers"])
        body = await _body(receive)
        token = headers.get(b"authorization")
        metadata = () if token is None else (("authorization", token.decode()),)
        streamed = method.server_streaming
        request = Parse(body[5:] if streamed else body, GetMessageClass(method.input_type)())
        how: dict[str, Any] = {
            "request_serializer": type(request).SerializeToString,
            "response_deserializer": GetMessageClass(method.output_type).FromString,
        }
        if streamed:
            stream: Any = self._channel.unary_stream(scope["path"], **how)(request, metadata=metadata)
            await _stream(stream, receive, send)
        else:
            call: Any = self._channel.unary_unary(scope["path"], **how)(request, metadata=metadata)
            await _answer(call, send)


class _Server(uvicorn.Server):
    """A server that leaves signals alone."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


async def _answer(call: Any, send: Any) -> None:
    try:
        answer, status = MessageToJson(await call, indent=None), 200
    except grpc.aio.AioRpcError as error:
        answer, status = json.dumps(_refusal(error)), 503 if error.code() is grpc.StatusCode.UNAVAILABLE else 400
    await _respond(send, status, b"application/json", answer.encode())


async def _stream(call: Any, receive: Any, send: Any) -> None:
    """Pass on messages until the call ends or the client hangs up."""
    headers = [(b"content-type", b"application/connect+json")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"", "more_body": True})
    gone = asyncio.create_task(_hung_up(receive))
    gone.add_done_callback(lambda _: call.cancel())
    end: dict[str, Any] = {}
    try:
        async for message in call:
            await send(
                {
                    "type": "http.response.body",
                    "body": _enveloped(MessageToJson(message, indent=None)),
                    "more_body": True,
                }
            )
    except grpc.aio.AioRpcError as error:
        end = {"error": _refusal(error)}
    except asyncio.CancelledError:
        if not gone.done():
            raise
    finally:
        gone.cancel()
        call.cancel()
    await send({"type": "http.response.body", "body": _enveloped(json.dumps(end), _END_OF_STREAM)})


async def _hung_up(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _body(receive: Any) -> bytes:
    body, more = b"", True
    while more:
        part = await receive()
        body, more = body + part.get("body", b""), part.get("more_body", False)
    return body


async def _hand_out(path: Path, send: Any) -> None:
    known = path.suffix in _KINDS and await asyncio.to_thread(path.is_file)
    body = await asyncio.to_thread(path.read_bytes) if known else b""
    await _respond(send, 200 if known else 404, _KINDS.get(path.suffix, b"text/plain"), body)


async def _respond(send: Any, status: int, kind: bytes, body: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", kind)]})
    await send({"type": "http.response.body", "body": body})


def _enveloped(text: str, flags: int = 0) -> bytes:
    return bytes((flags,)) + len(text.encode()).to_bytes(4, "big") + text.encode()


def _refusal(error: grpc.aio.AioRpcError) -> dict[str, Any]:
    packed = dict(error.trailing_metadata()).get("grpc-status-details-bin", b"")
    details = []
    for detail in Status.FromString(bytes(packed)).details:
        name = detail.type_url.rpartition("/")[2]
        shown = _DETAILS[name]()
        detail.Unpack(shown)
        value = b64encode(detail.value).decode().rstrip("=")
        details.append({"type": name, "value": value, "debug": MessageToDict(shown)})
    code = error.code().name.lower().replace("cancelled", "canceled")
    return {"code": code, "message": error.details() or "", "details": details}
