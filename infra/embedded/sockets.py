"""The directory for the socket of an embedded Postgres: private, and with a short path wherever the data directory is.

The path must be short, because an operating system takes at most about 100 bytes for the name of a socket. A file in the
data directory notes the path, and the next server uses the same one. So the address of a server stays the same after a
restart, even if something that cleans up temporary files has removed the directory.
"""

import os
import socket
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from infra.embedded.files import read_alone, write_alone
from infra.embedded.host import Account, EmbeddedPostgresFailed, give, let_pass

_NOTE: Final = "sockets"
_SOCKET: Final = ".s.PGSQL.5432"
_PREFIX: Final = "liarsdice-socket-"
_PLACE_BYTES_MAX: Final = 60
_ANSWER_SECONDS_MAX: Final = 5.0
_MAY_WE_ENCRYPT: Final = bytes.fromhex("00000008 04d2162f")  # An SSLRequest: a greeting that leaves no line in the log.


def ready_sockets(data: Path, account: Account) -> Path:
    """The directory for the socket of a new server: the same as for the server before if possible, otherwise a new one."""
    try:
        noted = _noted(data)
        directory = noted if noted and _is_ours(noted, account) else _made(noted, account)
        if directory != noted:
            write_alone(data / _NOTE, os.fsencode(directory), account)
    except OSError as error:
        raise EmbeddedPostgresFailed(
            f"There is no place for the socket of Postgres ({error.strerror}): "
            f"make the directory for temporary files writable or set TMPDIR to another one."
        ) from None
    _clear(directory, account)
    let_pass(account, directory)
    return directory


def remove_sockets(directory: Path, account: Account) -> None:
    """Remove the directory and what a server puts there."""
    _clear(directory, account)
    with suppress(OSError):
        directory.rmdir()


def remove_noted_sockets(data: Path, account: Account) -> None:
    """Remove the directory of the last server; the note of its path stays, for the next server."""
    noted = _noted(data)
    if noted is not None:
        remove_sockets(noted, account)


def is_missing(sockets: Path) -> bool:
    """Whether the socket is gone, so that nobody can reach the server."""
    return not os.path.lexists(sockets / _SOCKET)


def answers(sockets: Path) -> bool:
    """Whether the server replies. A connection alone proves nothing: the socket of a dying server still takes one."""
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(_ANSWER_SECONDS_MAX)
        try:
            caller.connect(str(sockets / _SOCKET))
            caller.sendall(_MAY_WE_ENCRYPT)
            return caller.recv(1) == b"N"
        except OSError:
            return False


def _noted(data: Path) -> Path | None:
    """The directory that the note names; None if there is no note or it can't be one of ours."""
    with suppress(OSError):
        noted = Path(os.fsdecode(read_alone(data / _NOTE)))
        if noted.is_absolute() and noted.name.startswith(_PREFIX) and str(noted).isprintable():
            return noted
    return None


def _is_ours(directory: Path, account: Account) -> bool:
    """Whether this is a directory of the account and closed to everybody else."""
    try:
        status = directory.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == account.user and not status.st_mode & 0o077


def _made(noted: Path | None, account: Account) -> Path:
    """A new directory, under the noted name if that is free and in the place where we would make one today."""
    place = tempfile.gettempdir()
    place = place if len(os.fsencode(place)) <= _PLACE_BYTES_MAX else "/tmp"  # noqa: S108 - made safely, as below.
    if noted is not None and str(noted.parent) == place:
        with suppress(FileExistsError):
            noted.mkdir(mode=0o700)
            give(noted, account)
            return noted
    directory = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
    give(directory, account)
    return directory


def _clear(directory: Path, account: Account) -> None:
    """Remove the socket and its lock, by a handle of the directory: nobody can replace that by a link meanwhile."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            for name in (_SOCKET, f"{_SOCKET}.lock") if os.fstat(handle).st_uid == account.user else ():
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=handle)
        finally:
            os.close(handle)
