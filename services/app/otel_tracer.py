"""Spans in OpenTelemetry. Only a process that was asked for traces imports this, because it needs the extra `tracing`."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from opentelemetry.context import Context, get_current
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Status, StatusCode, get_current_span

from infra.spans import Place, traced_by


class OtelTracer:
    """Takes spans for an exporter."""

    def __init__(self, provider: TracerProvider) -> None:
        self._tracer = provider.get_tracer("liarsdice")

    @contextmanager
    def span(self, name: str, numbers: dict[str, int], *, is_first: bool) -> Iterator[None]:
        """A span around a block."""
        # The library would note the words of an error, which may quote dice or a token. Its kind is enough.
        with self._tracer.start_as_current_span(
            name,
            context=Context() if is_first else None,
            attributes=numbers,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield
            except Exception as error:
                span.set_status(Status(StatusCode.ERROR, type(error).__name__))
                raise

    def here(self) -> Place | None:
        """The present context; None if it has no span that is kept."""
        return get_current() if get_current_span().is_recording() else None

    def past(self, name: str, place: Place, seconds: float, numbers: dict[str, int]) -> None:
        """Take a span that ends now and began so long ago, below a place."""
        assert isinstance(place, Context)
        end = time.time_ns()
        begin = end - int(seconds * 1e9)
        self._tracer.start_span(name, context=place, attributes=numbers, start_time=begin).end(end)

    def begun(self, name: str) -> Callable[[], None]:
        """Begin a span below the present one; returns the function that ends it."""
        return self._tracer.start_span(name).end


@contextmanager
def exported(exporter: SpanExporter) -> Iterator[None]:
    """Send all spans of this process to an exporter, some at a time, until the block ends."""
    # Nothing of the machine or of the command line goes with them.
    provider = TracerProvider(resource=Resource({"service.name": "liarsdice"}), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    try:
        with traced_by(OtelTracer(provider)):
            yield
    finally:
        provider.shutdown()


def exporter_to(url: str) -> SpanExporter:
    """What sends spans to a collector over OTLP."""
    return OTLPSpanExporter(endpoint=url)
