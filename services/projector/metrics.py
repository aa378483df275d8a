"""How the read models stand, as metrics. No label has anything of a game in it."""

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from services.projector.status import ModelStatus

MEDIA_TYPE = CONTENT_TYPE_LATEST
METRICS_PATH = "/metrics"


class ModelMetrics:
    """The metrics of the read models, in a registry that may hold others."""

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
        """All metrics of the registry, as Prometheus reads them, with how the read models stand now."""
        for gauge in (self._lag, self._faults):
            gauge.clear()
        for one in models:
            if one.state != "retired":
                self._lag.labels(one.name, one.state).inc(one.lag)
                self._faults.labels(one.name, one.state).inc(one.fault is not None)
        return generate_latest(self._registry)
