"""Reads and checks requests: ids, versions, options, dice."""

import re
from collections.abc import Callable, Hashable
from functools import cache
from typing import Any, cast

from liarsdice.v1 import game_pb2, game_service_pb2

from domain.deciding.gathering import book_called
from domain.naming import is_id
from domain.options import Options
from domain.values import Bid
from infra.events.evidence import SIGNATURE_LENGTH, Signed
from services.access import spectator_delay
from services.access.caller import Caller
from services.access.refusals import FieldInvalid
from services.archive.paging import page_size_of, place_of, token_of
from services.tables.lobby import Listing, Wanted
from services.tables.moves import Doubt, GiveUp, MakeBid, Move, RollDice, ShowDice, Showing, Start
from services.tables.request_marks import RequestMarks
from services.tables.requests import Asked, NewTable, WantedPractice
from services.wire.translation import enum_names, from_message

_REQUEST_ID = re.compile(r"[\x21-\x7e]{1,64}")
_DICE_MAX = 64
_A_VERSION = "must be a version of the game: they are counted from 1"


def asked_of(request: Any, caller: Caller, marks: RequestMarks, game_id: str | None = None) -> Asked:
    """What a command says about itself: its game, its id, the version it expects, its signature."""
    if not _REQUEST_ID.fullmatch(request.request_id):
        raise FieldInvalid(field="request_id", problem="must have 1 to 64 visible ASCII characters")
    fields = _fields_of(cast("Hashable", type(request)))
    expected = signed = None
    if "expected_version" in fields and request.HasField("expected_version"):
        expected = request.expected_version
        if expected < 1:
            raise FieldInvalid(field="expected_version", problem=_A_VERSION)
    if "signature" in fields and request.HasField("signature"):
        signed = _signed(request.signature)
    fingerprint = marks.fingerprint(type(request).__name__, request.SerializeToString(deterministic=True))
    return Asked(caller, game_id or game_id_of(request), request.request_id, expected, fingerprint, signed)


@cache
def _fields_of(request_type: Any) -> frozenset[str]:
    return frozenset(request_type.DESCRIPTOR.fields_by_name)


def game_id_of(request: Any) -> str:
    """The game that a request is about."""
    if not is_id(request.game_id):
        problem = "must be the id of a game: 1 to 64 letters, digits, dots, hyphens or underscores"
        raise FieldInvalid(field="game_id", problem=problem)
    return str(request.game_id)


def _signed(signature: game_service_pb2.MoveSignature) -> Signed:
    if signature.after_version < 1:
        raise FieldInvalid(field="signature.after_version", problem=_A_VERSION)
    if len(signature.signature) != SIGNATURE_LENGTH:
        raise FieldInvalid(field="signature.signature", problem=f"must be {SIGNATURE_LENGTH} bytes long")
    return Signed(signature.after_version, signature.signature)


def table_of_request(request: game_service_pb2.CreateGameRequest) -> NewTable:
    """The table that a request asks for."""
    if not spectator_delay.is_allowed(request.spectator_delay_seconds):
        problem = f"must be 0 to {spectator_delay.SECONDS_MAX}"
        raise FieldInvalid(field="spectator_delay_seconds", problem=problem)
    return NewTable(
        rulebook=request.rulebook,
        options=from_message(request.options, Options),
        seats=request.seats_max if request.HasField("seats_max") else None,
        private=request.private,
        spectator_delay_seconds=request.spectator_delay_seconds,
        without_seat=request.without_seat,
    )


def practice_of_request(request: game_service_pb2.ForkGameRequest) -> WantedPractice:
    """The practice game that a request asks for."""
    return WantedPractice(
        game_id=game_id_of(request),
        version=request.version,
        seat=request.seat,
        strategy=request.strategy,
    )


def move_of(request: Any) -> Move:
    """The move that a request asks for."""
    return _MOVES[type(request)](request)


def _showing(reroll: game_service_pb2.Reroll) -> Showing:
    """The dice that the player shows, and the link for rerolling the others."""
    if len(reroll.shown) > _DICE_MAX:
        raise FieldInvalid(field="reroll.shown", problem=f"must have at most {_DICE_MAX} dice")
    return Showing(tuple(reroll.shown), reroll.link)


_MOVES: dict[type[Any], Callable[[Any], Move]] = {
    game_service_pb2.StartGameRequest: lambda request: Start(request.opener if request.HasField("opener") else None),
    game_service_pb2.RollRequest: lambda request: RollDice(request.link),
    game_service_pb2.PlaceBidRequest: lambda request: MakeBid(
        Bid(request.quantity, request.face), _showing(request.reroll) if request.HasField("reroll") else None
    ),
    game_service_pb2.ShowAndRerollRequest: lambda request: ShowDice(_showing(request.reroll)),
    game_service_pb2.ChallengeRequest: lambda _request: Doubt(),
    game_service_pb2.ForfeitRequest: lambda _request: GiveUp(),
}


def wanted_of(request: game_service_pb2.ListGamesRequest, caller: Caller) -> Wanted:
    """The tables that a request looks for."""
    size = page_size_of(request.page_size)
    names = enum_names(game_pb2.Phase.DESCRIPTOR)
    phases = [names.get(phase) for phase in request.phases]
    if None in phases:
        raise FieldInvalid(field="phases", problem="must name phases that there are")
    return Wanted(
        player_id=caller.player_id,
        rulebook=book_called(request.rulebook).id if request.rulebook else None,
        phases=tuple(phase for phase in phases if phase is not None),
        mine=request.mine,
        joinable=request.joinable,
        after=place_of(request.page_token) if request.page_token else None,
        limit=size + 1,
    )


def page_token(last: Listing) -> str:
    """The place after which the next page begins."""
    return token_of(last.created_at, last.game_id)
