"""`liarsdice migrate`, as an operator uses it."""

from pathlib import Path

import pytest

from services.cli import main
from tests.infra.postgres.databases import empty_database, folder_for_a_server


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> str:
    url = empty_database()
    monkeypatch.setenv("DATABASE_URL", url)
    return url


@pytest.mark.usefixtures("database")
def test_a_store_is_created_once_and_told_to_be_up_to_date_after(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate", "--lanes", "2"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "ran 0001_roles_and_settings.sql"

    assert main(["migrate"]) == 0
    assert capsys.readouterr().out == "the store is up to date\n"


@pytest.mark.usefixtures("database")
def test_what_cannot_be_done_is_told_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    main(["migrate", "--lanes", "2"])

    assert main(["migrate", "--lanes", "3"]) == 2
    assert "created with 2 lanes and can't be changed to 3" in capsys.readouterr().err


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://nobody:secret@127.0.0.1:1/none",
        "postgresql://nobody:secret@127.0.0.1:99999/none",
        "postgresql://nobody:secret@127.0.0.1:port/none",
        "postgresql://nobody:secret@127.0.0.1:1/none?sslmode=bogus",
        "postgresql://nobody:secret@[::1",
        "secret, not a url at all",
    ],
)
def test_a_database_that_is_not_there_is_told_in_a_sentence(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", url)

    assert main(["migrate"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("liarsdice: the database can't be used")
    assert "secret" not in told
    assert told.count("\n") == 1


def test_without_a_database_an_embedded_one_is_made_where_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    with folder_for_a_server() as folder:
        assert main(["migrate", "--data", folder]) == 0
        assert (Path(folder) / "postgres" / "cluster" / "PG_VERSION").read_text() == "18\n"
