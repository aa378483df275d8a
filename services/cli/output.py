"""The output of a command: standard output, or a file that appears as a whole or not at all."""

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from infra.failure import CommandFailed
from services.cli.terminal import standard_output


@contextlib.contextmanager
def output(name: str) -> Iterator[IO[bytes]]:
    """The file with this name, or standard output for `-`; fails before any work if it can't be written."""
    if name == "-":
        if sys.stdout is None:
            raise CommandFailed("standard output is closed; name a file with --out")
        yield standard_output()
        sys.stdout.flush()
        return
    path = Path(name).resolve()
    if not name or path.is_dir():
        raise CommandFailed(f"--out takes the name of a file, not {name!r}")
    try:
        with _unfinished(path) if path.is_file() or not path.exists() else path.open("wb") as file:
            yield file
    except OSError as error:
        raise CommandFailed(f"can't write {name}: {error.strerror or error}") from None


@contextlib.contextmanager
def _unfinished(path: Path) -> Iterator[IO[bytes]]:
    """A file beside the wanted one, which takes its place when all is written."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        unfinished = Path(file.name)
        try:
            yield file
            file.flush()
            unfinished.chmod(path.stat().st_mode if path.exists() else 0o666 & ~_umask())
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)


def _umask() -> int:
    """The mask of the process, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
