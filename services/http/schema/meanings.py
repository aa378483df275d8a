"""What the structs of answers and their fields mean: their docstrings and, beyond those, the comments of the contract."""

import ast
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, cast

import msgspec

from domain.values import Value
from services.wire.contract_comments import contract_comments

MESSAGES: dict[str, tuple[str, ...]] = {
    "Attendance": ("GetAttendanceResponse",),
    "BidAction": ("BidPlaced",),
    "ChallengeAction": ("BidChallenged",),
    "ClubsAnswer": ("ListClubsResponse",),
    "ConsistencyAnswer": ("GetConsistencyProofRequest", "GetConsistencyProofResponse"),
    "DisputeAnswer": ("RoundDispute",),
    "ForfeitAction": ("PlayerForfeited",),
    "ForfeitRecord": ("PlayerForfeited",),
    "FreshnessAnswer": ("GetFreshnessResponse",),
    "GameAnswer": ("PastGame",),
    "GameListing": ("PastGame",),
    "GameRecord": ("GameCreated", "GameView"),
    "GameStatistics": ("GetGameStatisticsResponse",),
    "HeadToHead": ("GetHeadToHeadResponse",),
    "Leaderboard": ("GetLeaderboardResponse",),
    "ListedSeat": ("PastSeat",),
    "LogKeysAnswer": ("GetCheckpointResponse",),
    "Matrix": ("GetMatrixResponse",),
    "Odds": ("StepOdds",),
    "OpeningRollRecord": ("OpeningRoll",),
    "Person": ("PastSeat",),
    "PersonAnswer": ("PastSeat",),
    "PlayerGroupsPage": ("GetPlayerGroupsResponse",),
    "RatingsPage": ("GetRatingHistoryResponse",),
    "Result": ("ChallengeResolved",),
    "RollAction": ("Rolled",),
    "RoundAnswer": ("ReplayRound",),
    "RoundRecord": ("RoundStarted", "AntesPaid"),
    "RulebookAnswer": ("Rulebook",),
    "SeasonTable": ("GetSeasonTableResponse",),
    "SeatRecord": ("SeatView",),
    "ShowAndRerollAction": ("DiceRerolled",),
    "StepAnswer": ("ReplayStep",),
    "StepsPage": ("ListStepsResponse",),
    "StepShown": ("GetStepResponse",),
    "TimeoutAction": ("TurnTimedOut",),
}
"""Structs that are called otherwise in the contract, or that consist of several messages."""
_NOTHING = re.compile(r"\bNone\b")
_EVERYWHERE = {
    "freshness": "How fresh the answer is.",
    "game_id": "The game.",
    "type": "The kind, which tells the alternatives apart.",
}


def meaning_of(name: str, properties: frozenset[str]) -> tuple[str, Mapping[str, str]]:
    """What a struct of the schema means, and what each of its fields means; a field without a meaning is left out."""
    kind = _struct(name, properties)
    own = {} if kind is None else _documented(kind)
    messages = [contract_comments().get(message, {}) for message in MESSAGES.get(name, (name,))]
    # All events have their time in the message around them.
    sources = (own, *messages, contract_comments()["GameEvent"], _EVERYWHERE)
    fields = {field: next((told[field] for told in sources if told.get(field)), "") for field in properties}
    said = "" if kind is None else _said(kind.__doc__ or "")
    return said, {field: told for field, told in fields.items() if told}


def _struct(name: str, properties: frozenset[str]) -> type[Any] | None:
    """The struct with a name and fields; some names are used for several structs."""
    for kind in _descendants(Value):
        config = kind.__struct_config__
        tagged = {config.tag_field} if config.tag_field else set()
        if kind.__name__ == name and {*kind.__struct_encode_fields__, *tagged} == properties:
            return cast("type[Any]", kind)
    return None


def _descendants(kind: Any) -> Iterator[Any]:
    for one in kind.__subclasses__():
        yield one
        yield from _descendants(one)


def _documented(kind: type[msgspec.Struct]) -> Mapping[str, str]:
    """The docstrings of the fields of a struct, those of structs that it is made from included."""
    found: dict[str, str] = {}
    for one in reversed(kind.__mro__):
        if one.__module__ in sys.modules:
            found |= _of_module(one.__module__).get(one.__name__, {})
    return found


@cache
def _of_module(module: str) -> Mapping[str, Mapping[str, str]]:
    """The docstrings of fields in a module, by class and field: a text right after the field."""
    file = getattr(sys.modules[module], "__file__", None)
    if file is None or not file.endswith(".py"):
        return {}
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {one.name: dict(_of_class(one)) for one in tree.body if isinstance(one, ast.ClassDef)}


def _of_class(tree: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, after in zip(tree.body, tree.body[1:], strict=False):
        match field, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, _said(text)
            case _:
                pass


def _said(docstring: str) -> str:
    """A docstring for readers of JSON: what is None in the program is null there."""
    return _NOTHING.sub("null", inspect.cleandoc(docstring))
