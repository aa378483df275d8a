"""The part of PromQL that our alerts and panels use, evaluated over two scrapes of the same process.

`rate`, `increase` and `deriv` compare the two scrapes; everything else looks at the later one.
"""

import operator
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from prometheus_client.parser import text_string_to_metric_families

Labels: TypeAlias = frozenset[tuple[str, str]]
Vector: TypeAlias = dict[Labels, float]
INTERVAL_SECONDS = 15.0

_TOKENS = re.compile(r'\s*("[^"]*"|\d+(?:\.\d+)?[smh]?|[a-zA-Z_:][\w:]*|=~|!~|==|!=|>=|<=|[-+*/<>=(){},\[\]])')
_COMPARED: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}
_RECKONED: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    # Prometheus divides by zero as floats do, and a NaN is above nothing.
    "/": lambda one, other: one / other if other else float("nan"),
}
_AGGREGATED: dict[str, Callable[[list[float]], float]] = {"sum": sum, "max": max, "min": min}


class Series(NamedTuple):
    """A sample of a scrape."""

    name: str
    labels: Labels


class Scrape(NamedTuple):
    """What a process said of itself at one time."""

    values: dict[Series, float]
    kinds: dict[str, str]
    """The kind of each family: counter, gauge or histogram."""


def scraped(text: str | None, **labels: str) -> Scrape:
    """A page of metrics, with `up` as Prometheus adds it; None for a process that did not answer."""
    target = frozenset(labels.items())
    values, kinds = {Series("up", target): float(text is not None)}, {"up": "gauge"}
    for family in text_string_to_metric_families(text or ""):
        kinds[family.name] = family.type
        for sample in family.samples:
            values[Series(sample.name, frozenset(sample.labels.items()) | target)] = sample.value
    return Scrape(values, kinds)


def names_in(expression: str) -> set[str]:
    """The names of the metrics in an expression."""
    plain = re.sub(r"\{[^}]*\}|\[[^]]*\]|\bby \([^)]*\)", "", expression)
    return set(re.findall(r"[a-zA-Z_]\w*\b(?! *\()", plain)) - {*_AGGREGATED, "or"}


def evaluated(expression: str, before: Scrape, after: Scrape) -> Vector:
    """The value of an expression."""
    parser = _Parser(expression, before, after)
    result = parser.either()
    assert parser.at_end, f"not understood from {parser.rest!r} on"
    assert not isinstance(result, float)
    return result


class _Parser:
    def __init__(self, expression: str, before: Scrape, after: Scrape) -> None:
        self._tokens, self._place = list(_tokens(expression)), 0
        self._before, self._after = before, after

    @property
    def at_end(self) -> bool:
        return self._place == len(self._tokens)

    @property
    def rest(self) -> list[str]:
        return self._tokens[self._place :]

    def either(self) -> Vector | float:
        found = self._compared()
        while self._taken("or"):
            other = self._compared()
            assert isinstance(found, dict)
            assert isinstance(other, dict)
            found = {**other, **found}
        return found

    def _compared(self) -> Vector | float:
        left = self._reckoned()
        if (sign := self._peek) not in _COMPARED:
            return left
        self._place += 1
        right = self._reckoned()
        assert isinstance(left, dict)
        assert isinstance(right, float)
        return {labels: value for labels, value in left.items() if _COMPARED[sign](value, right)}

    def _reckoned(self) -> Vector | float:
        left = self._term()
        while (sign := self._peek) in _RECKONED:
            self._place += 1
            right = self._term()
            assert isinstance(left, dict)
            reckon = _RECKONED[sign]
            if isinstance(right, float):
                left = {labels: reckon(value, right) for labels, value in left.items()}
            else:
                left = {labels: reckon(left[labels], right[labels]) for labels in left.keys() & right.keys()}
        return left

    def _term(self) -> Vector | float:
        word = self._next()
        if word[0].isdigit():
            return float(word)
        if word == "(":
            inner = self.either()
            self._expect(")")
            return inner
        if word in _AGGREGATED:
            return self._aggregated(_AGGREGATED[word])
        if self._peek == "(":
            return self._called(word)
        pairs = self._selected(word)
        return {labels: after for labels, (_, after) in pairs.items() if after is not None}

    def _aggregated(self, combine: Callable[[list[float]], float]) -> Vector:
        kept: list[str] = []
        if self._taken("by"):
            self._expect("(")
            while not self._taken(")"):
                kept.append(self._next())
                self._taken(",")
        self._expect("(")
        inner = self.either()
        self._expect(")")
        assert isinstance(inner, dict)
        groups: dict[Labels, list[float]] = {}
        for labels, value in inner.items():
            groups.setdefault(frozenset(pair for pair in labels if pair[0] in kept), []).append(value)
        return {labels: combine(values) for labels, values in groups.items()}

    def _called(self, name: str) -> Vector:
        self._expect("(")
        if name in {"rate", "increase", "deriv"}:
            pairs = self._selected(self._next())
            self._expect("[")
            assert re.fullmatch(r"\d+[smh]", self._next())
            self._expect("]")
            seconds = 1.0 if name == "increase" else INTERVAL_SECONDS
            # A counter that was not there before has no rate, as in Prometheus.
            found = {
                labels: (after - before) / seconds
                for labels, (before, after) in pairs.items()
                if before is not None and after is not None
            }
        elif name == "absent":
            inner = self.either()
            found = {} if inner else {frozenset(): 1.0}
        else:
            assert name == "histogram_quantile", name
            quantile = float(self._next())
            self._expect(",")
            inner = self.either()
            assert isinstance(inner, dict)
            found = _quantiles(quantile, inner)
        self._expect(")")
        return found

    def _selected(self, name: str) -> dict[Labels, tuple[float | None, float | None]]:
        """The series of a metric, each with its value before and after."""
        matchers: list[tuple[str, str, str]] = []
        if self._taken("{"):
            while not self._taken("}"):
                matchers.append((self._next(), self._next(), self._next().strip('"')))
                self._taken(",")
        series = {one for scrape in (self._before, self._after) for one in scrape.values if one.name == name}
        matching = [one for one in series if all(_matches(dict(one.labels), *matcher) for matcher in matchers)]
        return {one.labels: (self._before.values.get(one), self._after.values.get(one)) for one in matching}

    @property
    def _peek(self) -> str:
        return "" if self.at_end else self._tokens[self._place]

    def _next(self) -> str:
        self._place += 1
        return self._tokens[self._place - 1]

    def _taken(self, token: str) -> bool:
        found = self._peek == token
        self._place += found
        return found

    def _expect(self, token: str) -> None:
        assert self._taken(token), f"{token} is missing before {self.rest}"


def _tokens(expression: str) -> Iterator[str]:
    place, text = 0, expression.strip()
    while place < len(text):
        found = _TOKENS.match(text, place)
        assert found, f"not understood: {text[place:]}"
        place = found.end()
        yield found[1]


def _matches(labels: dict[str, str], name: str, sign: str, wanted: str) -> bool:
    value = labels.get(name, "")
    is_same = bool(re.fullmatch(wanted, value)) if "~" in sign else value == wanted
    return is_same is not sign.startswith("!")


def _quantiles(quantile: float, buckets: Vector) -> Vector:
    groups: dict[Labels, list[tuple[float, float]]] = {}
    for labels, value in buckets.items():
        bound = float(dict(labels)["le"])
        groups.setdefault(frozenset(pair for pair in labels if pair[0] != "le"), []).append((bound, value))
    return {labels: _quantile(quantile, sorted(counted)) for labels, counted in groups.items()}


def _quantile(quantile: float, counted: list[tuple[float, float]]) -> float:
    """The size below which a share of all lies, as Prometheus estimates it: a straight line within each bucket."""
    rank = quantile * counted[-1][1]
    if not counted[-1][1]:
        return float("nan")
    below_bound, below = 0.0, 0.0
    for bound, count in counted:
        if count >= rank:
            return (
                below_bound
                if bound == float("inf")
                else below_bound + (bound - below_bound) * (rank - below) / (count - below)
            )
        below_bound, below = bound, count
    return below_bound
