"""The page about statistics defines everything that is answered."""

import re
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from liarsdice.v1 import statistics_service_pb2 as wire

from domain.statistics import answers
from domain.statistics.answers import Measure, Played
from domain.values import Value
from services.wire.translation import enum_names

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "statistics.md"
ANSWERS = [answers.PlayerStatistics, answers.Leaderboard, answers.HeadToHead, answers.RatingHistory]
MESSAGES: dict[type[Value], type[Message]] = {
    answers.Span: wire.Span,
    answers.PlayerStatistics: wire.PlayerStatistics,
    answers.Leaderboard: wire.GetLeaderboardResponse,
    answers.HeadToHead: wire.GetHeadToHeadResponse,
    answers.RatingPoint: wire.RatingPoint,
}


def structs(kind: Any, found: dict[str, type[Value]]) -> dict[str, type[Value]]:
    """A struct and all that are in its fields."""
    if isinstance(kind, type) and issubclass(kind, Value):
        found[kind.__name__] = kind
        for field in msgspec.structs.fields(kind):
            structs(field.type, found)
    for part in get_args(kind):
        structs(part, found)
    return found


def all_structs() -> dict[str, type[Value]]:
    found: dict[str, type[Value]] = {}
    for kind in ANSWERS:
        structs(kind, found)
    return found


@pytest.mark.parametrize("name", sorted(all_structs()))
def test_every_field_of_an_answer_is_defined(name: str) -> None:
    defined = set(re.findall(r"`([a-z_]+)`", PAGE.read_text(encoding="utf-8")))

    assert {field.name for field in msgspec.structs.fields(all_structs()[name])} <= defined


def test_every_choice_is_defined() -> None:
    defined = set(re.findall(r"`([a-z_]+)`", PAGE.read_text(encoding="utf-8")))

    assert {*get_args(Measure), *get_args(Played)} <= defined


def test_the_wire_has_the_fields_and_choices_of_the_answers() -> None:
    for kind, message in MESSAGES.items():
        check_same(kind, message.DESCRIPTOR)
    assert set(enum_names(wire.Measure.DESCRIPTOR).values()) - {None} == set(get_args(Measure))
    assert set(enum_names(wire.Played.DESCRIPTOR).values()) - {None} == set(get_args(Played))


def check_same(kind: type[Value], descriptor: Any) -> None:
    """A message has the fields of its struct, and so have those within."""
    beside = {"freshness"} if kind is answers.PlayerStatistics else set()  # The message has it around the statistics.
    fields = {field.name for field in msgspec.structs.fields(kind)}
    assert fields - beside == {field.name for field in descriptor.fields}
    for field in descriptor.fields:
        if field.type == FieldDescriptor.TYPE_MESSAGE and field.message_type is not None:
            inner = all_structs().get(field.message_type.name)
            assert inner is not None or field.message_type.name == "Timestamp"
            if inner is not None:
                check_same(inner, field.message_type)
