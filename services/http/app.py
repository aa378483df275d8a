"""The application: its routes, the admission before them, the answer to failures, and the layers around it."""

from collections.abc import Mapping, Sequence
from typing import Any

from litestar import Litestar, Request, Router
from litestar.connection import ASGIConnection
from litestar.di import Provide
from litestar.handlers import BaseRouteHandler

from services.access.rate_limit import AddressLimit
from services.access.sight import Sight
from services.http.admission import SAME_FOR_ALL, Reader
from services.http.cross_origin import CrossOrigin
from services.http.delivery import App, Delivery, Receive, Send
from services.http.known_parameters import KnownParameters
from services.http.library import Library, Shelf, Who
from services.http.paced import Paced
from services.http.page.layer import Paged
from services.http.page.site import Site
from services.http.parameters import decisions_of, span_of, wanted_of
from services.http.problems import failure_response
from services.http.request_metrics import Measured
from services.http.routes import (
    clubs,
    decisions,
    export,
    freshness,
    games,
    operations,
    players,
    proofs,
    statistics,
    streams,
    tiles,
)
from services.http.schema import config as schema
from services.http.security_headers import Secured

API = "/api/v1"


def layered(
    app: Litestar,
    library: Library,
    of_address: AddressLimit,
    site: Site,
    *,
    cors_origins: Sequence[str] = (),
    doors: Mapping[str, App] | None = None,
) -> App:
    """The application with its layers, ready to be served.

    Requests for paths with the prefix of one of the `doors` go there, within the same layers but without a rate of ours.
    """
    inner = Forked(Paced(app, of_address), doors or {})
    # The headers come first: an answer without a body has to repeat those of the body that the reader has.
    readers = Delivery(Secured(CrossOrigin(inner, cors_origins)))
    return Measured(Paged(site, of_address, readers), library.metrics)


class Forked:
    """Leads requests to one of several applications, by the beginning of their paths."""

    def __init__(self, app: App, doors: Mapping[str, App]) -> None:
        self._app, self._doors = app, tuple(doors.items())

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Serve one request."""
        for prefix, door in self._doors:
            if scope["type"] == "http" and scope["path"].startswith(prefix):
                await door(scope, receive, send)
                return
        await self._app(scope, receive, send)


def application(library: Library, site: Site, *, with_metrics: bool = True) -> Litestar:
    """The application, without the layers around it."""

    async def shelf() -> Library:
        return library

    # These are functions, because the router copies every other object that it gets.
    async def admit(connection: "ASGIConnection[Any, Any, Any, Any]", handler: BaseRouteHandler) -> None:
        await library.admission.admit(connection, same_for_all=SAME_FOR_ALL in handler.opt)

    parameters = KnownParameters()

    async def know(connection: "ASGIConnection[Any, Any, Any, Any]", handler: BaseRouteHandler) -> None:
        parameters.check(connection, handler)

    modules = (games, streams, export, players, statistics, decisions, clubs, freshness, proofs, tiles)
    routes = [route for module in modules for route in module.ROUTES]
    api = Router(
        API,
        route_handlers=routes,
        guards=[admit, know],
        dependencies={
            "reader": Provide(_reader),
            "sight": Provide(_sight),
            "wanted": Provide(wanted_of),
            "span": Provide(span_of),
            "choice": Provide(decisions_of),
        },
    )
    return Litestar(
        [api, *operations.ROUTES, *([operations.METRICS_ROUTE] if with_metrics else [])],
        dependencies={"library": Provide(shelf)},
        exception_handlers={Exception: failure_response},
        openapi_config=schema.config(site.folder),
        logging_config=None,  # `failure_response` logs failures.
        debug=False,
    )


async def _reader(request: "Request[Any, Any, Any]") -> Reader:
    reader: Reader = request.scope["state"]["reader"]
    return reader


async def _sight(library: Shelf, reader: Who) -> Sight:
    return Sight(reader.caller, library.now())
