"""The standard health service: what is served, until the server goes down; then whoever watches is told so and let go.

The library's own keeps a watch open until the server cuts it off, so that each made going down last for the whole grace.
"""

import asyncio
from collections.abc import Iterable
from typing import Any

from grpc import StatusCode
from grpc_health.v1 import health_pb2, health_pb2_grpc

_GOING = "The server is going down; connect again a little later."


class Health(health_pb2_grpc.HealthServicer):
    """Whether services are served, and whether the server as a whole is, which has the empty name."""

    def __init__(self, services: Iterable[str]) -> None:
        self._services = frozenset(("", *services))
        self._draining = asyncio.Event()

    async def Check(self, request: Any, context: Any) -> health_pb2.HealthCheckResponse:  # noqa: N802 - its name on the wire
        """How a service is."""
        if request.service not in self._services:
            await context.abort(StatusCode.NOT_FOUND, "There is no such service.")
        return self._told(request.service)

    async def Watch(self, request: Any, context: Any) -> None:  # noqa: N802 - its name on the wire
        """How a service is, and that it goes."""
        await context.write(self._told(request.service))
        if not self._draining.is_set():
            await self._draining.wait()
            if request.service in self._services:
                await context.write(self._told(request.service))
        await context.abort(StatusCode.UNAVAILABLE, _GOING)

    def drain(self) -> None:
        """Serve nothing any more; there is no way back."""
        self._draining.set()

    def _told(self, service: str) -> health_pb2.HealthCheckResponse:
        states = health_pb2.HealthCheckResponse
        if service not in self._services:
            return states(status=states.SERVICE_UNKNOWN)
        return states(status=states.NOT_SERVING if self._draining.is_set() else states.SERVING)
