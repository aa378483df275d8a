"""Routes for operators: health, readiness, metrics."""

import asyncio
import logging
from contextlib import suppress
from http import HTTPStatus

import asyncpg
from litestar import Response, get
from litestar.openapi.datastructures import ResponseSpec

from infra.postgres.connections import PASSING
from services.http import request_metrics
from services.http.answers import HealthAnswer
from services.http.health import LIVE_PATH, READY_PATH, Ready
from services.http.library import Library, Shelf
from services.projector.metrics import METRICS_PATH
from services.projector.status import LOOK_SECONDS_MAX, ModelStatus, status_of

_TAGS = ["operations"]
_NOT_KEPT = {"Cache-Control": "no-store"}
_LOG = logging.getLogger(__name__)


@get(LIVE_PATH, operation_id="getLiveness", summary="Whether the process lives", tags=_TAGS)
async def live() -> Response[HealthAnswer]:
    """Answers as long as the process lives."""
    return Response(HealthAnswer("live"), headers=_NOT_KEPT)


@get(
    READY_PATH,
    operation_id="getReadiness",
    summary="Whether the process is ready",
    tags=_TAGS,
    responses={HTTPStatus.SERVICE_UNAVAILABLE.value: ResponseSpec(HealthAnswer, description="It is not ready.")},
)
async def ready(library: Shelf) -> Response[HealthAnswer]:
    """Whether the process can answer requests; if not, why. It also names the read models that catch up."""
    try:
        found = Ready("it is going down") if library.draining.is_set() else await library.readiness()
    except Exception as error:  # noqa: BLE001 - a process that can't find out whether it is ready is not ready
        _LOG.warning("the readiness of the process could not be checked (%s)", type(error).__name__)
        found = Ready("the check failed")
    status = HTTPStatus.OK if found.problem is None else HTTPStatus.SERVICE_UNAVAILABLE
    answer = HealthAnswer("ready" if found.problem is None else "not ready", found.problem, found.catching_up)
    return Response(answer, status_code=status.value, headers=_NOT_KEPT)


@get(METRICS_PATH, operation_id="getMetrics", summary="Metrics", tags=_TAGS, media_type=request_metrics.MEDIA_TYPE)
async def metrics(library: Shelf) -> Response[str]:
    """Metrics in the format of Prometheus."""
    written = await metrics_page(library)
    return Response(written, media_type=request_metrics.MEDIA_TYPE, headers=_NOT_KEPT)  # type: ignore[arg-type]  # as bytes


async def metrics_page(library: Library) -> bytes:
    """All metrics of the process, in the format of Prometheus."""
    return await library.metrics.page(lambda: _models(library))


async def _models(library: Library) -> tuple[ModelStatus, ...] | None:
    """The status of the read models; None if the database does not answer."""
    with suppress(asyncpg.PostgresError, *PASSING):
        async with asyncio.timeout(LOOK_SECONDS_MAX):
            return await status_of(library.archive.pool)
    return None


ROUTES = (live, ready)
METRICS_ROUTE = metrics
"""Left out if the metrics have an address of their own."""
