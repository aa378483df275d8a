"""The grammar of events, read from the page about the format, so that a test can hold games against it."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "audit-format.md"
_TOKEN = re.compile(r"[a-z-]+|[()\[\]|*]")
_NOTHING = "nothing"

Node: TypeAlias = tuple[str, tuple["Node", ...]] | str
"""A word, or what is made of several parts: `any` of them, `all` in a row, or the first as often as one likes."""


def grammar() -> dict[str, Node]:
    """What each name of the page stands for. What follows a comma in a line is said for people."""
    block = PAGE.read_text(encoding="utf-8").partition("### The course of a game")[2].partition("    game ")[2]
    lines = ("game " + block.partition("\n\n")[0]).split("\n")
    split = (line.strip().partition(" ") for line in lines)
    return {name: _Reader(_TOKEN.findall(body.partition(",")[0])).read() for name, _, body in split}


class _Reader:
    """Reads the right side of a line."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens[::-1]

    def read(self) -> Node:
        """Some ways, of which one is taken."""
        ways = [self._row()]
        while self._tokens and self._tokens[-1] == "|":
            self._tokens.pop()
            ways.append(self._row())
        return "any", tuple(ways)

    def _row(self) -> Node:
        parts = list[Node]()
        while self._tokens and self._tokens[-1] not in "|)]":
            parts.append(self._part())
        return "all", tuple(parts)

    def _part(self) -> Node:
        part = self._tokens.pop()
        node: Node = part
        if part in "([":
            node = self.read()
            self._tokens.pop()
            node = node if part == "(" else ("any", (node, _NOTHING))
        if self._tokens and self._tokens[-1] == "*":
            self._tokens.pop()
            node = "many", (node,)
        return node


class Course:
    """A sequence of kinds of events."""

    def __init__(self, rules: dict[str, Node], kinds: Sequence[str]) -> None:
        self._rules, self._kinds = rules, kinds
        self._ends = cache(self._found)

    @property
    def fits(self) -> bool:
        """Whether it is a whole game by the grammar."""
        return len(self._kinds) in self._ends("game", 0)

    def _found(self, node: Node, at: int) -> frozenset[int]:
        """Where a part of the grammar may end that begins at an event."""
        match node:
            case "nothing":
                return frozenset({at})
            case str():
                if node in self._rules:
                    return self._ends(self._rules[node], at)
                return frozenset({at + 1} if self._kinds[at : at + 1] == [node] else ())
            case ("any", ways):
                return frozenset().union(*(self._ends(way, at) for way in ways))
            case ("all", parts):
                return self._row(parts, at)
            case (_, (inner,)):
                return self._repeated(inner, at)
            case _:
                raise AssertionError(node)

    def _row(self, parts: tuple[Node, ...], at: int) -> frozenset[int]:
        ends = frozenset({at})
        for part in parts:
            ends = frozenset().union(*(self._ends(part, end) for end in ends))
        return ends

    def _repeated(self, inner: Node, at: int) -> frozenset[int]:
        found, new = frozenset({at}), frozenset({at})
        while new:
            new = frozenset().union(*(self._ends(inner, end) for end in new)) - found
            found |= new
        return found
