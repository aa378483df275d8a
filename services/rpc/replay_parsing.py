"""Reads and checks requests for past games: filters, viewpoints, times."""

from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp
from liarsdice.v1 import replay_service_pb2 as wire

from domain.deciding.gathering import book_called
from domain.naming import is_id
from services.access.refusals import FieldInvalid
from services.archive.archive import Wanted
from services.archive.bounds import MILLISECONDS_END, WAIT_SECONDS_DEFAULT, wait_seconds_of
from services.archive.listing import Outcome
from services.archive.reel import Viewpoint
from services.wire.translation import enum_names, milliseconds

_RESULTS: dict[int, Any] = dict(enum_names(wire.GameResult.DESCRIPTOR))


def wanted_of(games: wire.GameFilter) -> Wanted:
    """The games that a filter describes."""
    if games.player_id and not is_id(games.player_id):
        raise FieldInvalid(field="filter.player_id", problem="must be the id of a player")
    result: Outcome | None = _RESULTS[games.result]
    return Wanted(
        player_id=games.player_id or None,
        rulebook=book_called(games.rulebook).id if games.rulebook else None,
        result=result,
        since=time_of("filter.since", games.since) if games.HasField("since") else None,
        until=time_of("filter.until", games.until) if games.HasField("until") else None,
        practice=None if games.include_practice else False,
    )


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


def time_of(field: str, time: Timestamp) -> int:
    """A time in milliseconds since 1970; refused if it is earlier or too far in the future."""
    at = milliseconds(time)
    if not 0 <= at < MILLISECONDS_END:
        raise FieldInvalid(field=field, problem="must be a time from 1970 on")
    return at
