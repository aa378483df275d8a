"""The small files of an embedded Postgres: locks, the password, notes, the log.

When root works in a directory that belongs to the account, the account can put anything in the place of these files: a
link to /etc/shadow, or a second name of somebody's file. So these functions follow no link, and they neither read nor
give away a file that has a second name or that belonged to another user.
"""

import fcntl
import os
import stat
from pathlib import Path
from typing import Final

from infra.embedded.host import Account, EmbeddedPostgresFailed, give

_READ_BYTES_MAX: Final = 20_000_000


def open_alone(path: Path, account: Account) -> int:
    """Open a file that belongs to the account alone; make it if it is not there."""
    # O_NONBLOCK, because opening a named pipe that somebody put here would wait for ever.
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
    """The content of a file from some byte on."""
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        _check_plain(file, path)
        return os.pread(file, _READ_BYTES_MAX, start)
    finally:
        os.close(file)


def write_alone(path: Path, content: bytes, account: Account) -> None:
    """Replace the content of a file; it is on the disk when this returns."""
    file = open_alone(path, account)
    try:
        os.ftruncate(file, 0)
        os.write(file, content)
        os.fsync(file)
    finally:
        os.close(file)


def take(lock: int) -> bool:
    """Take a lock exclusively, and return True; False if somebody has it."""
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
    """Refuse a file of another owner. Only an empty one is fine: root has just made it and gives it away next."""
    status = os.fstat(file)
    if status.st_uid != account.user and status.st_size:
        raise EmbeddedPostgresFailed(f"The file {path} does not belong to the user {account.name}: remove it.")


def _check_plain(file: int, path: Path) -> None:
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        raise EmbeddedPostgresFailed(f"The file {path} is not a plain file with a single name: remove it.")
