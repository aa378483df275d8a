"""Reading a published log in tiles, from an address or from a folder with the same files."""

import time
from collections.abc import Callable
from pathlib import Path

from infra.log.asking import NoAnswer, ask
from infra.log.notes import NOTE_LENGTH_MAX
from infra.log.tiles import ENTRY_LENGTH_MAX, WIDTH, Tile

_SECONDS_MAX = 30.0
_TRIES = 6
_WAIT_SECONDS_MAX = 60.0
_OK, _MISSING, _LATER = 200, 404, (429, 503)
_BUNDLE_BYTES_MAX = WIDTH * (2 + ENTRY_LENGTH_MAX)


class TileSource:
    """A log in tiles below an address, or in a folder."""

    def __init__(self, place: str, sleep: Callable[[float], None] = time.sleep) -> None:
        self._place, self._sleep = place.rstrip("/"), sleep

    def checkpoint(self) -> bytes | None:
        """The bytes of the checkpoint; None if there is none."""
        return self._read("checkpoint", NOTE_LENGTH_MAX)

    def tile(self, tile: Tile) -> bytes | None:
        """The bytes of a tile, or of the full tile that has taken its place; None if there is neither."""
        content = self._read(f"tile/{tile.path}", _BUNDLE_BYTES_MAX)
        return (
            self._read(f"tile/{tile.full.path}", _BUNDLE_BYTES_MAX)
            if content is None and tile.width < WIDTH
            else content
        )

    def _read(self, path: str, bytes_max: int) -> bytes | None:
        if not self._place.startswith(("http://", "https://")):
            return self._from_folder(path, bytes_max)
        url = f"{self._place}/{path}"
        for _ in range(_TRIES):
            answer = ask(url, bytes_max, _SECONDS_MAX)
            if answer.status not in _LATER:
                break
            self._sleep(min(max(answer.retry_seconds, 1.0), _WAIT_SECONDS_MAX))
        if answer.status not in (_OK, _MISSING):
            raise NoAnswer(url=url, problem=f"its status is {answer.status}")
        return answer.content if answer.status == _OK else None

    def _from_folder(self, path: str, bytes_max: int) -> bytes | None:
        file = Path(self._place, path)
        try:
            with file.open("rb") as opened:
                return opened.read(bytes_max)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except OSError as error:
            raise NoAnswer(url=str(file), problem=error.strerror or type(error).__name__) from None
