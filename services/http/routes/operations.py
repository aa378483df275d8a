"""Routes for operators: health, readiness, metrics. And a start page for people."""

import asyncio
import logging
from contextlib import suppress
from http import HTTPStatus

import asyncpg
from litestar import MediaType, Response, get
from litestar.openapi.datastructures import ResponseSpec

from infra.postgres.connections import PASSING
from services.http import request_metrics
from services.http.answers import HealthAnswer
from services.http.health import LIVE_PATH, READY_PATH
from services.http.library import Library, Shelf
from services.http.responses import unvarying
from services.http.security_headers import PAGE_STYLE
from services.projector.metrics import METRICS_PATH
from services.projector.status import LOOK_SECONDS_MAX, ModelStatus, status_of

_TAGS = ["operations"]
_NOT_KEPT = {"Cache-Control": "no-store"}
_LOG = logging.getLogger(__name__)

_PAGE = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Liar's Dice</title>
<style>{PAGE_STYLE}</style>
</head>
<body>
<h1>Liar's Dice</h1>
<p>This is a game server for Liar's Dice. Games are played over gRPC or Connect; here they can be read.</p>
<ul>
<li><a href="/api/v1/games">Games</a>, <a href="/api/v1/players">players</a> and
    <a href="/api/v1/rulebooks">rulebooks</a>, as JSON</li>
<li><a href="/api/v1/checkpoint">The latest checkpoint</a> of the audit log</li>
<li><a href="/schema">All requests</a>, also as <a href="/schema/openapi.json">OpenAPI</a></li>
</ul>
<p>To play: <code>liarsdice play</code>.</p>
</body>
</html>
"""


@get("/", media_type=MediaType.HTML, include_in_schema=False)
async def page() -> Response[str]:
    """The start page."""
    return unvarying(_PAGE, media_type=MediaType.HTML)


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
    """Whether the process can answer requests; if not, why."""
    try:
        found = "it is going down" if library.draining.is_set() else await library.problem()
    except Exception as error:  # noqa: BLE001 - a process that can't find out whether it is ready is not ready
        _LOG.warning("the readiness of the process could not be checked (%s)", type(error).__name__)
        found = "the check failed"
    if found is not None:
        answer, status = HealthAnswer("not ready", found), HTTPStatus.SERVICE_UNAVAILABLE
        return Response(answer, status_code=status.value, headers=_NOT_KEPT)
    return Response(HealthAnswer("ready"), headers=_NOT_KEPT)


@get(METRICS_PATH, operation_id="getMetrics", summary="Metrics", tags=_TAGS, media_type=request_metrics.MEDIA_TYPE)
async def metrics(library: Shelf) -> Response[str]:
    """Metrics in the format of Prometheus."""
    written = await metrics_page(library)
    return Response(written, media_type=request_metrics.MEDIA_TYPE, headers=_NOT_KEPT)  # type: ignore[arg-type]  # as bytes


async def metrics_page(library: Library) -> bytes:
    """All metrics of the process, in the format of Prometheus."""
    return library.metrics.written(await _models(library))


async def _models(library: Library) -> tuple[ModelStatus, ...]:
    """The status of the read models; empty if the database does not answer."""
    with suppress(asyncpg.PostgresError, *PASSING):
        async with asyncio.timeout(LOOK_SECONDS_MAX):
            return await status_of(library.archive.pool)
    return ()


ROUTES = (page, live, ready)
METRICS_ROUTE = metrics
"""Left out if the metrics have an address of their own."""
