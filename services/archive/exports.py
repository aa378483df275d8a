"""Exports: all records that a reader may see, in parts, so that a later export goes on where this one ended.

Times can't say where an export ended. Lanes are projected on their own, so a game that ended earlier may arrive later; the
game of a delayed table appears in the middle of others; and stored games may have any time. So an export notes how far it
reached: the moment, and in each lane the last end of a game that the reader may see. The games of a lane become visible
to the projector in the order of these ends. What one reach covers and an earlier one does not is therefore exactly what
is new, for every reader, and each game is new once. docs/adr/0020-incremental-export.md has the reasons.
"""

import zlib
from abc import ABC, abstractmethod
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import asyncpg
import msgspec

from domain.naming import is_id
from domain.values import Value
from infra.postgres.queries import query
from services.access.refusals import FieldInvalid
from services.access.sight import Sight
from services.archive.archive import Place, Wanted, parameters
from services.archive.refusals import ExportNotReady

Form = Literal["record", "csv", "notation"]
PART_BYTES_MAX = 1024 * 1024
"""Thirty-two usual games as CSV are less than this. What a part leaves out was read in vain."""
_DIGEST_BYTES = 8


class Reach(Value, frozen=True, array_like=True):
    """How far an export has come: it has what everybody might know at a moment, and of each lane the games up to an end."""

    at: int
    ends: tuple[int, ...]

    def covers(self, other: "Reach") -> bool:
        """Whether it is at least as far in everything."""
        return self.at >= other.at and all(end >= before for end, before in zip(self.ends, other.ends, strict=True))


Spot = TypeVar("Spot")
"""Where an export is among the things that it hands out."""


class CourseOf(Value, Generic[Spot], frozen=True, array_like=True):
    """An export under way: it hands out what `until` covers and `done` does not, in the order of places."""

    asked: str
    """A digest of the reader and of the filters; what an export has handed out means nothing for another one."""
    done: Reach
    until: Reach
    place: Spot | None
    """The last thing that was handed out, or where to begin."""
    last: Reach
    """Where the export will end. An export that broke off has another `until`, and is finished first."""

    @property
    def is_over(self) -> bool:
        """Whether everything was handed out."""
        return self.done == self.last

    @property
    def token(self) -> str:
        """The token to go on after what was handed out so far."""
        resumed = Resumed(self.asked, self.done, None if self.is_over else self.until, self.place)
        return urlsafe_b64encode(msgspec.json.encode(resumed)).decode().rstrip("=")

    @property
    def last_token(self) -> str:
        """The token to go on after all of it."""
        return CourseOf[Spot](self.asked, self.last, self.last, None, self.last).token

    def at(self, place: Spot) -> "CourseOf[Spot]":
        """The same course once what is at a place was handed out."""
        return msgspec.structs.replace(self, place=place)


Course = CourseOf[Place]
"""An export of games."""


class Part(NamedTuple):
    """Some games of an export, each with its place, and the course from there on."""

    games: list[tuple[Place, bytes]]
    course: Course


class Resumed(Value, Generic[Spot], frozen=True, array_like=True):
    """What a token says."""

    asked: str
    done: Reach
    until: Reach | None
    place: Spot | None


Choice = TypeVar("Choice")
"""What says which games an export is about."""


class Courses(ABC, Generic[Choice, Spot]):
    """Settles what exports hand out."""

    _TOKENS: "msgspec.json.Decoder[Resumed[Spot]]"

    def __init__(self, pool: "asyncpg.Pool[Any]", lanes: int) -> None:
        self._pool, self._lanes = pool, lanes

    async def begin(self, wanted: Choice, sight: Sight, after: str, field: str) -> CourseOf[Spot]:
        """A course from the beginning, or after the token of an earlier export with the same reader and filters."""
        asked = self._digest(wanted, sight)
        resumed = self._resumed(after, asked, field) if after else None
        done = Reach(-1, (0,) * self._lanes) if resumed is None else resumed.done
        until = None if resumed is None else resumed.until
        last = Reach(sight.now, tuple(await self._ends(wanted, sight)))
        if not last.covers(until or done):
            # The clock of this server is behind that of another, or the model is being filled anew. What this server could
            # hand out now would come again later.
            raise ExportNotReady
        if resumed is None or until is None:
            return CourseOf(asked, done, last, await self._beginning(done, last), last)
        return CourseOf(asked, done, until, resumed.place, last)

    @abstractmethod
    async def _ends(self, wanted: Choice, sight: Sight) -> Sequence[int]:
        """For each lane the last end of a game that the export may have."""

    @abstractmethod
    async def _beginning(self, done: Reach, until: Reach) -> Spot | None:
        """Where an export begins to look; None for the very first place."""

    @abstractmethod
    def _key(self, wanted: Choice) -> Any:
        """What two exports have in common if one goes on with the token of the other."""

    @abstractmethod
    def _is_place(self, place: Spot) -> bool:
        """Whether a place from a token can be one of ours."""

    def _digest(self, wanted: Choice, sight: Sight) -> str:
        asked = msgspec.json.encode((sight.caller.player_id, sight.reads_all, self._key(wanted)))
        return blake2b(asked, digest_size=_DIGEST_BYTES).hexdigest()

    def _resumed(self, token: str, asked: str, field: str) -> Resumed[Spot]:
        try:
            resumed = self._TOKENS.decode(urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        except (
            ValueError,
            msgspec.MsgspecError,
            RecursionError,
        ):  # More of the list than we know may be nested deeply.
            raise FieldInvalid(field=field, problem="must be a token from an earlier export, unchanged") from None
        reaches = [one for one in (resumed.done, resumed.until) if one is not None]
        nowhere = resumed.place is not None and not self._is_place(resumed.place)
        if resumed.asked != asked or nowhere or not all(map(self._is_ours, reaches)):
            problem = "must be a token from an export of the same reader with the same filters"
            raise FieldInvalid(field=field, problem=problem)
        return resumed

    def _is_ours(self, reach: Reach) -> bool:
        numbers = (reach.at, *reach.ends)
        return len(reach.ends) == self._lanes and all(-1 <= number < 2**63 for number in numbers)


class CourseReader(Courses[Choice, Place]):
    """Reads games in bulk, along a course."""

    _TOKENS = msgspec.json.Decoder(Resumed[Place])

    async def part(self, wanted: Choice, sight: Sight, course: Course, form: Form, limit: int) -> Part:
        """The next games of a course, not many bytes together."""
        if course.is_over:
            return Part([], course)
        rows = await self._rows(wanted, sight, course, form, limit)
        length, games = 0, list[tuple[Place, bytes]]()
        for row in rows:
            game = row["game"] if form == "record" else zlib.decompress(row["game"])
            length += len(game)
            if games and length > PART_BYTES_MAX:
                return Part(games, course.at(games[-1][0]))
            games.append((Place(row["shown_at"], row["game_id"]), game))
        if len(rows) == limit:
            return Part(games, course.at(games[-1][0]))
        done = course.until
        place = await self._beginning(done, course.last)
        return Part(games, Course(course.asked, done, course.last, place, course.last))

    @abstractmethod
    async def _rows(
        self, wanted: Choice, sight: Sight, course: Course, form: Form, limit: int
    ) -> "list[asyncpg.Record]":
        """The next games of a course, by when they are shown."""

    def _is_place(self, place: Place) -> bool:
        return -1 <= place.at < 2**63 and (not place.game_id or is_id(place.game_id))

    async def _beginning(self, done: Reach, until: Reach) -> Place | None:
        """The place before the first game that may be new. Most of what is old is before it and need not be read."""
        if done.at < 0 or done == until:
            return None
        first = await self._pool.fetchval(query("first_new_record"), list(done.ends), list(until.ends))
        return Place(done.at + 1 if first is None else min(first, done.at + 1), "")


class Exports(CourseReader[Wanted]):
    """Exports of all games that a reader may see."""

    async def _ends(self, wanted: Wanted, sight: Sight) -> Sequence[int]:  # noqa: ARG002 - of all games, whatever is asked for
        viewer = sight.caller.player_id, sight.reads_all, sight.now
        return list(await self._pool.fetchval(query("export_ends"), *viewer, self._lanes))

    async def _rows(
        self, wanted: Wanted, sight: Sight, course: Course, form: Form, limit: int
    ) -> "list[asyncpg.Record]":
        asked = *parameters(wanted, sight, course.place), *bounds(course)
        return await self._pool.fetch(query("list_records"), *asked, form, limit)

    def _key(self, wanted: Wanted) -> Any:
        return wanted


def bounds(course: CourseOf[Any]) -> tuple[Any, ...]:
    """What a course hands out, and what was handed out before, as queries take it."""
    return course.until.at, list(course.until.ends), course.done.at, list(course.done.ends)
