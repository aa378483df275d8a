"""Keys come from a file or a variable, can be added to, and are never shown."""

import copy
import errno
import fcntl
import os
import pickle
import stat
import subprocess
import sys
import time
import traceback
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from infra.keys.key_files import KeysRefused
from infra.keys.key_ring import KEYS_VARIABLE, Key, KeyRing, add_key, create_keys, keys_in_environment, keys_in_file

ROOT = Path(__file__).parents[3]
OLD, NEW = bytes(range(32)), bytes(range(100, 132))
OLD_TEXT, NEW_TEXT = b64encode(OLD).decode(), b64encode(NEW).decode()


def key_file(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "keys"
    path.write_text(text)
    path.chmod(mode)
    return path


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def ids(ring: KeyRing) -> str:
    return repr(ring)


def spellings(material: bytes) -> list[str]:
    """How a key could be shown by mistake."""
    return [repr(material)[2:-1], material.hex(), b64encode(material).decode(), str(list(material))]


def test_a_ring_seals_with_its_newest_key_and_opens_with_all() -> None:
    ring = KeyRing([Key(OLD), Key(NEW)])

    assert ring.newest.id == Key(NEW).id
    assert ring.find(Key(OLD).id) is not None
    assert ring.find(b"another!") is None
    assert len(ring) == 2


def test_a_derived_secret_stays_when_keys_are_added_and_differs_by_purpose_and_key() -> None:
    secret = KeyRing([Key(OLD)]).secret_for("game ids")

    assert secret == KeyRing([Key(OLD), Key(NEW)]).secret_for("game ids")
    assert secret not in (KeyRing([Key(OLD)]).secret_for("else"), KeyRing([Key(NEW), Key(OLD)]).secret_for("game ids"))
    assert not any(shown in repr(secret) for shown in spellings(OLD))


def test_a_key_has_the_same_id_everywhere_and_no_other_key_has_it() -> None:
    assert Key(OLD).id.hex() == "21c2f8d1924b6bcf"
    assert Key(OLD).id != Key(NEW).id


@pytest.mark.parametrize("between", [" ", "\n", "\r\n", "\n\n  "])
def test_a_variable_holds_keys_the_newest_last(between: str) -> None:
    ring = keys_in_environment({KEYS_VARIABLE: OLD_TEXT + between + NEW_TEXT + "\n"})

    assert ring is not None
    assert ids(ring) == ids(KeyRing([Key(OLD), Key(NEW)]))


def test_a_variable_that_is_not_set_gives_no_keys() -> None:
    assert keys_in_environment({}) is None


def test_a_file_holds_the_same_text_and_comments(tmp_path: Path) -> None:
    path = key_file(tmp_path, f"# the first\n{OLD_TEXT}\n\n# since the spring\r\n  {NEW_TEXT}")

    assert ids(keys_in_file(path)) == ids(KeyRing([Key(OLD), Key(NEW)]))


def test_creating_makes_a_file_of_its_owner_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        ring = create_keys(tmp_path / "folder" / "keys")
    finally:
        os.umask(before)

    assert mode_of(tmp_path / "folder" / "keys") == 0o600
    assert mode_of(tmp_path / "folder") == 0o700
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["keys"]
    assert ids(keys_in_file(tmp_path / "folder" / "keys")) == ids(ring)


def test_creating_never_overwrites_a_file(tmp_path: Path) -> None:
    path = key_file(tmp_path, OLD_TEXT)

    assert ids(create_keys(path)) == ids(KeyRing([Key(OLD)]))
    assert path.read_text() == OLD_TEXT


def test_no_two_new_keys_are_the_same(tmp_path: Path) -> None:
    assert len({ids(create_keys(tmp_path / str(number))) for number in range(10)}) == 10


def test_processes_that_create_at_once_end_up_with_the_same_key(tmp_path: Path) -> None:
    program = "import sys; from pathlib import Path; from infra.keys.key_ring import create_keys; print(create_keys(Path(sys.argv[1])))"
    command = [sys.executable, "-c", program, str(tmp_path / "keys")]

    started = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) for _ in range(6)]
    outputs = {process.communicate(timeout=20)[0] for process in started}

    assert [process.returncode for process in started] == [0] * 6
    assert outputs == {f"{keys_in_file(tmp_path / 'keys')!r}\n".encode()}


def test_threads_that_create_at_once_end_up_with_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as threads:
        for number in range(20):
            rings = list(threads.map(create_keys, [tmp_path / str(number)] * 16))
            assert len({ids(ring) for ring in rings}) == 1
            assert [len(ring) for ring in rings] == [1] * 16


def test_what_another_process_wrote_between_looking_and_making_is_kept(tmp_path: Path) -> None:
    """A link to nothing is not there when looked at, and is there when the file is to be made."""
    (tmp_path / "keys").symlink_to(tmp_path / "nowhere")

    with pytest.raises(KeysRefused, match="No such file"):
        create_keys(tmp_path / "keys")

    assert [path.name for path in tmp_path.iterdir()] == ["keys"]


@pytest.mark.parametrize("ending", ["", "\n"])
def test_a_key_that_is_added_seals_and_the_others_still_open(tmp_path: Path, ending: str) -> None:
    path = key_file(tmp_path, OLD_TEXT + ending)

    ring = add_key(path)

    assert len(ring) == 2
    assert ring.find(Key(OLD).id) is not None
    assert ring.newest.id != Key(OLD).id
    assert ids(keys_in_file(path)) == ids(ring)
    assert mode_of(path) == 0o600


def test_all_keys_that_are_added_at_once_are_kept(tmp_path: Path) -> None:
    path = key_file(tmp_path, OLD_TEXT)

    with ThreadPoolExecutor(8) as threads:
        rings = list(threads.map(add_key, [path] * 40))

    assert len(keys_in_file(path)) == 41
    assert all(keys_in_file(path).find(ring.newest.id) for ring in rings)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o620, 0o644, 0o777])
def test_a_file_that_others_can_reach_is_refused(tmp_path: Path, mode: int) -> None:
    path = key_file(tmp_path, OLD_TEXT, mode)
    if os.geteuid() == 0:
        os.chown(path, 1234, -1)

    for use in (keys_in_file, create_keys, add_key):
        with pytest.raises(KeysRefused) as refused:
            use(path)
        assert str(refused.value) == (
            f"The keys in {path} can't be used: others than its owner have access to the file; run chmod 600 on it."
        )
    assert path.read_text() == OLD_TEXT


def test_a_path_that_leads_to_no_keys_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(KeysRefused, match="can't be used: No such file or directory"):
        keys_in_file(tmp_path / "nothing")
    with pytest.raises(KeysRefused, match="can't be used: Is a directory"):
        keys_in_file(tmp_path)
    with pytest.raises(KeysRefused, match="can't be used: there is none"):
        keys_in_file(key_file(tmp_path, "# to be filled in\n\n"))
    with pytest.raises(KeysRefused, match=f"The keys in the variable {KEYS_VARIABLE} can't be used: there is none"):
        keys_in_environment({KEYS_VARIABLE: " "})


SPOILED = {
    "a key that is too short": NEW_TEXT[:-5],
    "a key of 31 bytes": b64encode(NEW[:31]).decode(),
    "a key of 33 bytes": b64encode(NEW + b"!").decode(),
    "a key without its padding": NEW_TEXT.rstrip("="),
    "a key in hexadecimal": NEW.hex(),
    "a character that is not base64": "*" + NEW_TEXT[1:],
    "a character too many": NEW_TEXT[:5] + "*" + NEW_TEXT[5:],
    "a character that is not ASCII": "é" + NEW_TEXT[1:],
    "a key that was cut in two": NEW_TEXT[:20] + "\n" + NEW_TEXT[20:],
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_malformed_key_is_named_by_its_number_and_not_shown(tmp_path: Path, name: str) -> None:
    text = f"{OLD_TEXT}\n{SPOILED[name]}\n"
    problem = "can't be used: key 2 is not 32 bytes in base64."

    with pytest.raises(KeysRefused) as of_variable:
        keys_in_environment({KEYS_VARIABLE: text})
    with pytest.raises(KeysRefused) as of_file:
        keys_in_file(key_file(tmp_path, text))
    with pytest.raises(KeysRefused) as of_adding:
        add_key(tmp_path / "keys")

    for error in (of_variable.value, of_file.value, of_adding.value):
        assert str(error).endswith(problem)
        told = "".join(traceback.format_exception(error)) + repr(error) + repr(error.__dict__) + repr(error.args)
        # The folder of the test is named after the key's mistake, never after the key.
        assert OLD_TEXT not in told
        assert SPOILED[name][:12] not in told
        assert error.__cause__ is None
        assert error.__context__ is None


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = key_file(tmp_path, "")
    path.write_bytes(b"\xff\x00" * 500)

    with pytest.raises(KeysRefused, match="key 1 is not 32 bytes in base64"):
        keys_in_file(path)


def test_a_file_that_is_too_long_for_keys_is_told_as_that(tmp_path: Path) -> None:
    path = key_file(tmp_path, f"{OLD_TEXT}\n" * 1_600)

    for use in (keys_in_file, add_key):
        with pytest.raises(KeysRefused, match="the file has more than 65536 bytes, too many for keys"):
            use(path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has files of root")
@pytest.mark.parametrize("mode", [0o440, 0o640])
def test_a_file_of_root_may_be_readable_by_a_group_of_ours(tmp_path: Path, mode: int) -> None:
    """As Kubernetes mounts a secret with fsGroup."""
    path = key_file(tmp_path, OLD_TEXT, mode)
    os.chown(path, 0, os.getgroups()[0] if os.getgroups() else os.getegid())
    assert ids(keys_in_file(path)) == ids(KeyRing([Key(OLD)]))

    os.chown(path, 0, 54_321)
    with pytest.raises(KeysRefused, match="others than its owner have access"):
        keys_in_file(path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has files of root")
@pytest.mark.parametrize("mode", [0o660, 0o444, 0o644, 0o450, 0o641])
def test_a_file_of_root_with_any_other_right_is_refused(tmp_path: Path, mode: int) -> None:
    path = key_file(tmp_path, OLD_TEXT, mode)

    with pytest.raises(KeysRefused, match="others than its owner have access"):
        keys_in_file(path)


@pytest.mark.parametrize("torn", ["A", NEW_TEXT[:20], NEW_TEXT[:-1], "\0" * 45])
def test_a_key_that_was_never_finished_is_passed_over_and_overwritten(tmp_path: Path, torn: str) -> None:
    path = key_file(tmp_path, f"{OLD_TEXT}\n{torn}")

    assert ids(keys_in_file(path)) == ids(KeyRing([Key(OLD)]))

    ring = add_key(path)
    assert len(ring) == 2
    assert ids(keys_in_file(path)) == ids(ring)
    assert path.read_text().startswith(f"{OLD_TEXT}\n")
    assert len(path.read_text().split()) == 2


def test_an_unfinished_key_alone_is_refused(tmp_path: Path) -> None:
    for text in (NEW_TEXT[:20], f"# the first\n{NEW_TEXT[:20]}"):
        with pytest.raises(KeysRefused, match="key 1 is not 32 bytes in base64"):
            keys_in_file(key_file(tmp_path, text))


def test_a_key_that_cannot_be_written_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = key_file(tmp_path, f"{OLD_TEXT}\n")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(KeysRefused, match="No space left on device"):
        add_key(path)

    assert path.read_text() == f"{OLD_TEXT}\n"


def test_whoever_reads_waits_for_a_key_that_is_being_added(tmp_path: Path) -> None:
    path = key_file(tmp_path, f"{OLD_TEXT}\n")
    with path.open("r+b") as file, ThreadPoolExecutor(1) as threads:
        fcntl.flock(file, fcntl.LOCK_EX)
        reading = threads.submit(keys_in_file, path)
        time.sleep(0.05)
        file.seek(0, os.SEEK_END)
        file.write(f"{NEW_TEXT}\n".encode())
        file.flush()
        fcntl.flock(file, fcntl.LOCK_UN)

        assert len(reading.result()) == 2


def test_what_is_printed_of_a_key_does_not_tell_it() -> None:
    key = Key(NEW)
    ring = KeyRing([Key(OLD), key])
    parts = [key, ring, key.cipher, [key], {"key": ring}]

    shown = " ".join(spelling for part in parts for spelling in (repr(part), str(part), f"{part}"))

    assert not [spelling for material in (OLD, NEW) for spelling in spellings(material) if spelling in shown]
    assert repr(key) == f"Key({key.id.hex()})"


def test_a_key_keeps_nothing_that_could_be_looked_up() -> None:
    key = Key(NEW)

    assert set(Key.__slots__) == {"_derived", "cipher", "id"}
    assert not [name for name in Key.__slots__ if getattr(key, name) == NEW]
    assert not hasattr(key, "__dict__")
    assert not [name for name in dir(key.cipher) if getattr(key.cipher, name) == NEW]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_key_can_not_be_pickled(protocol: int) -> None:
    with pytest.raises(TypeError, match="can't be pickled") as of_key:
        pickle.dumps(Key(NEW), protocol)
    with pytest.raises(TypeError) as of_ring:
        pickle.dumps(KeyRing([Key(NEW)]), protocol)

    told = str(of_key.value) + str(of_ring.value)
    assert not [spelling for spelling in spellings(NEW) if spelling in told]


def test_a_key_can_not_be_copied() -> None:
    with pytest.raises(TypeError, match="can't be pickled or copied"):
        copy.deepcopy(Key(NEW))
