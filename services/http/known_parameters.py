"""Refuses parameters that a route does not have, or has once: a slip in a filter must not let everything through."""

from collections import Counter
from typing import Any

from litestar.connection import ASGIConnection
from litestar.enums import ParamType
from litestar.handlers import BaseRouteHandler

from services.access.refusals import FieldInvalid
from services.http.allowed_values import declared_parameters

_READING = ("GET", "HEAD")
_NAME_LENGTH_MAX = 64


class KnownParameters:
    """The parameters of each route, as the routes declare them."""

    def __init__(self) -> None:
        self._of: dict[BaseRouteHandler, frozenset[str]] = {}

    def check(self, connection: "ASGIConnection[Any, Any, Any, Any]", handler: BaseRouteHandler) -> None:
        """Refuse a request with a parameter that its route does not have, or with two values for one."""
        if connection.scope.get("method") not in _READING:
            return
        if handler not in self._of:
            self._of[handler] = _in_query(handler)
        known = self._of[handler]
        for name, count in Counter(name for name, _ in connection.query_params.multi_items()).items():
            if name not in known:
                problem = f"is not a parameter of this path, which has: {', '.join(sorted(known)) or 'none'}"
                raise FieldInvalid(field=name[:_NAME_LENGTH_MAX], problem=problem)
            if count > 1:
                raise FieldInvalid(field=name, problem=f"must be given once, and not {count} times")


def _in_query(handler: BaseRouteHandler) -> frozenset[str]:
    """The names of the query parameters of a route and of its dependencies."""
    return frozenset(
        name
        for name, field in declared_parameters(handler).items()
        if getattr(field.kwarg_definition, "param_type", None) is ParamType.QUERY
    )
