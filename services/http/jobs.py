"""Heavy reads of the routes, as jobs for workers: each returns the bytes of an answer and what its headers need."""

from typing import Any

import msgspec

from domain.history.record import decode_record
from domain.notation import write_game
from domain.values import Value
from infra.workers.meter import touched
from services.access.sight import Sight
from services.archive.archive import Wanted
from services.archive.exports import Course, CourseOf, Form, Part
from services.archive.listing import GameListing
from services.audit.audits import check_provable
from services.desk import club_reads
from services.desk.film import Reader, reel, reel_of
from services.desk.sources import Sources
from services.http.answers import LiveStep, RoundsAnswer, StepShown, StepsPage, round_answer
from services.http.event_stream import written
from services.http.events import step_answer

_ENCODER = msgspec.json.Encoder()
GAMES_IN_PART = 32
"""So many games of an export are read at once."""
_STORED_AS: dict[str, Form] = {"ndjson": "record", "csv": "csv", "notation": "notation"}
_GAME_ENDS = {"ndjson": b"\n", "csv": b"", "notation": b"\n"}
"""What follows each game in an export."""
_BYTES_AN_EVENT = 60
"""About as many bytes of a record tell one event."""


class Made(Value, frozen=True):
    """The body of an answer."""

    body: bytes
    final: bool
    """Whether it can't change any more."""
    public: bool
    """Whether every reader gets the same."""
    last: int = 0
    """The number of the last step of the game, where an answer is about steps."""


class Exported(Value, frozen=True):
    """Some games of an export."""

    body: bytes
    course: CourseOf[Any]
    """The course of the export after it."""


async def game(sources: Sources, game_id: str, sight: Sight) -> GameListing:
    """A game as lists show it."""
    return await sources.archive.game(game_id, sight)


async def provable_until(sources: Sources, game_id: str, sight: Sight) -> int | None:
    """The time up to which the reader may know what happened in a game; refused if nothing of it can be proven."""
    listing = await sources.archive.game(game_id, sight)
    check_provable(game_id, listing)
    return listing.delay.known_until(sight.seat_in(listing.protection), sight.now)


async def record(sources: Sources, game_id: str, sight: Sight, as_text: bool) -> Made:  # noqa: FBT001 - the shape of a job
    """The record of a game, as JSON or as notation."""
    found = await sources.archive.record(game_id, sight)
    body = found.json
    if as_text:
        touched(len(body) // _BYTES_AN_EVENT)
        body = write_game(decode_record(body)).encode()
    return Made(body, found.final, found.public)


async def steps(sources: Sources, game_id: str, sight: Sight, after: int, page_size: int) -> Made:
    """A page of steps."""
    replayed = await sources.archive.replay(game_id, sight)
    every = replayed.replay.steps
    page = tuple(map(step_answer, every[after : after + page_size]))
    touched(len(page))
    answer = StepsPage(game_id=game_id, steps=page, last_version=len(every), final=replayed.final)
    return Made(_ENCODER.encode(answer), replayed.final, replayed.public, len(every))


async def step(sources: Sources, reader: Reader, version: int) -> Made:
    """A step, and the game after it."""
    touched(100)
    replayed = await sources.archive.replay(reader.game_id, reader.sight)
    found = reel_of(replayed.replay, reader)
    found.check(version, first=0)
    shown = StepShown(
        step=step_answer(found.step(version)) if version else None,
        view=found.view(version),
        last_version=found.last,
        final=replayed.final,
    )
    return Made(_ENCODER.encode(shown), replayed.final, replayed.public)


async def rounds(sources: Sources, game_id: str, sight: Sight) -> Made:
    """The rounds of a game."""
    replay = (await sources.archive.replay(game_id, sight)).replay
    known_until = await sources.archive.known_until(game_id, sight)
    found = await sources.rounds.of(game_id, replay.steps, known_until)
    answer = RoundsAnswer(game_id=game_id, rounds=tuple(map(round_answer, found)))
    return Made(_ENCODER.encode(answer), final=False, public=False)


async def replayed_steps(sources: Sources, reader: Reader, first: int, count: int, with_views: bool) -> list[bytes]:  # noqa: FBT001 - the shape of a job
    """Steps of a replay as events of a stream."""
    found = await reel(sources, reader, touches=count)
    return [
        written(
            "step", LiveStep(step_answer(found.step(version)), found.view(version) if with_views else None), version
        )
        for version in range(first, first + count)
    ]


async def export_begun(sources: Sources, wanted: Wanted, sight: Sight, after: str) -> Course:
    """What an export will hand out."""
    return await sources.exports.begin(wanted, sight, after, "after")


async def exported(sources: Sources, wanted: Wanted, sight: Sight, form: str, course: Course) -> Exported:
    """The next games of an export."""
    return _exported(await sources.exports.part(wanted, sight, course, _STORED_AS[form], GAMES_IN_PART), form)


async def exported_of_club(  # noqa: PLR0917 - the shape of a job
    sources: Sources, club_id: str, season: int, sight: Sight, form: str, course: Course
) -> Exported:
    """The next games of the export of a club."""
    return _exported(await club_reads.exported(sources, club_id, season, sight, course, _STORED_AS[form]), form)


async def audit(sources: Sources, game_id: str, number: int | None, known_until: int | None) -> bytes:
    """The bundle of a round or a game."""
    return await sources.audits.bundle(game_id, number, known_until)


def _exported(part: Part, form: str) -> Exported:
    end = _GAME_ENDS[form]
    return Exported(b"".join([piece for _, game in part.games for piece in (game, end)]), part.course)
