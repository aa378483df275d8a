"""HTML and SVG from Python. Every text is escaped where it enters, so a name can't become an element."""

from collections.abc import Iterable, Mapping
from html import escape

_VOID = frozenset(("meta", "br"))


class Markup(str):
    """A text that is markup already, and is not escaped again."""

    __slots__ = ()


def element(name: str, attributes: Mapping[str, object] | None = None, *children: object) -> Markup:
    """An element; an attribute that is None is left out."""
    given = (attributes or {}).items()
    written = "".join(f' {key}="{escape(str(value))}"' for key, value in given if value is not None)
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{inside(*children)}</{name}>")


def inside(*children: object) -> Markup:
    """The markup of some children: texts, elements, lists of them, and None for nothing."""
    return Markup("".join(map(_written, children)))


def style(**properties: object) -> str:
    """The value of a style attribute that sets custom properties: `at=4` sets `--at`."""
    return ";".join(f"--{name.replace('_', '-')}:{value}" for name, value in properties.items())


def _written(child: object) -> str:
    match child:
        case None:
            return ""
        case Markup():
            return child
        case str():
            return escape(child)
        case Iterable():
            return "".join(map(_written, child))
        case _:
            return escape(str(child))
