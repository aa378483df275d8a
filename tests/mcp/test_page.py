"""The page about MCP says what is true: its configuration is taken, its tools are all there, its examples fit."""

import json
import re
from typing import Any

import msgspec
import pytest
from mcp import StdioServerParameters

from services.cli.main import parser_for
from services.mcp.answers import Problem
from services.mcp.toolbox import TOOLS
from tests.servers import ROOT

PAGE = (ROOT / "docs" / "client" / "mcp.md").read_text()
CONFIGURATION, *EXCHANGES = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]


def test_the_configuration_starts_the_program_with_flags_that_it_has() -> None:
    (named,) = CONFIGURATION["mcpServers"].values()
    started = StdioServerParameters(**named)

    assert started.command.endswith("/.venv/bin/liarsdice")
    assert parser_for(started.args).parse_args(started.args).name == "Claudius"


def test_every_flag_of_the_page_is_there_and_every_flag_is_on_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser_for(["mcp"]).parse_args(["mcp", "--help"])

    there = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help"}
    (table,) = re.findall(r"\| flag \|.*?\n\n", PAGE, re.DOTALL)
    assert set(re.findall(r"--[a-z-]+", table)) - {"---"} == there


def test_the_page_lists_all_tools() -> None:
    (table,) = re.findall(r"\| tool \|.*?\n\n", PAGE, re.DOTALL)

    assert re.findall(r"^\| `(\w+)`", table, re.MULTILINE) == [tool.name for tool in TOOLS]


@pytest.mark.parametrize("exchange", EXCHANGES, ids=lambda exchange: str(exchange["tool"]))
def test_an_example_has_arguments_that_the_tool_takes_and_an_answer_that_it_may_give(exchange: dict[str, Any]) -> None:
    (tool,) = [tool for tool in TOOLS if tool.name == exchange["tool"]]
    kind, answer = (tool.answer, exchange["answer"]) if "answer" in exchange else (Problem, exchange["problem"])

    msgspec.convert(exchange["arguments"], tool.arguments)
    assert json.loads(msgspec.json.encode(msgspec.convert(answer, kind))) == answer, (
        "there is no field that it does not have"
    )
