"""Switches traces on, for a process that was started with `--traces`."""

from contextlib import AbstractContextManager, nullcontext
from importlib import import_module

from infra.failure import CommandFailed

_MISSING = (
    "traces need the packages of the extra `tracing`, which are not installed here:"
    " run python -m pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-grpc"
)


def tracing_to(url: str | None) -> AbstractContextManager[None]:
    """Send the spans of this process to a collector until the block ends; without a URL nothing is made or loaded."""
    if url is None:
        return nullcontext()
    if not url.startswith(("http://", "https://")):
        raise CommandFailed("--traces takes a URL, like http://127.0.0.1:4317")
    try:
        otel = import_module("services.app.otel_tracer")
    except ImportError as error:
        if not (error.name or "").startswith("opentelemetry"):
            raise
        raise CommandFailed(_MISSING) from None
    tracing: AbstractContextManager[None] = otel.exported(otel.exporter_to(url))
    return tracing
