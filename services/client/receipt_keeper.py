"""Keeps receipts. The file of a game has the format that `liarsdice verify --receipts` reads."""

import os
from base64 import b64encode
from pathlib import Path

FORMAT = "liarsdice.receipts.v1"


class ReceiptKeeper:
    """Keeps the receipts of games, each game in a file to which lines are added; without a folder only in memory."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._memory: dict[str, bytes] = {}

    def add(self, name: str, game_id: str, receipt: bytes) -> None:
        """Add a receipt to those of a game. A crash of the machine may lose the last ones; one of this program does not."""
        line = b64encode(receipt) + b"\n"
        if self._folder is None:
            self._memory[name] = self._memory.get(name, _head(game_id)) + line
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(self._folder / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line if os.fstat(file).st_size else _head(game_id) + line)
        finally:
            os.close(file)

    def find(self, name: str) -> bytes:
        """The file of a game; empty if there is none. A last line that a crash has cut off is left out."""
        if self._folder is None:
            return self._memory.get(name, b"")
        try:
            content = (self._folder / name).read_bytes()
        except FileNotFoundError:
            return b""
        return content[: content.rfind(b"\n") + 1]


def _head(game_id: str) -> bytes:
    return f"{FORMAT}\n{game_id}\n".encode()
