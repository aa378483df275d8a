"""The standard health service. When the server goes down, it sends this to those who watch, and ends their calls.

The library's health service keeps each watch open until the server cuts it off. So one watch would make every shutdown
take the whole grace period.
"""

import asyncio
from collections.abc import Iterable

from grpc import GenericRpcHandler, StatusCode, method_handlers_generic_handler
from grpc_health.v1 import health, health_pb2

from services.rpc.gate import Call, Gate, server_stream, unary

SERVICE = health.SERVICE_NAME
_GOING = "The server is going down; connect again a little later."


class Health:
    """Says whether each service is served. The empty name stands for the server as a whole."""

    def __init__(self, gate: Gate, services: Iterable[str]) -> None:
        self._gate = gate
        self._services = frozenset(("", *services))
        self._draining = asyncio.Event()

    def handler(self) -> GenericRpcHandler:
        """The handler of all calls of this service."""
        request = health_pb2.HealthCheckRequest
        return method_handlers_generic_handler(
            SERVICE,
            {
                "Check": unary(self._gate, request, self._check, open_to_all=True),
                "Watch": server_stream(self._gate, request, self._watch, open_to_all=True),
            },
        )

    async def _check(self, request: health_pb2.HealthCheckRequest, call: Call) -> health_pb2.HealthCheckResponse:
        """The status of a service."""
        if request.service not in self._services:
            await call.context.abort(StatusCode.NOT_FOUND, "There is no such service.")
        return self._status(request.service)

    async def _watch(self, request: health_pb2.HealthCheckRequest, call: Call) -> None:
        """Send the status of a service now, and again when the server goes down."""
        await call.send(self._status(request.service).SerializeToString())
        if not self._draining.is_set():
            await self._draining.wait()
            if request.service in self._services:
                await call.send(self._status(request.service).SerializeToString())
        await call.context.abort(StatusCode.UNAVAILABLE, _GOING)

    def drain(self) -> None:
        """Report from now on that nothing is served."""
        self._draining.set()

    def _status(self, service: str) -> health_pb2.HealthCheckResponse:
        states = health_pb2.HealthCheckResponse
        if service not in self._services:
            return states(status=states.SERVICE_UNKNOWN)
        return states(status=states.NOT_SERVING if self._draining.is_set() else states.SERVING)
