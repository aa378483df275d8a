"""The file in which `liarsdice export` notes how far it has come, so that the next export has only what is new.

The games and the note can't appear in the same moment. So the note first says which file will appear and what it has in
it. If the command is killed in between, the next one looks whether that file is there, and knows where to go on.
"""

import hashlib
from pathlib import Path
from typing import IO

import msgspec

from domain.values import Value
from infra.failure import CommandFailed
from services.cli.output import output

_VERSION = 1


class _Pending(Value, frozen=True):
    """A file that was about to appear, and the token to go on with if it did."""

    file: str
    sha256: str
    resume_token: str


class _Noted(Value, frozen=True, kw_only=True):
    """What is in the file."""

    version: int = _VERSION
    resume_token: str = ""
    pending: _Pending | None = None


class ExportState:
    """How far exports have come."""

    def __init__(self, name: str) -> None:
        """Read the file, if there is one."""
        self._name = name
        noted = self._read()
        pending = noted.pending
        appeared = pending is not None and _digest(Path(pending.file)) == pending.sha256
        self.resume_token = pending.resume_token if pending is not None and appeared else noted.resume_token

    def prepare(self, file: str, sha256: str, resume_token: str) -> None:
        """Note that a file is about to appear."""
        pending = _Pending(str(Path(file).resolve()), sha256, resume_token)
        self._write(_Noted(resume_token=self.resume_token, pending=pending))

    def commit(self, resume_token: str) -> None:
        """Note that everything up to a token was written."""
        self.resume_token = resume_token
        self._write(_Noted(resume_token=resume_token))

    def _read(self) -> _Noted:
        path = Path(self._name)
        try:
            noted = msgspec.json.decode(path.read_bytes(), type=_Noted) if path.exists() else _Noted()
        except OSError as error:
            raise CommandFailed(f"can't read {self._name}: {error.strerror or error}") from None
        except msgspec.MsgspecError:
            raise CommandFailed(f"{self._name} is no file of --state; name another one to begin anew") from None
        if noted.version != _VERSION:
            raise CommandFailed(f"{self._name} is of a newer version of this program")
        return noted

    def _write(self, noted: _Noted) -> None:
        with output(self._name) as file:
            file.write(msgspec.json.encode(noted) + b"\n")


class Hashing:
    """Passes what is written on to a file, and knows its SHA-256."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._hash = file, hashlib.sha256()

    def write(self, piece: bytes) -> None:
        """Write a piece."""
        self._hash.update(piece)
        self._file.write(piece)

    @property
    def sha256(self) -> str:
        """The digest of all pieces."""
        return self._hash.hexdigest()


def _digest(path: Path) -> str | None:
    """The digest of a file; None if it is not there."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
