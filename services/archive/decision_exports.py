"""Exports of the decisions of a player, which go on where the one before ended, as those of games do.

A decision is there once the history and the statistics have its game: the history knows where in its lane the game ended.
Within what is new, decisions come in the order asked for.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from domain.statistics.answers import DecisionMade, DecisionsWanted, Span
from domain.values import Value
from infra.postgres.queries import query
from infra.workers.meter import touched
from services.access.sight import Sight
from services.archive.decisions import NOWHERE, Mark, asked_of, check_book, decision_of, is_mark
from services.archive.exports import CourseOf, Courses, Reach, Resumed, bounds
from services.archive.people import known_player
from services.archive.sums import VIEWS, decisions_query
from services.bots.names import counted_id

_UNITS = 100
"""What a look into the decisions of a player costs, whatever it finds."""

DecisionCourse = CourseOf[Mark]


class PlayerDecisions(Value, frozen=True):
    """Which decisions an export is about."""

    player_id: str
    span: Span
    wanted: DecisionsWanted


class DecisionsPart(NamedTuple):
    """Some decisions of an export, and the course after them."""

    decisions: tuple[DecisionMade, ...]
    course: DecisionCourse


class DecisionExports(Courses[PlayerDecisions, Mark]):
    """Exports of decisions in games that everybody may know, and of the private games of a player who asks."""

    _TOKENS = msgspec.json.Decoder(Resumed[Mark])

    async def begin(self, wanted: PlayerDecisions, sight: Sight, after: str, field: str) -> DecisionCourse:
        """A course from the beginning, or after the token of an earlier export with the same reader and filters."""
        check_book(wanted.span)
        course = await super().begin(wanted, sight, after, field)
        await known_player(self._pool, wanted.player_id, sight)
        return course

    async def part(self, wanted: PlayerDecisions, sight: Sight, course: DecisionCourse, limit: int) -> DecisionsPart:
        """The next decisions of a course."""
        if course.is_over:
            return DecisionsPart((), course)
        rows = await self._rows(wanted, sight, course, limit)
        touched(_UNITS + len(rows))
        decisions = tuple(map(decision_of, rows))
        if len(rows) == limit:
            row = rows[-1]
            return DecisionsPart(
                decisions, course.at(Mark(row["regret"], row["ended_at"], row["game_id"], row["version"]))
            )
        return DecisionsPart(decisions, CourseOf(course.asked, course.until, course.last, None, course.last))

    async def _rows(self, wanted: PlayerDecisions, sight: Sight, course: DecisionCourse, limit: int) -> Any:
        again = course.done.at >= 0
        sql = decisions_query(wanted.wanted.order, first=course.place is None, exported=True, again=again)
        return await self._pool.fetch(
            sql,
            *asked_of(counted_id(wanted.player_id), sight, wanted.span, wanted.wanted),
            *(course.place or NOWHERE),
            limit,
            *bounds(course),
            *((await self._first_shown(course),) if again else ()),
        )

    async def _first_shown(self, course: DecisionCourse) -> int:
        """When the first game is shown that may be new."""
        first = await self._pool.fetchval(query("first_new_record"), list(course.done.ends), list(course.until.ends))
        return course.done.at + 1 if first is None else min(first, course.done.at + 1)

    async def _ends(self, wanted: PlayerDecisions, sight: Sight) -> Sequence[int]:  # noqa: ARG002 - of all games, whatever is asked for
        ends = query("decision_export_ends", schema=VIEWS)
        return list(await self._pool.fetchval(ends, sight.caller.player_id, sight.now, self._lanes))

    async def _beginning(self, done: Reach, until: Reach) -> Mark | None:  # noqa: ARG002 - what is new may be anywhere in the order
        return None

    def _is_place(self, place: Mark) -> bool:
        return is_mark(place)

    def _key(self, wanted: PlayerDecisions) -> Any:
        return "decisions", counted_id(wanted.player_id), wanted.span, wanted.wanted
