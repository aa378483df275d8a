"""Events as JSON: the fields of the event, and its kind as `type`, such as `bid_placed`. Bytes are base64."""

import re
from typing import Any, Union

import msgspec

from domain.events import AnyEvent
from domain.history.replaying import Odds, Step
from domain.values import Value


def _typed(kind: type[Any]) -> type[Any]:
    """The struct of an event, with its kind as a field."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()
    namespace = {"__doc__": kind.__doc__}
    return msgspec.defstruct(
        kind.__name__, [], bases=(kind,), namespace=namespace, module=__name__, tag_field="type", tag=name, frozen=True
    )


_TYPED = {kind: _typed(kind) for kind in AnyEvent.__args__}
TypedEvent: Any = Union[tuple(_TYPED.values())]  # noqa: UP007 - the kinds are known only at run time


class StepAnswer(Value, frozen=True):
    """An event of a game with its number. What the reader may not see is null."""

    version: int
    event: TypedEvent
    digest: bytes | None = None
    """The digest of the game up to this event, as base64."""
    odds: Odds | None = None
    """The chance that the standing bid after this event is true; null if there is no standing bid."""


def step_answer(step: Step) -> StepAnswer:
    """A step as an answer. The caller has removed what the reader may not see."""
    return StepAnswer(step.version, typed(step.event), step.digest, step.odds)


def typed(event: AnyEvent) -> Any:
    """The event, with its kind as a field."""
    return _TYPED[type(event)](**{name: getattr(event, name) for name in event.__struct_fields__})
