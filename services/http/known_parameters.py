"""Refuses parameters that a route does not have, or has once: a slip in a filter must not let everything through."""

from collections import Counter
from typing import Any

from litestar.connection import ASGIConnection
from litestar.enums import ParamType
from litestar.handlers import BaseRouteHandler
from litestar.typing import FieldDefinition

from services.access.refusals import FieldInvalid
from services.http.allowed_values import allowed_values, declared_parameters, takes_text

_READING = ("GET", "HEAD")
_NAME_LENGTH_MAX = 64
_NULL = "null"


class KnownParameters:
    """The parameters of each route, as the routes declare them."""

    def __init__(self) -> None:
        self._of: dict[BaseRouteHandler, dict[str, FieldDefinition]] = {}

    def check(self, connection: "ASGIConnection[Any, Any, Any, Any]", handler: BaseRouteHandler) -> None:
        """Refuse a request with a parameter that its route does not have, or with two values for one."""
        if connection.scope.get("method") not in _READING:
            return
        if handler not in self._of:
            self._of[handler] = _in_query(handler)
        known = self._of[handler]
        given = list(connection.query_params.items())
        for name, count in Counter(name for name, _ in given).items():
            if name not in known:
                problem = f"is not a parameter of this path, which has: {', '.join(sorted(known)) or 'none'}"
                raise FieldInvalid(field=name[:_NAME_LENGTH_MAX], problem=problem)
            if count > 1:
                raise FieldInvalid(field=name, problem=f"must be given once, and not {count} times")
        for name, value in given:
            # A parameter is left out and never null, but the decoder takes this word for null.
            if value.lower() == _NULL and not takes_text(known[name]):
                raise FieldInvalid(field=name, problem=allowed_values(known[name]))


def _in_query(handler: BaseRouteHandler) -> dict[str, FieldDefinition]:
    """The query parameters of a route and of its dependencies."""
    return {
        name: field
        for name, field in declared_parameters(handler).items()
        if getattr(field.kwarg_definition, "param_type", None) is ParamType.QUERY
    }
