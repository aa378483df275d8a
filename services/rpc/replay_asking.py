"""What requests for past games say, checked: filters, viewpoints, pages and speeds."""

from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp
from liarsdice.v1 import replay_service_pb2 as wire

from domain.deciding.gathering import book_called
from domain.naming import is_id
from domain.replaying import Replay
from services.archive.archive import Place, Wanted
from services.archive.listing import Outcome
from services.archive.viewing import Viewpoint, seat_of
from services.hosting.refusals import FieldInvalid
from services.rpc.asking import PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, place_of
from services.wire import enum_names, milliseconds

STEPS_MAX = 1_000
SPEED_MIN, SPEED_MAX = 0.01, 1_000.0
WAIT_SECONDS_DEFAULT, WAIT_SECONDS_MAX = 5.0, 3_600.0
_MILLISECONDS_END = 2**53
_RESULTS: dict[int, Any] = dict(enum_names(wire.GameResult.DESCRIPTOR))


def wanted_of(games: wire.GameFilter) -> Wanted:
    """Which games somebody looks for."""
    if games.player_id and not is_id(games.player_id):
        raise FieldInvalid(field="filter.player_id", problem="must be the id of a player")
    if games.result not in _RESULTS:
        raise FieldInvalid(field="filter.result", problem="must be a result that there is")
    result: Outcome | None = _RESULTS[games.result]
    return Wanted(
        player_id=games.player_id or None,
        rulebook=book_called(games.rulebook).id if games.rulebook else None,
        result=result,
        since=time_of("filter.since", games.since) if games.HasField("since") else None,
        until=time_of("filter.until", games.until) if games.HasField("until") else None,
        practice=None if games.include_practice else False,
    )


def after_of(token: str, field: str) -> Place | None:
    """Where to go on; None for the beginning."""
    return Place(*place_of(token, field)) if token else None


def page_size_of(asked: int, most: int = PAGE_SIZE_MAX, usual: int = PAGE_SIZE_DEFAULT) -> int:
    """How many are wanted at once."""
    if not 0 <= asked <= most:
        raise FieldInvalid(field="page_size", problem=f"must be 1 to {most}")
    return asked or usual


def viewpoint_of(message: wire.Viewpoint, replay: Replay, player_id: str) -> Viewpoint:
    """Through whose eyes somebody looks: if nothing is said, through the own."""
    match message.WhichOneof("eyes"):
        case "seat":
            return Viewpoint(message.seat)
        case "spectator":
            return Viewpoint()
        case "everything":
            return Viewpoint(everything=True)
        case _:
            return Viewpoint(seat_of(replay, player_id))


def speed_of(speed: float, field: str) -> float:
    """A speed that time can have; what is not a number is none."""
    if not SPEED_MIN <= speed <= SPEED_MAX:
        raise FieldInvalid(field=field, problem=f"must be {SPEED_MIN} to {SPEED_MAX:.0f}")
    return speed


def wait_seconds_of(opening: wire.OpenReplay) -> float:
    """How long two steps are apart at most."""
    seconds = opening.wait_seconds_max if opening.HasField("wait_seconds_max") else WAIT_SECONDS_DEFAULT
    if not 0 <= seconds <= WAIT_SECONDS_MAX:
        raise FieldInvalid(field="open.wait_seconds_max", problem=f"must be 0 to {WAIT_SECONDS_MAX:.0f}")
    return seconds


def time_of(field: str, time: Timestamp) -> int:
    """A time from 1970 on."""
    at = milliseconds(time)
    if not 0 <= at < _MILLISECONDS_END:
        raise FieldInvalid(field=field, problem="must be a time from 1970 on")
    return at
