"""The standard reflection service, behind the gate: the library's own has no limits and logs every message it can't read."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from grpc_reflection.v1alpha import reflection, reflection_pb2

from services.rpc.gate import Call, Gate
from services.rpc.grpc_adapter import GrpcExchange
from services.rpc.method import Served, both_streams, parsed

SERVICE = reflection.SERVICE_NAME
_REQUEST = reflection_pb2.ServerReflectionRequest


class Reflection:
    """Describes the services to programs that do not know them."""

    def __init__(self, gate: Gate, services: Sequence[str]) -> None:
        self._gate = gate
        self._library: Any = reflection.aio.ReflectionServicer(services)

    def served(self) -> Served:
        """The methods of this service."""
        described = both_streams(self._gate, _REQUEST, self._describe, open_to_all=True)
        return Served(SERVICE, {"ServerReflectionInfo": described})

    async def _describe(self, requests: AsyncIterator[bytes], call: Call) -> None:
        """Answer each request on the stream, and count it as a call."""
        assert isinstance(call.exchange, GrpcExchange), "no other protocol has this service"
        asked = self._asked(requests, call)
        async for answer in self._library.ServerReflectionInfo(asked, call.exchange.context):
            await call.send(answer.SerializeToString())

    async def _asked(self, requests: AsyncIterator[bytes], call: Call) -> AsyncIterator[Any]:
        async for raw in requests:
            self._gate.count(call)
            yield parsed(raw, _REQUEST)
