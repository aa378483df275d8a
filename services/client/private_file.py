"""A file with secrets: only its owner can read it, and it is there as a whole or not at all."""

import os
import tempfile
from pathlib import Path
from typing import Any

import msgspec


def write_private_json(path: Path, value: Any) -> None:
    """Write a value to a file whose folder exists; the file is on the disk when this returns, also after a power cut."""
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(value)) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        Path(unfinished).replace(path)
    finally:
        Path(unfinished).unlink(missing_ok=True)
    # The name of the file is a change of its folder, which has to reach the disk too.
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
