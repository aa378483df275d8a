"""Says in words what a parameter may be, from the same declaration that the schema is made from."""

from typing import Any, Literal, get_args, get_origin

from litestar.handlers import BaseRouteHandler
from litestar.params import ParameterKwarg
from litestar.typing import FieldDefinition

ID_PATTERN = r"^[A-Za-z0-9._-]{1,64}$"
_PATTERNS = {ID_PATTERN: "must be an id: 1 to 64 English letters, digits, dots, underscores and hyphens"}


def declared_parameters(handler: BaseRouteHandler) -> dict[str, FieldDefinition]:
    """The parameters of a route and of its dependencies, by their names in requests."""
    found: dict[str, FieldDefinition] = {}
    dependencies = handler.resolve_dependencies()
    waiting = [handler.parsed_fn_signature]
    while waiting:
        for name, field in waiting.pop().parameters.items():
            if name in dependencies:
                waiting.append(dependencies[name].parsed_fn_signature)
            elif isinstance(field.kwarg_definition, ParameterKwarg):
                found[field.kwarg_definition.name or name] = field
    return found


def allowed_values(field: FieldDefinition) -> str:
    """What a parameter may be, as the rest of a sentence that begins with its name."""
    declared: Any = field.kwarg_definition
    kinds = [kind for kind in _alternatives(field.annotation) if kind is not type(None)]
    if get_origin(kinds[0]) is Literal:
        return f"must be one of {', '.join(map(str, get_args(kinds[0])))}"
    if bool in kinds:
        return "must be true or false"
    if int in kinds:
        return f"must be a whole number {_range(declared)}"
    if float in kinds:
        return f"must be a number {_range(declared)}"
    if declared.pattern:
        return _PATTERNS[declared.pattern]
    return "must be a text" if declared.max_length is None else f"must have at most {declared.max_length} characters"


def takes_text(field: FieldDefinition) -> bool:
    """Whether any text may be a value of a parameter."""
    return str in _alternatives(field.annotation)


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    """The members of a union; of anything else, itself."""
    return (annotation,) if get_origin(annotation) is Literal else get_args(annotation) or (annotation,)


def _range(declared: Any) -> str:
    return (
        f"from {declared.ge:.12g} to {declared.le:.12g}"
        if isinstance(declared.le, float)
        else f"from {declared.ge} to {declared.le}"
    )
