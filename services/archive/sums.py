"""The SQL of sums over games: the same groups, whether games are added to the sums or counted for one answer.

The queries are in `sums.sql` and `statistics.sql`. Only the lists of columns are filled in here, because they follow from the
facts that the domain counts.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from domain.commands import Kind
from domain.statistics.answers import Measure, Order, Span
from domain.statistics.course import COURSE
from domain.statistics.facts import NUMBERS
from infra.postgres.queries import query

VIEWS = "statistics_v2"
OF_SEATS = ("games", "placed", "won", *NUMBERS)
OF_PAIRS = ("games", "ahead", "level", "behind", "challenges", "challenges_won", "challenged", "held")
OF_STANDINGS = (
    *("games", "placed", "won", "challenges", "challenges_won", "challenged", "held", "decisions", "best_decisions"),
)
DAY_MILLISECONDS = 86_400_000
WHOLE_SEATS = frozenset(("", "seat", "players", "place"))
"""The dimensions to which a seat belongs as a whole; all others are about single decisions."""

_ALL_DAYS, _LAST_DAY, _LAST = -1, 2**31 - 1, 2**62
_RATES: dict[Measure, tuple[str, str]] = {
    "wins": ("won", "placed"),
    "challenges": ("challenges_won", "challenges"),
    "bids": ("held", "challenged"),
    "decisions": ("best_decisions", "decisions"),
    "games": ("games", "games"),
}
_LOW_END = (
    "(hits::double precision / tries + 1.9207294103470618 / tries - sqrt(3.8414588206941236 / tries"
    " * (hits::double precision / tries * (1 - hits::double precision / tries) + 0.9603647051735309 / tries)))"
    " / (1 + 3.8414588206941236 / tries)"
)


class Days(NamedTuple):
    """A time as the sums have it: whole days from the sums, and what is cut off at both ends from the rows of games."""

    first: int
    """The first day in the sums; -1 for the sums of all days together."""
    end: int
    """The day after the last."""
    whole_from: int
    whole_until: int
    since: int
    until: int


def days_of(span: Span, *, single: bool = False) -> Days:
    """The days of a span; if it has no bounds, the sums of all days together, unless every `single` day is asked for."""
    if span.since is None and span.until is None and not single:
        return Days(_ALL_DAYS, 0, 0, _LAST, 0, _LAST)
    since, until = span.since or 0, _LAST if span.until is None else span.until
    first = -(-since // DAY_MILLISECONDS)
    end = _LAST_DAY if span.until is None else until // DAY_MILLISECONDS
    if first >= end:
        return Days(0, 0, until, until, since, until)
    whole_until = _LAST if span.until is None else end * DAY_MILLISECONDS
    return Days(first, end, first * DAY_MILLISECONDS, whole_until, since, until)


@cache
def sums_query(dimensions: Sequence[str]) -> str:
    """The query for sums of players in the groups of some dimensions."""
    return _filled("sum_groups", VIEWS, OF_SEATS, _parts(VIEWS, dimensions), _counted("player_id = ANY ($1)"))


@cache
def pairs_query() -> str:
    """The query for players with each other."""
    parts = query("parts_of_pairs", schema=VIEWS)
    return _filled("compare_players", VIEWS, OF_PAIRS, parts, _counted("player_id = ANY ($1)"))


@cache
def ranking_query(measure: Measure, kind: Kind | None, *, in_span: bool) -> str:
    """The query for players of a kind by a measure."""
    hits, tries = _RATES[measure]
    found = _filled(
        "rank_in_span" if in_span else "rank_by_total",
        VIEWS,
        OF_SEATS,
        _parts(VIEWS, ("",)),
        _counted("$1::text[] IS NULL"),
    )
    counts = measure == "games"
    names = {"hits": hits, "tries": tries, "low": "games" if counts else f"low_{measure}"}
    names["low_of"] = "games" if counts else _LOW_END
    names["of_kind"] = "true" if kind is None else query(f"is_{kind}", schema=VIEWS)
    for name, column in names.items():
        found = found.replace("{" + name + "}", column)
    return found


@cache
def seats_query() -> str:
    """The query for the single games of a player."""
    return query("list_seats", schema=VIEWS).replace("{sums}", ", ".join(f"sum({one}) AS {one}" for one in NUMBERS))


@cache
def decisions_query(order: Order, *, first: bool, exported: bool = False, again: bool = False) -> str:
    """The query for the decisions of a player, the newest or the worst first: for a page, or for an export.

    Pages and exports after the first have conditions of their own, so that an index leads to their rows at once.
    """
    conditions = {
        "following": "decisions_from_first" if first else "decisions_following",
        "unexported": "decisions_unexported" if exported else "",
    }
    found = query("list_decisions", schema=VIEWS)
    for place, name in conditions.items():
        found = found.replace("{" + place + "}", query(name, schema=VIEWS) if name else "true")
    if again:
        of_new = query("decisions_of_new_games", schema=VIEWS)
        found = found.replace("ORDER BY", f"AND {of_new}\nORDER BY")
    worst = order == "worst"
    found = found.replace("{regret}", "regret, " if worst else "")
    found = found.replace("{last_regret}", "$14::bigint, " if worst else "")
    return found.replace("{order}", "regret DESC, " if worst else "")


@cache
def courses_query() -> str:
    """The query for the courses of games."""
    return _filled("sum_courses", VIEWS, COURSE, "", "").replace("{signed}", _signed(COURSE))


@cache
def adding_queries(schema: str) -> tuple[str, ...]:
    """The queries that add games to all sums of a generation."""
    counted = query("seats_to_count", schema=schema)
    pairs = query("parts_of_pairs", schema=schema)
    return (
        _filled("add_to_sums", schema, OF_SEATS, _parts(schema), counted),
        _filled("add_to_pairs", schema, OF_PAIRS, pairs, counted),
        _filled("add_to_standings", schema, OF_STANDINGS),
        query("add_to_people", schema=schema),
        _filled("add_to_courses", schema, COURSE),
    )


def _filled(name: str, schema: str, numbers: Sequence[str], parts: str = "", counted: str = "") -> str:
    filled = {
        "counted": counted,
        "parts": parts,
        "numbers": ", ".join(numbers),
        "sums": ", ".join(f"sum({one}) AS {one}" for one in numbers),
        "added": ", ".join(f"{one} = kept.{one} + excluded.{one}" for one in numbers),
    }
    found = query(name, schema=schema)
    for placeholder, sql in filled.items():
        found = found.replace("{" + placeholder + "}", sql)
    return found


def _parts(schema: str, dimensions: Sequence[str] | None = None) -> str:
    """What counted seats add to groups, of all dimensions or of some. A part that no dimension needs is left out."""
    whole = dimensions is None or not WHOLE_SEATS.isdisjoint(dimensions)
    single = dimensions is None or not WHOLE_SEATS.issuperset(dimensions)
    names = ", ".join(f"'{one}'" for one in dimensions or ())
    wanted = "" if dimensions is None else f"AND parts.dimension IN ({names})"
    parts = [
        *([query("parts_of_seats", schema=schema).replace("{signed}", _signed(NUMBERS))] if whole else []),
        *([query("parts_of_decisions", schema=schema)] if single else []),
    ]
    return " UNION ALL ".join(parts).replace("{wanted}", wanted)


def _counted(whose: str) -> str:
    return query("counted_seats", schema=VIEWS).replace("{whose}", whose)


def _signed(numbers: Sequence[str]) -> str:
    return ", ".join(f"sign * seats.{one} AS {one}" for one in numbers)
