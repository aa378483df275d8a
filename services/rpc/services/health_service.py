"""The standard health service. When the server goes down, it sends this to those who watch, and ends their calls.

The library's health service keeps each watch open until the server cuts it off. So one watch would make every shutdown
take the whole grace period.
"""

import asyncio
from collections.abc import Iterable
from typing import Any

from grpc import StatusCode
from grpc_health.v1 import health_pb2, health_pb2_grpc

_GOING = "The server is going down; connect again a little later."


class Health(health_pb2_grpc.HealthServicer):
    """Says whether each service is served. The empty name stands for the server as a whole."""

    def __init__(self, services: Iterable[str]) -> None:
        self._services = frozenset(("", *services))
        self._draining = asyncio.Event()

    async def Check(self, request: Any, context: Any) -> health_pb2.HealthCheckResponse:  # noqa: N802 - its name on the wire
        """The status of a service."""
        if request.service not in self._services:
            await context.abort(StatusCode.NOT_FOUND, "There is no such service.")
        return self._status(request.service)

    async def Watch(self, request: Any, context: Any) -> None:  # noqa: N802 - its name on the wire
        """Send the status of a service now, and again when the server goes down."""
        await context.write(self._status(request.service))
        if not self._draining.is_set():
            await self._draining.wait()
            if request.service in self._services:
                await context.write(self._status(request.service))
        await context.abort(StatusCode.UNAVAILABLE, _GOING)

    def drain(self) -> None:
        """Report from now on that nothing is served."""
        self._draining.set()

    def _status(self, service: str) -> health_pb2.HealthCheckResponse:
        states = health_pb2.HealthCheckResponse
        if service not in self._services:
            return states(status=states.SERVICE_UNKNOWN)
        return states(status=states.NOT_SERVING if self._draining.is_set() else states.SERVING)
