"""The status of the read models as metrics. No label contains anything about a game."""

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from services.projector.status import ModelStatus

MEDIA_TYPE = CONTENT_TYPE_LATEST
METRICS_PATH = "/metrics"


class ModelMetrics:
    """The metrics of the read models, in a registry that may have others."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._registry = registry or CollectorRegistry()
        self._lag = Gauge(
            "liarsdice_model_lag_events",
            "How many events a read model has not taken in yet.",
            ("model", "state"),
            registry=self._registry,
        )
        self._faults = Gauge(
            "liarsdice_model_faults",
            "In how many lanes a read model has stopped before an event.",
            ("model", "state"),
            registry=self._registry,
        )

    def written(self, models: Sequence[ModelStatus]) -> bytes:
        """All metrics of the registry in the format of Prometheus, with the present status of the read models."""
        for gauge in (self._lag, self._faults):
            gauge.clear()
        for one in models:
            if one.state != "retired":
                self._lag.labels(one.name, one.state).inc(one.lag)
                self._faults.labels(one.name, one.state).inc(one.fault is not None)
        return generate_latest(self._registry)
