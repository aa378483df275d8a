"""The contract and the code that is generated from it are the same thing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder
from liarsdice.v1 import event_pb2, game_pb2, replay_service_pb2, statistics_service_pb2

from services.wire.contract_comments import contract_comments

MODULES = (event_pb2, game_pb2, replay_service_pb2, statistics_service_pb2)
MESSAGES = {name: one for module in MODULES for name, one in module.DESCRIPTOR.message_types_by_name.items()}
ROOT = Path(__file__).parent.parent.parent
PROTOS = sorted((ROOT / "proto" / "liarsdice" / "v1").glob("*.proto"))


def test_the_generated_code_is_up_to_date(tmp_path: Path) -> None:
    plugins = Path(sys.executable).parent
    outputs = [f"--{kind}_out={tmp_path}" for kind in ("python", "grpc_python")]
    outputs += [f"--{kind}_out=quiet:{tmp_path}" for kind in ("mypy", "mypy_grpc")]
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{ROOT / 'proto'}", *outputs, *map(str, PROTOS)]
    subprocess.run(command, check=True, env={"PATH": f"{plugins}:/usr/bin:/bin"}, capture_output=True)

    generated = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.py*") if path.is_file()}
    kept = ROOT / "proto" / "gen"
    found = {
        path.relative_to(kept): path.read_bytes() for path in kept.rglob("*.py*") if "__pycache__" not in path.parts
    }
    assert generated == found


@pytest.mark.parametrize("proto", PROTOS, ids=lambda proto: proto.name)
def test_every_part_of_the_contract_has_a_comment(proto: Path) -> None:
    """Not only what buf looks at: a field or value without a comment right above it is named here."""
    lines = [line.strip() for line in proto.read_text(encoding="utf-8").splitlines()]
    declared = re.compile(r"(message|enum|service|rpc|oneof) |.* = -?\d+( \[.*\])?;$|map<")
    bare = [
        line
        for above, line in zip(["", *lines], lines, strict=False)
        if declared.match(line) and not line.startswith("//") and not above.startswith("//")
    ]

    assert not bare


def test_the_comments_of_the_contract_are_read_as_they_stand_and_come_along_in_the_wheel() -> None:
    comments = contract_comments()

    assert comments["PastGame"][""] == "A game in the list."
    assert comments["PastGame"]["seats_max"] == "How many seats the table has."
    for name, message in MESSAGES.items():
        assert set(comments[name]) - {""} == {field.name for field in message.fields}, name
        assert all(comments[name].values()), name
    assert WheelBuilder(str(ROOT)).config.get_force_include()[str(ROOT / "proto" / "liarsdice")] == "proto/liarsdice"
