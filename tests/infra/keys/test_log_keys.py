"""The keys of the log are kept like those that seal, sign together, and are never shown."""

import pickle
from base64 import b64encode
from pathlib import Path

import pytest

from domain.refusals import Malformed
from infra.keys.key_files import KeysRefused
from infra.keys.log_keys import (
    LOG_KEYS_VARIABLE,
    SignerRing,
    add_log_key,
    create_log_keys,
    log_keys_in_environment,
    log_keys_in_file,
)
from infra.log.checkpoints import Checkpoint, open_checkpoint
from infra.log.merkle import EMPTY_ROOT
from infra.log.notes import Signer, read_vkey

ORIGIN = "example.com/dice"
OLD, NEW = bytes(range(32)), bytes(range(100, 132))
CHECKPOINT = Checkpoint(ORIGIN, 0, EMPTY_ROOT)


def test_a_checkpoint_is_signed_with_all_keys_the_newest_first() -> None:
    ring = SignerRing(ORIGIN, [OLD, NEW])

    note = ring.sign(CHECKPOINT)

    expected = [Signer(ORIGIN, NEW).sign(CHECKPOINT.text), Signer(ORIGIN, OLD).sign(CHECKPOINT.text)]
    assert list(note.signatures) == expected


def test_who_knows_only_an_old_key_still_opens_what_is_signed_and_so_does_who_knows_the_new_one() -> None:
    ring = SignerRing(ORIGIN, [OLD, NEW])
    content = bytes(ring.sign(CHECKPOINT))

    for vkey in ring.vkeys:
        assert open_checkpoint(content, [read_vkey(vkey)])[1] == CHECKPOINT


def test_a_key_that_is_there_twice_signs_once() -> None:
    ring = SignerRing(ORIGIN, [OLD, NEW, OLD])

    assert len(ring) == 2
    assert len(ring.sign(CHECKPOINT).signatures) == 2


def test_a_log_signs_for_itself_alone() -> None:
    with pytest.raises(AssertionError, match="a log signs for itself alone"):
        SignerRing("another", [OLD]).sign(CHECKPOINT)
    with pytest.raises(Malformed, match="no spaces and no plus"):
        SignerRing("an origin", [OLD])


def test_a_variable_holds_the_keys_of_the_log_the_newest_last() -> None:
    text = f"{b64encode(OLD).decode()} {b64encode(NEW).decode()}"

    ring = log_keys_in_environment({LOG_KEYS_VARIABLE: text}, ORIGIN)

    assert ring is not None
    assert ring.vkeys == SignerRing(ORIGIN, [OLD, NEW]).vkeys
    assert log_keys_in_environment({}, ORIGIN) is None
    with pytest.raises(KeysRefused, match=f"the variable {LOG_KEYS_VARIABLE} can't be used: key 1 is not 32 bytes"):
        log_keys_in_environment({LOG_KEYS_VARIABLE: "no"}, ORIGIN)


def test_a_file_is_made_once_read_and_added_to(tmp_path: Path) -> None:
    path = tmp_path / "new" / "log-keys"

    made = create_log_keys(path, ORIGIN)
    assert create_log_keys(path, ORIGIN).vkeys == made.vkeys
    added = add_log_key(path, ORIGIN)

    assert len(made) == 1
    assert added.vkeys[:1] == made.vkeys
    assert len(set(added.vkeys)) == 2
    assert log_keys_in_file(path, ORIGIN).vkeys == added.vkeys
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text().startswith("# Keys that sign the checkpoints of the log, the newest last.")


def test_a_file_that_others_can_reach_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log-keys"
    create_log_keys(path, ORIGIN)
    path.chmod(0o666)

    for use in (log_keys_in_file, create_log_keys, add_log_key):
        with pytest.raises(KeysRefused, match="others than its owner have access"):
            use(path, ORIGIN)


def test_what_is_printed_of_a_ring_is_public_and_it_can_not_be_pickled() -> None:
    ring = SignerRing(ORIGIN, [OLD, NEW])

    assert repr(ring) == str(ring) == f"SignerRing({', '.join(ring.vkeys)})"
    for spelling in (NEW.hex(), b64encode(NEW).decode(), repr(NEW)[2:-1]):
        assert spelling not in repr(ring)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError):
            pickle.dumps(ring, protocol)


def test_a_new_log_has_a_name_that_no_other_has_and_keeps_it(tmp_path: Path) -> None:
    """Two honest logs with one name would look like a fork."""
    one, other = create_log_keys(tmp_path / "one"), create_log_keys(tmp_path / "other")

    assert one.origin.startswith("liarsdice/")
    assert one.origin != other.origin
    assert create_log_keys(tmp_path / "one").origin == add_log_key(tmp_path / "one").origin == one.origin
    assert log_keys_in_file(tmp_path / "one", ORIGIN).origin == ORIGIN


def test_a_log_that_is_older_than_names_in_key_files_keeps_its_name(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_bytes(b64encode(OLD) + b"\n")
    path.chmod(0o600)

    assert create_log_keys(path).origin == "liarsdice"
    environment = {LOG_KEYS_VARIABLE: b64encode(OLD).decode()}
    ring = log_keys_in_environment(environment)
    assert ring is not None
    assert ring.origin == "liarsdice"
