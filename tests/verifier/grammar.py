"""The course of a game, read from the page about the format, so that a test can hold games against it."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "audit-format.md"
HEAD = "| state | what can come | when | state after it |\n|---|---|---|---|\n"
NOTHING = "nothing"
FIRST, LAST = "empty", "over"

Course = dict[str, dict[str, frozenset[str]]]
"""For each state the kinds of events that can come, and the states that may be after them."""


@cache
def course() -> Course:
    """The table of the page, without its column `when`."""
    found: dict[str, dict[str, frozenset[str]]] = {}
    for state, kind, after in _steps():
        kinds = found.setdefault(state, {})
        if kind != NOTHING:
            kinds[kind] = kinds.get(kind, frozenset()) | {after}
    return found


def states_after(kinds: Sequence[str]) -> frozenset[str]:
    """The states in which a game may be after these kinds of events; none if one of them can't come."""
    states = frozenset({FIRST})
    for kind in kinds:
        states = frozenset().union(*(course()[state].get(kind, ()) for state in states))
    return states


def fits(kinds: Sequence[str]) -> bool:
    """Whether these kinds of events are a whole game."""
    return LAST in states_after(kinds)


def _steps() -> Iterator[tuple[str, str, str]]:
    """Each state, a kind of event that can come in it, and the state after that. A row without a state is about the one above it."""
    rows = PAGE.read_text(encoding="utf-8").partition(HEAD)[2].partition("\n\n")[0]
    state = ""
    for row in rows.splitlines():
        named, kinds, _, after = (cell.strip() for cell in row.strip("|").split("|"))
        state = named.strip("`") or state
        for kind in re.split(", ", kinds):
            yield state, kind, after.strip("`")
