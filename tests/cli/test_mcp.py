"""`liarsdice mcp`: what it needs, that only MCP is on its standard output, and how it ends."""

import argparse
import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import to_builtins

from services.cli import mcp
from services.cli.main import FAILED, main
from services.mcp.session import Session, Setup
from services.mcp.toolbox import call
from tests.mcp.models import ENVIRONMENT, arguments
from tests.servers import SECONDS_MAX


@pytest.mark.parametrize("missing", ["mcp", "mcp.server.lowlevel"], ids=["none", "of another version"])
def test_without_the_package_it_is_told_how_to_get_it(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, "services.mcp.server", raising=False)

    assert main(["mcp"]) == FAILED

    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("liarsdice: ")
    assert told.err.endswith("run python -m pip install 'mcp>=2,<3'\n")
    assert len(told.err.splitlines()) == 1


def test_the_package_is_not_imported_before_somebody_asks_for_it() -> None:
    program = "import services.cli.mcp, services.mcp.toolbox, sys; sys.exit('mcp' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False, cwd=Path(__file__).parents[2]).returncode == 0


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--sign", "--server-rolls"), "--sign needs a chain of your own"),
        (("--tls-ca", "nowhere.pem"), "can't read nowhere.pem"),
        (("--public-key", "nonsense"), "nonsense is not a key"),
    ],
)
def test_flags_that_make_no_sense_are_told_at_once(
    flags: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", *flags]) == FAILED

    assert sentence in capsys.readouterr().err


def test_a_server_that_is_away_is_told_by_the_tools(tmp_path: Path) -> None:
    parser = argparse.ArgumentParser()
    mcp.add_flags(parser)
    flags = parser.parse_args(arguments("127.0.0.1:1", tmp_path)[3:])

    async def asked() -> object:
        return to_builtins(await call(Session(lambda: mcp.connect(flags), Setup()), "list_tables", {}))

    told = asyncio.run(asked())

    assert isinstance(told, dict)
    assert told["reason"] == "SERVER_UNREACHABLE"
    assert "127.0.0.1:1 does not answer" in told["sentence"]


def test_only_the_protocol_is_on_standard_output_and_the_end_of_input_ends_it(tmp_path: Path) -> None:
    """Written by hand, as a client of the protocol's older versions does it; the strange lines are survived."""
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "this is no message",
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
        json.dumps({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "no such tool"}}),
    ]

    with started(tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n".join(lines) + "\n")
        process.stdin.flush()
        answers: dict[int, dict[str, object]] = {}
        while len(answers) < 3:
            answer = json.loads(process.stdout.readline())
            if answer.get("id") is not None:
                answers[answer["id"]] = answer["result"]
        rest, log = process.communicate(timeout=SECONDS_MAX)

    assert answers[1]["protocolVersion"] == "2025-06-18"
    assert answers[3]["isError"] is True
    assert [json.loads(line)["jsonrpc"] for line in rest.splitlines()] == []
    assert process.returncode == 0
    assert "Traceback" not in log


def test_a_signal_ends_it_although_its_input_is_open(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        assert process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        process.wait(SECONDS_MAX)

    assert process.returncode == -signal.SIGTERM


def started(folder: Path) -> "subprocess.Popen[str]":
    """The program, with pipes."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, *arguments("127.0.0.1:1", folder)]
    return subprocess.Popen(command, env=ENVIRONMENT, text=True, **pipes)  # type: ignore[call-overload,no-any-return]
