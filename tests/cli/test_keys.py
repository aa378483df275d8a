"""`liarsdice keys`, as an operator uses it."""

import json
from base64 import b64encode
from pathlib import Path

import pytest

from infra.keys.key_ring import Key, create_keys, keys_in_file
from infra.keys.log_keys import SignerRing, log_keys_in_file
from infra.log.notes import read_vkey
from services.cli.main import main


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIARSDICE_KEYS", raising=False)
    monkeypatch.delenv("LIARSDICE_LOG_KEYS", raising=False)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["keys", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_key_that_is_added_is_shown_by_its_id_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = create_keys(tmp_path / "keys").newest.id.hex()

    added = printed(capsys, "add", "--data", str(tmp_path))

    assert added == [keys_in_file(tmp_path / "keys").newest.id.hex()]
    assert printed(capsys, "list", "--data", str(tmp_path)) == [first, *added]


@pytest.mark.parametrize("log", [(), ("--log",)])
def test_keys_as_json_have_the_newest_first(
    log: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = (printed(capsys, "add", "--data", str(tmp_path), "--json", *log) for _ in range(2))
    listed = printed(capsys, "list", "--data", str(tmp_path), "--json", *log)

    keys = [json.loads(line)["keys"] for (line,) in (second, first)]
    assert json.loads(*listed) == {"keys": [key for (key,) in keys]}


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


LOG = ("--log", "--origin", "example.com/dice")


def test_keys_of_the_log_are_shown_as_what_verifies_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = printed(capsys, "add", "--data", str(tmp_path), *LOG)
    second = printed(capsys, "add", "--data", str(tmp_path), *LOG)

    assert printed(capsys, "list", "--data", str(tmp_path), *LOG) == [*first, *second]
    assert list(log_keys_in_file(tmp_path / "log-keys", "example.com/dice").vkeys) == [*first, *second]
    assert read_vkey(second[0]).name == "example.com/dice"
    assert [path.name for path in tmp_path.iterdir()] == ["log-keys"]


def test_the_keys_of_the_log_in_the_environment_are_listed_and_not_added_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LIARSDICE_LOG_KEYS", b64encode(b"k" * 32).decode())

    assert printed(capsys, "list", *LOG) == list(SignerRing("example.com/dice", [b"k" * 32]).vkeys)
    assert main(["keys", "add", "--data", str(tmp_path), *LOG]) == 2
    assert "the keys are in LIARSDICE_LOG_KEYS" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--origin", "a"], "--origin goes with --log"),
        (["--log", "--origin", ""], "no spaces and no plus"),
        (["--log", "--origin", "a log"], "no spaces and no plus"),
    ],
)
def test_a_key_of_the_log_bears_the_name_of_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: list[str], sentence: str
) -> None:
    for action in ("add", "list"):
        assert main(["keys", action, "--data", str(tmp_path), *flags]) == 2
        assert sentence in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_key_that_waits_opens_and_seals_once_it_is_told_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, path = str(tmp_path), tmp_path / "keys"
    (first,) = printed(capsys, "add", "--data", data)

    (second,) = printed(capsys, "add", "--waiting", "--data", data)

    assert printed(capsys, "list", "--data", data) == [first, f"{second} waits"]
    (listed,) = printed(capsys, "list", "--json", "--data", data)
    assert json.loads(listed) == {"keys": [second, first], "waiting": [second]}
    ring = keys_in_file(path)
    assert ring.newest.id.hex() == first
    assert ring.find(bytes.fromhex(second)) is not None
    assert printed(capsys, "seal", "--data", data) == [second]
    assert printed(capsys, "list", "--data", data) == [first, second]
    sealing = keys_in_file(path)
    assert sealing.newest.id.hex() == second
    assert sealing.secret_for("ids") == ring.secret_for("ids")


def test_where_no_key_waits_none_is_told_to_seal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "add", "--data", str(tmp_path))

    assert main(["keys", "seal", "--data", str(tmp_path)]) == 2
    assert "No key in" in capsys.readouterr().err
    assert main(["keys", "add", "--log", "--waiting", "--data", str(tmp_path)]) == 2
    assert "all keys of a log sign" in capsys.readouterr().err


def test_a_key_of_a_log_does_not_wait(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "add", "--log", "--data", str(tmp_path))
    with (tmp_path / "log-keys").open("a") as file:
        file.write(f"next:{b64encode(b'k' * 32).decode()}\n")

    assert main(["keys", "list", "--log", "--data", str(tmp_path)]) == 2
    assert "key 2 is not 32 bytes in base64" in capsys.readouterr().err


def test_a_key_waits_in_the_variable_too(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (b64encode(bytes((number,)) * 32).decode() for number in range(2))
    monkeypatch.setenv("LIARSDICE_KEYS", f"{first} next:{second}")

    assert printed(capsys, "list")[1].endswith(" waits")
