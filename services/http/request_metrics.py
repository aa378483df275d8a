"""What is measured: requests by route and status, how long they take, open streams, and how the read models stand.

No label has an id, a name or anything of a game in it.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from litestar.exceptions import LitestarException
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from services.http.delivery import App, Message, Receive, Send
from services.projector import metrics as measuring
from services.projector.metrics import ModelMetrics
from services.projector.status import ModelStatus

MEDIA_TYPE = measuring.MEDIA_TYPE.removesuffix("; charset=utf-8")
SEND_SECONDS_MAX = 60.0
"""Who takes nothing for so long is let go."""
NO_ROUTE = "none"
_LOG = logging.getLogger(__name__)
disable_created_metrics()  # type: ignore[no-untyped-call]  # Nobody needs to know since when a route was asked for.
_SECONDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)

Counts = Callable[[], Mapping[str, float]]
"""Tells what else of the process can be told without asking anybody, by names that `COUNTED` describes."""
COUNTED = {
    "events_seen_total": "Events in the store that this process has seen, those from before it started included.",
    "rpc_calls_total": "Calls of gRPC, and commands on the Play call, that have come since the process started.",
    "rpc_streams_open": "Streams of gRPC on which somebody plays, watches or replays a game now.",
}
"""What only grows has a name that ends with `_total`."""


class _Counted:
    """What the process counts anyway, as metrics."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        """All of it, as it is now."""
        for name, value in self._counts().items():
            family = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
            yield family(f"liarsdice_{name}", COUNTED[name], value)


class Metrics:
    """The metrics of a process."""

    def __init__(self, counts: Counts = dict) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_Counted(counts))
        self.requests = Counter(
            "liarsdice_http_requests",
            "Requests that were answered.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self.seconds = Histogram(
            "liarsdice_http_request_seconds",
            "How long it took to answer, streams left out.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self.streams = Gauge(
            "liarsdice_http_streams_open", "Streams of events that are open.", ("kind",), registry=self._registry
        )
        self._models = ModelMetrics(self._registry)

    @contextmanager
    def stream(self, kind: str) -> Iterator[None]:
        """Count a stream while it is open."""
        with self.streams.labels(kind).track_inprogress():
            yield

    def written(self, models: tuple[ModelStatus, ...]) -> bytes:
        """All metrics, as Prometheus reads them, with how the read models stand now."""
        return self._models.written(models)


class Measured:
    """The outermost layer around an application: it counts, and lets go of readers who take nothing."""

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
        except Exception as error:  # noqa: BLE001 - an answer that has begun can only be broken off
            _LOG.warning("an answer for %s was broken off (%s)", _route(scope), _kind(error))
        route = _route(scope)
        shown = method if method in ("GET", "HEAD", "OPTIONS") else "other"
        self._metrics.requests.labels(shown, route, status or HTTPStatus.INTERNAL_SERVER_ERROR.value).inc()
        if not streamed:
            self._metrics.seconds.labels(route).observe(time.monotonic() - began)


def _route(scope: Any) -> str:
    """The path as it is declared, so that no id is in it."""
    return str(scope.get("path_template") or NO_ROUTE)


def _kind(error: BaseException) -> str:
    """What kind of error it was, inside of what the framework wraps around it."""
    if isinstance(error, LitestarException) and error.__cause__ is not None:
        return _kind(error.__cause__)
    if isinstance(error, BaseExceptionGroup):
        return _kind(error.exceptions[0])
    return type(error).__name__
