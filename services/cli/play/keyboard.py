"""The keyboard, or a pipe in its place: lines, for which nothing else has to wait."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from services.cli.play.line_editor import LineEditor

_BYTES_MAX = 4096


class Keyboard:
    """The lines that a person or a script types."""

    def __init__(self, descriptor: int | None) -> None:
        """The descriptor to read from; None if there is no keyboard."""
        self._descriptor = descriptor
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.is_person = descriptor is not None and os.isatty(descriptor)
        """Whether a person types, and not a script."""
        self._editor: LineEditor | None = None

    @property
    def half_typed(self) -> str:
        """The beginning of a line that somebody is typing; empty if the terminal keeps it to itself."""
        return "" if self._editor is None else self._editor.text

    @contextmanager
    def key_by_key(self, show: Callable[[str], None]) -> Iterator[None]:
        """Read every key when it is pressed, and show it; afterwards the terminal is as it was before.

        A terminal that makes the lines itself does not say what is half typed while other things are written.
        """
        # Here, because not every system has such terminals.
        import termios  # noqa: PLC0415
        import tty  # noqa: PLC0415

        descriptor = self._descriptor
        assert descriptor is not None
        self._editor = LineEditor(show, self._lines.put_nowait)
        before = termios.tcgetattr(descriptor)
        tty.setcbreak(descriptor)
        # The player may have been in the shell meanwhile, and the shell may have changed it.
        resumed = signal.signal(signal.SIGCONT, lambda *_: tty.setcbreak(descriptor))
        try:
            yield
        finally:
            signal.signal(signal.SIGCONT, resumed)
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)

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
            if self._editor is not None:
                self._soon(self._editor.take, read)
                continue
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
        self._soon(self._lines.put_nowait, None if line is None else line.decode(errors="replace").rstrip("\r"))

    def _soon(self, call: Callable[[Any], None], argument: Any) -> None:
        assert self._loop is not None
        with suppress(RuntimeError):  # The game is over, and nobody listens any more.
            self._loop.call_soon_threadsafe(call, argument)


def keyboard_of_process() -> Keyboard:
    """The standard input."""
    try:
        return Keyboard(sys.stdin.fileno())
    except (AttributeError, OSError, ValueError):
        return Keyboard(None)
