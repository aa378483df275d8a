"""Metrics: requests by route and status, the time they take, open streams, and the progress of the read models.

No label contains an id, a name or anything else from a game.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Protocol

from litestar.exceptions import LitestarException
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.metrics_core import Metric

from services.http.delivery import App, Message, Receive, Send
from services.projector import metrics as measuring
from services.projector.metrics import ModelMetrics
from services.projector.status import ModelStatus

MEDIA_TYPE = measuring.MEDIA_TYPE.removesuffix("; charset=utf-8")
SEND_SECONDS_MAX = 60.0
"""The connection of a reader who takes nothing for so long is closed."""
NO_ROUTE = "none"
_LOG = logging.getLogger(__name__)
disable_created_metrics()  # type: ignore[no-untyped-call]  # Nobody needs the time of the first request of a route.
_SECONDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)

Models = Callable[[], Awaitable[tuple[ModelStatus, ...] | None]]
"""Returns the status of the read models; None if the database does not answer."""


class Counted(Protocol):
    """Other numbers that the process counts anyway."""

    async def look(self) -> bool:
        """Find out what is not in memory; returns whether the database answered."""

    def collect(self) -> Iterable[Metric]:
        """All of these metrics, as they are now."""


class Metrics:
    """The metrics of a process."""

    def __init__(self, counted: Sequence[Counted] = ()) -> None:
        self._registry, self._counted = CollectorRegistry(), counted
        for one in counted:
            self._registry.register(one)
        ProcessCollector(registry=self._registry)
        self.requests = Counter(
            "liarsdice_http_requests",
            "Requests that were answered.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self.seconds = Histogram(
            "liarsdice_http_request_seconds",
            "How long it took to answer, without streams.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self.streams = Gauge(
            "liarsdice_http_streams_open", "Streams of events that are open.", ("kind",), registry=self._registry
        )
        self.dropped = Counter(
            "liarsdice_http_streams_dropped",
            "Streams of events that ended because their reader was too slow.",
            registry=self._registry,
        )
        self._answers = Gauge(
            "liarsdice_database_answers",
            "Whether the database answered (1) or not (0) when these numbers were asked for.",
            registry=self._registry,
        )
        self._models = ModelMetrics(self._registry)

    @contextmanager
    def stream(self, kind: str) -> Iterator[None]:
        """Count a stream while it is open."""
        with self.streams.labels(kind).track_inprogress():
            yield

    async def page(self, models: Models | None = None) -> bytes:
        """All metrics in the format of Prometheus, including those of the read models if this process knows them."""
        # At the same time: each waits for as long as it may if the database is away.
        looks = asyncio.gather(*(one.look() for one in self._counted))
        found, looked = await asyncio.gather((models or _no_models)(), looks)
        self._answers.set(found is not None and all(looked))
        return self._models.written(found or ())


class Measured:
    """The outermost layer around an application. It counts requests, and disconnects readers who take nothing."""

    def __init__(self, app: App, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Measure one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method, began, status, streamed = scope["method"], time.monotonic(), 0, False

        async def watched(message: Message) -> None:
            nonlocal status, streamed
            if message["type"] == "http.response.start":
                status = message["status"]
            streamed = streamed or bool(message.get("more_body"))
            async with asyncio.timeout(SEND_SECONDS_MAX):
                await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as error:  # noqa: BLE001 - after its first byte an answer can only be cut off
            _LOG.warning("an answer for %s was cut off (%s)", _route(scope), _kind(error))
        route = _route(scope)
        shown = method if method in ("GET", "HEAD", "OPTIONS") else "other"
        self._metrics.requests.labels(shown, route, status or HTTPStatus.INTERNAL_SERVER_ERROR.value).inc()
        if not streamed:
            self._metrics.seconds.labels(route).observe(time.monotonic() - began)


async def _no_models() -> tuple[ModelStatus, ...]:
    return ()


def _route(scope: Any) -> str:
    """The path as the route declares it, without any id."""
    return str(scope.get("path_template") or NO_ROUTE)


def _kind(error: BaseException) -> str:
    """The name of the original error, inside the errors that the framework wraps around it."""
    if isinstance(error, LitestarException) and error.__cause__ is not None:
        return _kind(error.__cause__)
    if isinstance(error, BaseExceptionGroup):
        return _kind(error.exceptions[0])
    return type(error).__name__
