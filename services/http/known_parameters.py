"""Refuses parameters that a route does not have: a filter with a misspelt name must not let everything through."""

from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from services.access.refusals import FieldInvalid

_READING = ("GET", "HEAD")
_NAME_LENGTH_MAX = 64


class KnownParameters:
    """The parameters of each route, as the routes declare them."""

    def __init__(self) -> None:
        self._of: dict[BaseRouteHandler, frozenset[str]] = {}

    def check(self, connection: "ASGIConnection[Any, Any, Any, Any]", handler: BaseRouteHandler) -> None:
        """Refuse a request with a parameter that its route does not have."""
        if connection.scope.get("method") not in _READING:
            return
        if handler not in self._of:
            self._of[handler] = _declared(handler, connection.path_params)
        for name in connection.query_params:
            if name not in self._of[handler]:
                known = ", ".join(sorted(self._of[handler])) or "none"
                raise FieldInvalid(
                    field=name[:_NAME_LENGTH_MAX], problem=f"is not a parameter of this path, which has: {known}"
                )


def _declared(handler: BaseRouteHandler, path_parameters: dict[str, Any]) -> frozenset[str]:
    """The query parameters of a route and of its dependencies."""
    expected = handler.create_kwargs_model(path_parameters).expected_query_params
    return frozenset(parameter.field_alias for parameter in expected)
