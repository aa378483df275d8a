"""`liarsdice keys`, as an operator uses it."""

from base64 import b64encode
from pathlib import Path

import pytest

from infra.keys import Key, create_keys, keys_in_file
from services.cli import main


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIARSDICE_KEYS", raising=False)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["keys", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_key_that_is_added_is_shown_by_its_id_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = create_keys(tmp_path / "keys").newest.id.hex()

    added = printed(capsys, "add", "--data", str(tmp_path))

    assert added == [keys_in_file(tmp_path / "keys").newest.id.hex()]
    assert printed(capsys, "list", "--data", str(tmp_path)) == [first, *added]


def test_the_first_key_is_made_where_there_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    added = printed(capsys, "add", "--data", str(tmp_path / "new"))

    assert printed(capsys, "list", "--data", str(tmp_path / "new")) == added
    assert (tmp_path / "new" / "keys").stat().st_mode & 0o777 == 0o600


def test_the_keys_of_the_environment_are_listed_and_not_added_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LIARSDICE_KEYS", b64encode(b"k" * 32).decode())

    assert printed(capsys, "list", "--data", str(tmp_path)) == [Key(b"k" * 32).id.hex()]
    assert main(["keys", "add", "--data", str(tmp_path)]) == 2
    assert "a key in a file would not be used" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_keys_that_are_not_there_are_told_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys", "list", "--data", str(tmp_path)]) == 2
    assert "can't be used: No such file or directory" in capsys.readouterr().err
