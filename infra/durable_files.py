"""Writing files so that their content is on the disk when the function returns: a crash right after loses nothing."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO


def flush(file: BinaryIO) -> None:
    """Write what is still in memory to the disk."""
    file.flush()
    os.fsync(file.fileno())


def write_new(path: Path, content: bytes) -> None:
    """Make a file that only its owner may read. It appears complete, in one step; a file that exists already stays."""
    with _draft(path, content) as draft, suppress(FileExistsError):
        # A link, unlike a rename, never replaces a file.
        os.link(draft, path)
    _flush_folder(path.parent)


def replace(path: Path, content: bytes) -> None:
    """Replace a file by one that only its owner may read. A reader sees the old content or the new, never a mix."""
    with _draft(path, content) as draft:
        draft.replace(path)
    _flush_folder(path.parent)


@contextmanager
def _draft(path: Path, content: bytes) -> Iterator[Path]:
    # Only the owner may read mkstemp's file, from the first moment on.
    descriptor, name = mkstemp(dir=path.parent, prefix=f".{path.name}.")
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            flush(file)
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
