"""Parameters that no route has: a filter with a slip in its name must not let everything through."""

from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from services.access.refusals import FieldInvalid

_READING = ("GET", "HEAD")
_NAME_LENGTH_MAX = 64


class KnownParameters:
    """What the routes can be asked with, as they declare it."""

    def __init__(self) -> None:
        self._of: dict[BaseRouteHandler, frozenset[str]] = {}

    def check(self, connection: "ASGIConnection[Any, Any, Any, Any]", handler: BaseRouteHandler) -> None:
        """Refuse a request that has a parameter that its route does not have."""
        if connection.scope.get("method") not in _READING:
            return
        if handler not in self._of:
            self._of[handler] = _declared(handler, connection.path_params)
        for name in connection.query_params:
            if name not in self._of[handler]:
                known = ", ".join(sorted(self._of[handler])) or "none"
                raise FieldInvalid(
                    field=name[:_NAME_LENGTH_MAX], problem=f"is no parameter of this path; there are: {known}"
                )


def _declared(handler: BaseRouteHandler, path_parameters: dict[str, Any]) -> frozenset[str]:
    """The query parameters of a route and of all that it depends on."""
    expected = handler.create_kwargs_model(path_parameters).expected_query_params
    return frozenset(parameter.field_alias for parameter in expected)
