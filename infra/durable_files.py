"""Files whose content is on the disk when a function returns, whatever happens to the system right after."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO


def flush(file: BinaryIO) -> None:
    """Get what was written to the disk."""
    file.flush()
    os.fsync(file.fileno())


def write_new(path: Path, content: bytes) -> None:
    """Make a file of its owner alone, which appears under its name in one step; one that is there already stays."""
    with _draft(path, content) as draft, suppress(FileExistsError):
        # A link, unlike a rename, never takes the place of a file.
        os.link(draft, path)
    _flush_folder(path.parent)


def replace(path: Path, content: bytes) -> None:
    """Put a file of its owner alone in the place of what has this name: whoever reads finds all of either."""
    with _draft(path, content) as draft:
        draft.replace(path)
    _flush_folder(path.parent)


@contextmanager
def _draft(path: Path, content: bytes) -> Iterator[Path]:
    # mkstemp's file is its owner's alone from the start.
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
