"""The JavaScript client by itself: its own tests on Node, its types, and the messages that it reads."""

import json
import subprocess
from base64 import b64encode
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp
from liarsdice.v1 import event_pb2, freshness_pb2, game_pb2, game_service_pb2, player_service_pb2

from services.client.channel import SERVICE_CONFIG
from services.wire.translation import enum_names
from tests.rpc.servers import METHODS
from tests.web.node_programs import HERE, NODE, needs_node

CLIENT = HERE.parents[1] / "services" / "web" / "client"
pytestmark = needs_node


@pytest.mark.parametrize("path", sorted(HERE.glob("*.test.js")), ids=lambda path: path.name)
def test_the_tests_of_the_client_pass(path: Path) -> None:
    ran = subprocess.run([NODE, "--test", str(path)], capture_output=True, text=True, check=False)

    assert ran.returncode == 0, ran.stdout
    assert "# pass 0" not in ran.stdout


def test_a_browser_loads_no_module_of_node() -> None:
    """Everything that `index.js` leads to; the adapters for files are only reached from `node.js`."""
    reached, ahead = set[Path](), [CLIENT / "index.js"]
    while ahead:
        path = ahead.pop()
        if path not in reached:
            reached.add(path)
            named = [
                line.split('"')[-2] for line in path.read_text().splitlines() if line.startswith(("import", "export {"))
            ]
            assert all(name.startswith(("./", "../")) for name in named), path
            ahead += [(path.parent / name).resolve() for name in named]

    assert len(reached) > 20
    assert {path.name for path in CLIENT.rglob("*.js")} - {path.name for path in reached} == {
        "node.js",
        "file_seat_keeper.js",
        "file_token_store.js",
        "private_file.js",
        "types.js",
    }


@pytest.mark.parametrize("path", sorted(CLIENT.rglob("*.js")), ids=lambda path: path.name)
def test_a_module_of_the_client_says_what_it_is_for_and_is_not_long(path: Path) -> None:
    text = path.read_text()

    assert text.startswith("/**")
    assert len(text.splitlines()) <= 400


def test_the_package_needs_no_other_and_names_no_registry() -> None:
    package = json.loads((CLIENT / "package.json").read_text())

    assert not {"dependencies", "devDependencies", "publishConfig"} & set(package)
    assert all((CLIENT / target).exists() for target in ("index.js", "node.js"))


def test_the_client_repeats_the_calls_of_the_service_config_and_no_other() -> None:
    names = [one["method"] for one in json.loads(SERVICE_CONFIG.read_text())["methodConfig"][0]["name"]]
    unary = {name for name, (_, method) in METHODS.items() if not method.server_streaming}
    (never,) = read([("NeverRepeated", {})])

    assert set(names) | set(never) == unary
    assert not set(names) & set(never)


def filled(kind: Any, numbers: "count[int]") -> Any:
    """A message in which every field has a value that no other field has, as far as its type allows it."""
    message = kind()
    for field in kind.DESCRIPTOR.fields:
        if field.containing_oneof is not None and len(field.containing_oneof.fields) > 1:
            continue
        if field.is_repeated:
            values = [_value(field, numbers) for _ in range(2)]
            getattr(message, field.name).extend(values)
        elif field.message_type is None:
            setattr(message, field.name, _value(field, numbers))
        else:
            getattr(message, field.name).CopyFrom(_value(field, numbers))
    if kind is game_pb2.Hand:
        message.hidden = False
    return message


def _value(field: Any, numbers: "count[int]") -> Any:
    if field.message_type is not None:
        if field.message_type.full_name == Timestamp.DESCRIPTOR.full_name:
            return Timestamp(seconds=next(numbers) * 1000, nanos=7_000_000)
        return filled(GetMessageClass(field.message_type), numbers)
    if field.enum_type is not None:
        return field.enum_type.values[-1].number
    if field.type == field.TYPE_BOOL:
        return True
    if field.type in (field.TYPE_INT32, field.TYPE_INT64):
        return next(numbers)
    text = f"text {next(numbers)}"
    return text.encode() if field.type == field.TYPE_BYTES else text


def expected(message: Any) -> Any:
    """What the client should make of a message."""
    made = {}
    for field in message.DESCRIPTOR.fields:
        if field.containing_oneof is not None and len(field.containing_oneof.fields) > 1:
            continue
        value = getattr(message, field.name)
        present = not field.has_presence or message.HasField(field.name)
        if field.is_repeated:
            made[field.json_name] = [_expected(field, one) for one in value]
        else:
            made[field.json_name] = _expected(field, value) if present else _unset(field)
    return made


def _unset(field: Any) -> Any:
    """A part that every table has is there, with nothing in it; any other part is null."""
    always = {"view", "options", "moves", "fairness", "freshness"}
    return expected(GetMessageClass(field.message_type)()) if field.name in always else None


def _expected(field: Any, value: Any) -> Any:
    if field.message_type is not None:
        name = field.message_type.name
        if name == "Timestamp":
            return value.seconds * 1000 + value.nanos // 1_000_000
        if name in {"Hand", "Place", "Chips"}:
            return list(getattr(value, field.message_type.fields[0].name))
        return expected(value)
    if field.enum_type is not None:
        return enum_names(field.enum_type)[value]
    return b64encode(value).decode() if isinstance(value, bytes) else value


def read(messages: list[tuple[str, Any]]) -> list[Any]:
    """What the client reads from messages."""
    lines = "".join(json.dumps(one) + "\n" for one in messages)
    ran = subprocess.run([NODE, str(HERE / "decode_all.js")], input=lines, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


KINDS: tuple[type[Message], ...] = (
    game_pb2.Game,
    game_pb2.GameSummary,
    game_pb2.Rulebook,
    player_service_pb2.Player,
    freshness_pb2.Freshness,
    freshness_pb2.ModelFreshness,
)


def test_every_field_of_the_contract_is_read_whether_it_is_set_or_not() -> None:
    """So a field that is added to the contract has to be added to the client too."""
    messages = [message for kind in KINDS for message in (kind(), filled(kind, count(1)))]

    seen = read([(one.DESCRIPTOR.name, MessageToDict(one)) for one in messages])

    assert seen == [expected(one) for one in messages]


def test_every_event_of_the_contract_is_read() -> None:
    events = []
    fields: Sequence[Any] = event_pb2.GameEvent.DESCRIPTOR.oneofs_by_name["event"].fields
    for field in fields:
        for content in (filled(GetMessageClass(field.message_type), count(1)), GetMessageClass(field.message_type)()):
            event = event_pb2.GameEvent(version=9, at=Timestamp(seconds=5))
            getattr(event, field.name).CopyFrom(content)
            events.append((event, {"version": 9, "at": 5000, "type": field.message_type.name, **expected(content)}))

    seen = read([("GameEvent", MessageToDict(event)) for event, _ in events])

    assert seen == [told for _, told in events]
    assert read([("GameEvent", {"version": "3", "somethingNew": {}})]) == [
        {"version": 3, "at": None, "type": "Unknown"}
    ]


def test_the_result_of_a_command_is_read() -> None:
    result = filled(game_service_pb2.CommandResult, count(1))
    (seen,) = read([("CommandResult", MessageToDict(result))])

    told = expected(result)
    assert {name: seen[name] for name in ("version", "repeatedAnswer", "digest")} == {
        name: told[name] for name in ("version", "repeatedAnswer", "digest")
    }
    assert [event["version"] for event in seen["events"]] == [event.version for event in result.events]
