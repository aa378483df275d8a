"""Where the keys are, outside of the database: in a file or an environment variable.

Both hold the same text: 32 random bytes in base64 for each key, the newest last; `openssl rand -base64 32` makes a key
too. The caller decides what the keys are for: to seal (`infra.keys.key_ring`), to sign the log (`infra.keys.log_keys`) or
to witness. This module passes them on and keeps none.

A key that seals may have to wait until every host has it. Until then its line begins with `next:`: it opens, and does not seal.
When its time has come, its line is written again, without that word.

Keys that sign carry a name. It is in a line of its file that begins with `# name: `, so that nobody lets the same keys
sign under two names by mistake.
"""

import errno
import fcntl
import os
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from domain.refusals import Refusal
from infra.durable_files import flush, write_new

KEY_LENGTH = 32

_FILE_LENGTH_MAX = 1 << 16
_OF_GROUP_OR_OTHERS = 0o077
_READ_BY_GROUP = 0o040
_NAME = "# name: "
_WAITS = "next:"


class WrittenKeys(NamedTuple):
    """The keys of a file or a variable, each kind with the newest last."""

    sealing: list[bytes]
    waiting: list[bytes]
    """Those that only open, until all hosts have them."""


class KeysRefused(Refusal):
    """The keys in {source} can't be used: {problem}."""


class KeysMissing(Refusal):
    """There is no key file {path}, and other hosts may use this store with a key already: copy their key file, or run `liarsdice {command}` if the store is new."""


def keys_of_variable(environment: Mapping[str, str], variable: str) -> list[bytes] | None:
    """The keys of an environment variable, separated by spaces or new lines; None where it is not set."""
    text = environment.get(variable)
    if text is None:
        return None
    return _keys(text.split(), source=f"the variable {variable}")


def keys_of_file(path: Path) -> list[bytes]:
    """The keys of a file that only its owner may read.

    A file of root may also be readable by one of our groups: Kubernetes gives a secret to a process in this way.
    """
    with _locked_to_read(path) as file:
        return _keys(_lines(_read(file, path)), source=str(path))


def written_in_variable(environment: Mapping[str, str], variable: str) -> WrittenKeys | None:
    """The keys of an environment variable, those that wait apart; None where it is not set."""
    text = environment.get(variable)
    return None if text is None else _written(text.split(), source=f"the variable {variable}")


def written_in_file(path: Path) -> WrittenKeys:
    """The keys of a file, those that wait apart."""
    with _locked_to_read(path) as file:
        return _written(_lines(_read(file, path)), source=str(path))


def name_in_file(path: Path) -> str | None:
    """The name that the keys of a file carry; None if the file says nothing about it, as older ones."""
    with _file_errors_refused(path), path.open("rb") as file:
        return _name(_read(file, path))


def claim_name(path: Path, name: str) -> str:
    """Write the name of its keys into a file that says nothing about it, and return the name that it has now."""
    with _file_errors_refused(path), path.open("rb") as file:
        known = _name(_read(file, path))
    if known is not None:
        return known
    if not os.access(path, os.W_OK):
        return name  # A file that is mounted to be read stays as it is.
    with _file_errors_refused(path), path.open("r+b", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        content = _read(file, path)
        known = _name(content)
        if known is None:
            line = f"{_NAME}{name}\n".encode()
            _append(file, len(content), (b"" if content.endswith(b"\n") else b"\n") + line)
        return known or name


def create_key_file(path: Path, header: str, name: str | None = None) -> None:
    """If there is no such file, make it, with a line that says what it is and one new key.

    The name is that of the new key, if it has one.

    The file appears complete, in one step. If another process was faster, its file stays, and both processes use its
    key.
    """
    with _file_errors_refused(path):
        if not path.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            named = "" if name is None else f"{_NAME}{name}\n"
            write_new(path, f"# {header}\n{named}".encode() + _line(os.urandom(KEY_LENGTH)))


def add_to_key_file(path: Path, material: bytes | None = None, *, waits: bool = False) -> None:
    """Add a key to a file, a new one unless it is given; it may have to wait."""
    # Without a buffer, because a buffer could still write its bytes after we have undone a failed write.
    with _file_errors_refused(path), path.open("r+b", buffering=0) as file:
        # Two processes may add a key at the same time and both must keep theirs, so we append and never replace the file.
        fcntl.flock(file, fcntl.LOCK_EX)
        content = _read(file, path)
        _written(_lines(content), source=str(path))
        line = (_WAITS.encode() if waits else b"") + _line(material or os.urandom(KEY_LENGTH))
        _append(file, len(content), (b"" if content.endswith(b"\n") else b"\n") + line)


def _append(file: BinaryIO, length: int, line: bytes) -> None:
    """Write a line after the complete keys, or leave the file as it was."""
    try:
        file.truncate(length)
        file.seek(length)
        if file.write(line) != len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # noqa: TRY301 - undone like any other failure.
        flush(file)
    except OSError:
        os.ftruncate(file.fileno(), length)
        raise


def _read(file: BinaryIO, path: Path) -> bytes:
    """The text of the keys, without the incomplete last line that a crash while adding a key leaves behind."""
    if _is_open_to_others(file):
        raise KeysRefused(source=path, problem="others than its owner have access to the file; run chmod 600 on it")
    content = file.read(_FILE_LENGTH_MAX + 1)
    if len(content) > _FILE_LENGTH_MAX:
        raise KeysRefused(source=path, problem=f"the file has more than {_FILE_LENGTH_MAX} bytes, too many for keys")
    whole, end, rest = content.rpartition(b"\n")
    lines = [line.removeprefix(_WAITS) for line in _lines(rest)]
    unfinished = bool(end) and bool(_lines(whole)) and any(_material(line) is None for line in lines)
    return whole + end if unfinished else content


def _is_open_to_others(file: BinaryIO) -> bool:
    status = os.fstat(file.fileno())
    rights = status.st_mode & _OF_GROUP_OR_OTHERS
    groups = {os.getegid(), *os.getgroups()}
    handed_to_us = rights == _READ_BY_GROUP and status.st_uid == 0 and status.st_gid in groups
    return bool(rights) and not handed_to_us


def _lines(content: bytes) -> list[str]:
    lines = [line.strip() for line in content.decode("ascii", "replace").splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def _name(content: bytes) -> str | None:
    lines = content.decode("utf-8", "replace").split("\n")
    return next((line.removeprefix(_NAME) for line in lines if line.startswith(_NAME)), None)


def _written(texts: list[str], source: str) -> WrittenKeys:
    waiting = [text.removeprefix(_WAITS) for text in texts if text.startswith(_WAITS)]
    sealing = _keys([text for text in texts if not text.startswith(_WAITS)], source)
    return WrittenKeys(sealing, _keys(waiting, source) if waiting else [])


def _keys(texts: list[str], source: str) -> list[bytes]:
    materials = [_material(text) for text in texts]
    if not materials:
        raise KeysRefused(source=source, problem="there is none")
    for number, material in enumerate(materials, 1):
        if material is None:
            raise KeysRefused(source=source, problem=f"key {number} is not {KEY_LENGTH} bytes in base64")
    return [material for material in materials if material is not None]


def _material(text: str) -> bytes | None:
    # None and not an error: the error would contain the text of a key, perhaps with just a typing mistake.
    with suppress(ValueError):
        material = a2b_base64(text, strict_mode=True)
        if len(material) == KEY_LENGTH:
            return material
    return None


def _line(material: bytes) -> bytes:
    return b64encode(material) + b"\n"


@contextmanager
def _locked_to_read(path: Path) -> Iterator[BinaryIO]:
    """The open file, while nobody adds a key to it."""
    with _file_errors_refused(path), path.open("rb") as file:
        # On a file system without locks nobody can add a key meanwhile either.
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_SH)
        yield file


@contextmanager
def _file_errors_refused(path: Path) -> Iterator[None]:
    """Turn an error of the operating system into a refusal of the keys."""
    try:
        yield
    except OSError as error:
        raise KeysRefused(source=path, problem=error.strerror or type(error).__name__) from None
