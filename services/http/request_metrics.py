"""Metrics: requests by route and status, the time they take, open streams, and the progress of the read models.

No label contains an id, a name or anything else from a game.
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
"""The connection of a reader who takes nothing for so long is closed."""
NO_ROUTE = "none"
_LOG = logging.getLogger(__name__)
disable_created_metrics()  # type: ignore[no-untyped-call]  # Nobody needs the time of the first request of a route.
_SECONDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)

Counts = Callable[[], Mapping[str, float]]
"""Returns other numbers that the process has in memory, by names that `COUNTED` describes."""
COUNTED = {
    "events_seen_total": "Events in the store that this process knows of, including those from before it started.",
    "log_signing_stopped": "Whether nothing is signed, because the log in the database is not the signed one (1), or all is well (0).",
    "log_witnesses_away": "How many witnesses of the policy have not cosigned when they were asked last.",
    "rpc_calls_total": "Calls over all protocols, and commands on Play calls, since the process started.",
    "rpc_streams_open": "Streams over all protocols on which somebody plays, watches or replays a game now.",
}
"""The name of a number that only grows ends with `_total`."""


class _Counted:
    """The numbers that the process counts anyway, as metrics."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        """All of these metrics, as they are now."""
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
            "How long it took to answer, without streams.",
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
        """All metrics in the format of Prometheus, including those of the read models."""
        return self._models.written(models)


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
