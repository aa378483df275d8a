"""Reads and checks requests for past games: filters, viewpoints, times."""

from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp
from liarsdice.v1 import replay_service_pb2 as wire

from domain.deciding.gathering import book_called
from domain.naming import is_id
from services.access.refusals import FieldInvalid
from services.archive.archive import Wanted
from services.archive.bounds import MILLISECONDS_END, WAIT_SECONDS_DEFAULT, check_times, wait_seconds_of
from services.archive.listing import Outcome
from services.archive.people import NO_PLAYER_ID
from services.archive.reel import Viewpoint
from services.wire.translation import enum_names, milliseconds

_RESULTS: dict[int, Any] = dict(enum_names(wire.GameResult.DESCRIPTOR))


def wanted_of(games: wire.GameFilter) -> Wanted:
    """The games that a filter describes."""
    if games.player_id and not is_id(games.player_id):
        raise FieldInvalid(field="filter.player_id", problem=NO_PLAYER_ID)
    result: Outcome | None = _RESULTS[games.result]
    since, until = times_of("filter", games)
    return Wanted(
        player_id=games.player_id or None,
        rulebook=book_called(games.rulebook).id if games.rulebook else None,
        result=result,
        since=since,
        until=until,
        practice=None if games.include_practice else False,
    )


def over_of(games: wire.GameFilter) -> Wanted:
    """The games that a filter describes, which have to be over."""
    wanted = wanted_of(games)
    if wanted.result in ("gathering", "running"):
        raise FieldInvalid(
            field="filter.result", problem="must be ended or abandoned, because the others have no records"
        )
    return wanted


def viewpoint_of(message: wire.Viewpoint) -> Viewpoint | None:
    """The viewpoint that a request names; None for the caller's own seat."""
    match message.WhichOneof("eyes"):
        case "seat":
            return Viewpoint(message.seat)
        case "spectator":
            return Viewpoint()
        case "everything":
            return Viewpoint(everything=True)
        case _:
            return None


def wait_seconds_max_of(opening: wire.OpenReplay) -> float:
    """The longest time between two steps of a replay, in seconds."""
    seconds = opening.wait_seconds_max if opening.HasField("wait_seconds_max") else WAIT_SECONDS_DEFAULT
    return wait_seconds_of(seconds, "open.wait_seconds_max")


def times_of(field: str, message: Any) -> tuple[int | None, int | None]:
    """The times since and until of the message in a field; refused if nothing can be in between."""
    since, until = (
        _time_of(f"{field}.{name}", getattr(message, name)) if message.HasField(name) else None
        for name in ("since", "until")
    )
    check_times(since, until, f"{field}.until")
    return since, until


def _time_of(field: str, time: Timestamp) -> int:
    """A time in milliseconds since 1970; refused if it is earlier or too far in the future."""
    # What is stored has no parts of milliseconds. So what is at or after a part of one is at or after the next whole one.
    at = milliseconds(time) + (time.nanos % 1_000_000 > 0)
    if not 0 <= at < MILLISECONDS_END:
        raise FieldInvalid(field=field, problem="must be a time from 1970 on")
    return at
