"""Messages as JSON: written as Google's library writes them, and read more strictly than it reads."""

import json
import math
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from liarsdice.v1 import game_service_pb2 as wire
from liarsdice.v1 import replay_service_pb2

from domain.refusals import Malformed
from services.access.refusals import FieldInvalid
from services.connect.json_codec import read, written
from tests.rpc.servers import METHODS

DEPTH_MAX = 3
TYPES = {kind.full_name: kind for _, method in METHODS.values() for kind in (method.input_type, method.output_type)}
_RANGES = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}


def scalars(field: FieldDescriptor) -> st.SearchStrategy[Any]:
    if field.enum_type is not None:
        return st.sampled_from([value.number for value in field.enum_type.values])
    if field.type == FieldDescriptor.TYPE_BYTES:
        return st.binary(max_size=40)
    if field.type == FieldDescriptor.TYPE_STRING:
        return st.text(max_size=20)
    if field.type == FieldDescriptor.TYPE_BOOL:
        return st.booleans()
    if field.cpp_type in _RANGES:
        return st.integers(*_RANGES[field.cpp_type])
    return st.floats(allow_nan=False)  # It is not equal to itself; a test below has it.


def messages(described: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Messages of a type with any of their fields."""
    if described.full_name == "google.protobuf.Timestamp":
        seconds, nanos = st.integers(0, 4_000_000_000), st.sampled_from([0, 1, 1_000, 500_000_000, 999_999_999])
        return st.builds(lambda one, other: {"seconds": one, "nanos": other}, seconds, nanos)
    parts: dict[str, st.SearchStrategy[Any]] = {}
    for field in described.fields:
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            parts[field.name] = st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=2)
        elif field.message_type is None or depth < DEPTH_MAX:
            one = scalars(field) if field.message_type is None else messages(field.message_type, depth + 1)
            parts[field.name] = st.lists(one, max_size=2) if field.is_repeated else one
    return st.fixed_dictionaries({}, optional=parts).map(lambda chosen: one_of_each(described, chosen))


def one_of_each(described: Any, chosen: dict[str, Any]) -> dict[str, Any]:
    """Only one field of each oneof: the last counts anyway."""
    for oneof in described.oneofs:
        for field in [field.name for field in oneof.fields if field.name in chosen][1:]:
            del chosen[field]
    return chosen


@pytest.mark.parametrize("name", TYPES)
@settings(max_examples=5, suppress_health_check=list(HealthCheck))  # The largest messages take their time.
@given(data=st.data())
def test_what_is_written_is_what_the_library_writes_and_is_read_back_as_it_was(name: str, data: st.DataObject) -> None:
    kind = GetMessageClass(TYPES[name])
    message = kind(**data.draw(messages(TYPES[name])))

    told = json.loads(written(message))

    assert told == MessageToDict(message)
    assert read(written(message), kind).SerializeToString(deterministic=True) == same(message)
    by_other_names = json.dumps(MessageToDict(message, preserving_proto_field_name=True)).encode()
    assert read(by_other_names, kind).SerializeToString(deterministic=True) == same(message)


def same(message: Message) -> bytes:
    return message.SerializeToString(deterministic=True)


@pytest.mark.parametrize(
    ("text", "field", "problem"),
    [
        ('{"quantity": "x"}', "quantity", "whole number"),
        ('{"quantity": 1.5}', "quantity", "whole number"),
        ('{"quantity": true}', "quantity", "whole number"),
        ('{"quantity": 99999999999}', "quantity", "not allowed"),
        ('{"requestId": 5}', "request_id", "text"),
        ('{"reroll": {"link": "***"}}', "reroll.link", "base64"),
        ('{"reroll": {"link": "A"}}', "reroll.link", "base64"),
        ('{"reroll": []}', "reroll", "an object"),
        ('{"reroll": {"shown": 3}}', "reroll.shown", "a list"),
        ('{"reroll": {"shown": [1, "a"]}}', "reroll.shown", "whole number"),
        ('{"reroll": {"shwon": [1]}}', "reroll.shwon", "knows"),
        ('{"quantiy": 1}', "quantiy", "knows"),
        ('{"gameId": "a", "game_id": "b"}', "game_id", "twice"),
        ('{"includeGame": "yes"}', "include_game", "true or false"),
    ],
)
def test_what_does_not_fit_its_field_is_refused_by_the_path_of_the_field(text: str, field: str, problem: str) -> None:
    with pytest.raises(FieldInvalid) as caught:
        read(text.encode(), wire.PlaceBidRequest)

    assert caught.value.fields["field"] == field
    assert problem in caught.value.fields["problem"]


@pytest.mark.parametrize(
    "text",
    ["", "[]x", "{", '"a"', "[1]", "null", "7", "[" * 100_000, '{"a":' * 50_000, "\xff", '{"gameId": "\\ud800"}'],
)
def test_what_is_no_object_of_json_is_refused(text: str) -> None:
    if not text:
        assert read(b"", wire.ListRulebooksRequest) == wire.ListRulebooksRequest()
        return
    with pytest.raises(Malformed):
        read(text.encode("latin-1"), wire.PlaceBidRequest)


@pytest.mark.parametrize("text", ['{"quantity": 3}', '{"quantity": "3"}', '{"quantity": 3.0}', '{"quantity": 3e0}'])
def test_whole_numbers_may_be_written_in_several_ways(text: str) -> None:
    assert read(text.encode(), wire.PlaceBidRequest).quantity == 3


def test_null_leaves_a_field_as_it_is_and_two_of_one_choice_are_refused() -> None:
    assert not read(b'{"expectedVersion": null}', wire.PlaceBidRequest).HasField("expected_version")
    with pytest.raises(FieldInvalid, match="unwatch"):
        read(b'{"watch": {}, "unwatch": {}}', wire.PlayRequest)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_does_not_have_are_written_as_text(value: float) -> None:
    message = replay_service_pb2.ChangeSpeed(speed=value)

    assert json.loads(written(message)) == MessageToDict(message)
    assert read(written(message), replay_service_pb2.ChangeSpeed).SerializeToString() == message.SerializeToString()


def test_both_alphabets_of_base64_are_read_with_and_without_padding() -> None:
    for text in ("-_8=", "+/8=", "-_8", "+/8"):
        assert read(json.dumps({"link": text}).encode(), wire.RollRequest).link == b"\xfb\xff"


def test_a_long_name_is_cut_in_the_refusal() -> None:
    with pytest.raises(FieldInvalid) as caught:
        read(json.dumps({"a\x1b[31m" * 1_000: 1}).encode(), wire.RollRequest)

    assert len(str(caught.value)) < 500
    assert "\x1b" not in str(caught.value)
