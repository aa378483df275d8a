"""The standard health service. When the server goes down, it sends this to those who watch, and ends their calls.

The library's health service keeps each watch open until the server cuts it off. So one watch would make every shutdown
take the whole grace period.
"""

import asyncio
from collections.abc import Iterable

from grpc import StatusCode
from grpc_health.v1 import health, health_pb2

from services.rpc.gate import Call, Gate
from services.rpc.grpc_adapter import GrpcExchange
from services.rpc.method import Served, server_stream, unary

SERVICE = health.SERVICE_NAME
_GOING = "The server is going down; connect again a little later."


class Health:
    """Says whether each service is served. The empty name stands for the server as a whole."""

    def __init__(self, gate: Gate, services: Iterable[str]) -> None:
        self._gate = gate
        self._services = frozenset(("", *services))
        self._draining = asyncio.Event()

    def served(self) -> Served:
        """The methods of this service."""
        request = health_pb2.HealthCheckRequest
        return Served(
            SERVICE,
            {
                "Check": unary(self._gate, request, self._check, open_to_all=True),
                "Watch": server_stream(self._gate, request, self._watch, open_to_all=True),
            },
        )

    async def _check(self, request: health_pb2.HealthCheckRequest, call: Call) -> health_pb2.HealthCheckResponse:
        """The status of a service."""
        if request.service not in self._services:
            await _abort(call, StatusCode.NOT_FOUND, "There is no such service.")
        return self._status(request.service)

    async def _watch(self, request: health_pb2.HealthCheckRequest, call: Call) -> None:
        """Send the status of a service now, and again when the server goes down."""
        await call.send(self._status(request.service).SerializeToString())
        if not self._draining.is_set():
            await self._draining.wait()
            if request.service in self._services:
                await call.send(self._status(request.service).SerializeToString())
        await _abort(call, StatusCode.UNAVAILABLE, _GOING)

    def drain(self) -> None:
        """Report from now on that nothing is served."""
        self._draining.set()

    def _status(self, service: str) -> health_pb2.HealthCheckResponse:
        states = health_pb2.HealthCheckResponse
        if service not in self._services:
            return states(status=states.SERVICE_UNKNOWN)
        return states(status=states.NOT_SERVING if self._draining.is_set() else states.SERVING)


async def _abort(call: Call, code: StatusCode, sentence: str) -> None:
    """End a call with a status as the standard names it, without a reason of ours."""
    assert isinstance(call.exchange, GrpcExchange), "no other protocol has this service"
    await call.exchange.context.abort(code, sentence)
