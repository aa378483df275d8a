"""`liarsdice projections`: what an operator sees of the read models."""

import json
from pathlib import Path

import pytest

from services.cli import main as cli
from tests.infra.postgres.databases import empty_database, new_database
from tests.projector.models import Models, on_models, play_into
from tests.projector.test_projector import Poisoned


@pytest.fixture(name="url")
def store_of_games(monkeypatch: pytest.MonkeyPatch) -> str:
    """A store with a few games, of which the models know nothing yet."""
    url = new_database(2)
    on_models(url, lambda models: play_into(models, 4))
    monkeypatch.setenv("DATABASE_URL", url)
    return url


def test_the_status_tells_how_far_each_model_has_come(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["projections", "status"]) == 0
    behind = capsys.readouterr().out
    on_models(url, lambda models: models.caught_up())
    assert cli.main(["projections", "status"]) == 0
    caught_up = capsys.readouterr().out
    rows = [line.split("│") for line in caught_up.splitlines() if "history v2" in line]
    assert [row[5].strip() for row in rows] == ["0", "0"]
    assert all(
        row[5].strip() != "0" for row in (line.split("│") for line in behind.splitlines() if "history v2" in line)
    )


def test_the_status_as_json_is_one_object_and_nothing_else(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    on_models(url, lambda models: models.caught_up())
    capsys.readouterr()
    assert cli.main(["projections", "status", "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    models = json.loads(line)["models"]

    assert {"history", "statistics"} <= {model["name"] for model in models}
    assert all(model["position"] == model["head"] and model["fault"] is None for model in models)


def test_a_fault_is_told_and_gives_another_exit_code(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    async def work(models: Models) -> None:
        await models.caught_up(models.projector([Poisoned("sim-1-000002")]))

    on_models(url, work)
    assert cli.main(["projections", "status"]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_a_model_is_rebuilt_and_what_was_begun_is_dropped_when_asked(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["projections", "rebuild", "history"]) == 0
    assert "history is built anew: generation 2 answers now" in capsys.readouterr().out
    assert cli.main(["projections", "rebuild", "history", "--cancel"]) == 0
    assert "nothing was built of history" in capsys.readouterr().out

    async def count(models: Models) -> int:
        return int(await models.pool.fetchval("SELECT count(*) FROM history_v2.records"))

    assert on_models(url, count) == 4


@pytest.mark.parametrize("command", ["projections status", "projections rebuild history", "audit --store"])
def test_whoever_looks_into_a_directory_without_a_store_is_told_so_and_makes_none(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    mistyped = tmp_path / "dtaa"

    assert cli.main([*command.split(), "--data", str(mistyped)]) == cli.FAILED

    assert capsys.readouterr().err == f"liarsdice: there is no store in {mistyped}; `liarsdice serve` makes one\n"
    assert not mistyped.exists()


@pytest.mark.usefixtures("url")
def test_what_cannot_be_done_is_told_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("services.cli.projections.PROJECTIONS", (Poisoned("sim-1-000001"),))
    assert cli.main(["projections", "rebuild", "history"]) == 2
    assert "history can't process event" in capsys.readouterr().err
    monkeypatch.setenv("DATABASE_URL", empty_database())
    assert cli.main(["projections", "status", "--data", str(tmp_path)]) == 2
    assert "migrate" in capsys.readouterr().err
