"""The command `liarsdice` itself: its subcommands, and that it imports only what the chosen one needs."""

import subprocess
import sys
from importlib.metadata import version

import pytest

from services.cli.main import FAILED, SUBCOMMANDS, main


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_the_help_names_every_subcommand_and_what_it_is_for(capsys: pytest.CaptureFixture[str]) -> None:
    words = " ".join(printed(capsys, "--help").split())

    for name, (_, text) in SUBCOMMANDS.items():
        assert f" {name} {text}" in words


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "--version") == f"liarsdice {version('liarsdice')}\n"


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_each_subcommand_explains_its_flags(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, name, "--help").startswith(f"usage: liarsdice {name} ")


@pytest.mark.parametrize("arguments", [(), ("sevre",), ("--data", "serve")])
def test_what_is_no_subcommand_is_refused_with_the_usage(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)

    assert ended.value.code == FAILED
    assert capsys.readouterr().err.startswith("usage: liarsdice ")


@pytest.mark.parametrize("name", ["play", "replay", "verify"])
def test_who_plays_or_looks_does_not_wait_for_the_parts_of_a_server(name: str) -> None:
    program = f"""
import sys
from services.cli.main import parser_for
parser_for(["{name}"])
print(*{{"litestar", "uvicorn", "asyncpg"}} & sys.modules.keys())
"""
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)

    assert ran.stdout.split() == []
