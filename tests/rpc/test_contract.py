"""The contract and the code that is generated from it are the same thing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

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
