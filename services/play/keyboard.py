"""Lines from the keyboard, or from a pipe, without making anything else wait."""

import asyncio
import os
import sys
import threading
from contextlib import suppress

_BYTES_MAX = 4096


class Keyboard:
    """What is typed, line by line."""

    def __init__(self, descriptor: int | None) -> None:
        """None stands for a keyboard that nobody has."""
        self._descriptor = descriptor
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.is_person = descriptor is not None and os.isatty(descriptor)
        """Whether a person types, and not a script."""

    async def line(self) -> str | None:
        """The next line, without its end; None once there are no more."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            # A thread, because files can't be waited for; it reads past Python's buffers, whose lock would keep the
            # interpreter from ending while nothing is typed.
            threading.Thread(target=self._read, daemon=True).start()
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)
        return line

    def _read(self) -> None:
        unfinished = b""
        while self._descriptor is not None and (read := self._typed(self._descriptor)):
            *lines, unfinished = (unfinished + read).split(b"\n")
            for line in lines:
                self._put(line)
        if unfinished:
            self._put(unfinished)
        self._put(None)

    def _typed(self, descriptor: int) -> bytes:
        try:
            return os.read(descriptor, _BYTES_MAX)
        except OSError:
            return b""

    def _put(self, line: bytes | None) -> None:
        text = None if line is None else line.decode(errors="replace").rstrip("\r")
        assert self._loop is not None
        with suppress(RuntimeError):  # The game is over, and nobody listens any more.
            self._loop.call_soon_threadsafe(self._lines.put_nowait, text)


def keyboard_of_process() -> Keyboard:
    """The standard input."""
    try:
        return Keyboard(sys.stdin.fileno())
    except (AttributeError, OSError, ValueError):
        return Keyboard(None)
