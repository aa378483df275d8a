"""The small files of an embedded Postgres: locks, the password, notes, the log.

Root may be working in a directory of somebody else, who can put anything in their places. So no link is followed, and
nothing is given away or read that has another name elsewhere or was not the account's.
"""

import fcntl
import os
import stat
from pathlib import Path
from typing import Final

from infra.embedded.host import Account, EmbeddedPostgresFailed, give

_READ_BYTES_MAX: Final = 20_000_000


def open_alone(path: Path, account: Account) -> int:
    """A file of the account's own, made if it is not there."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    try:
        _check_plain(file, path)
        _check_owner(file, path, account)
        give(file, account)
    except BaseException:
        os.close(file)
        raise
    return file


def read_alone(path: Path, start: int = 0) -> bytes:
    """What a file holds from some byte on."""
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        _check_plain(file, path)
        return os.pread(file, _READ_BYTES_MAX, start)
    finally:
        os.close(file)


def write_alone(path: Path, content: bytes, account: Account) -> None:
    """Let a file hold this and nothing else."""
    file = open_alone(path, account)
    try:
        os.ftruncate(file, 0)
        os.write(file, content)
        os.fsync(file)
    finally:
        os.close(file)


def take(lock: int) -> bool:
    """Take the lock for ourselves alone, if nobody has it."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def sync(directory: Path) -> None:
    """Make a rename in the directory survive a power cut."""
    file = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _check_owner(file: int, path: Path, account: Account) -> None:
    """One that root made a moment ago is empty; any other file of another owner was brought here to be given away."""
    status = os.fstat(file)
    if status.st_uid != account.user and status.st_size:
        raise EmbeddedPostgresFailed(f"The file {path} belongs to another user than {account.name}: take it away.")


def _check_plain(file: int, path: Path) -> None:
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        raise EmbeddedPostgresFailed(f"The file {path} is no plain file with a single name: take it away.")
