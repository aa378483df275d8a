"""The keys that a person presses, each at once and not at the end of a line."""

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

Key = Literal["pause", "back", "forward", "faster", "slower", "quit"]

_BYTES_MAX = 1024
_ESCAPE = b"\x1b"
_KEYS: dict[bytes, Key] = {
    b" ": "pause",
    b"\x1b[D": "back",
    b"\x1b[C": "forward",
    b"\x1b[A": "faster",
    b"\x1b[B": "slower",
    # The same, from terminals whose cursor keys are in application mode.
    b"\x1bOD": "back",
    b"\x1bOC": "forward",
    b"\x1bOA": "faster",
    b"\x1bOB": "slower",
    b"q": "quit",
    b"\x04": "quit",
}


class Keys:
    """The pressed keys, one by one; keys without a meaning are skipped."""

    def __init__(self) -> None:
        self._pressed: asyncio.Queue[Key] = asyncio.Queue()
        self._unread = b""

    async def key(self) -> Key:
        """The next key."""
        return await self._pressed.get()

    def typed(self, read: bytes) -> None:
        """Take in bytes of the terminal; a key may come in pieces."""
        self._unread += read
        while self._unread:
            key = next((known for known in _KEYS if self._unread.startswith(known)), None)
            if key is not None:
                self._pressed.put_nowait(_KEYS[key])
            elif self._unread.startswith(_ESCAPE) and any(known.startswith(self._unread) for known in _KEYS):
                return
            self._unread = self._unread[len(key) if key else 1 :]


@contextmanager
def keys_of_terminal() -> Iterator[Keys]:
    """The keys of standard input, which is a terminal; afterwards it is as it was before."""
    # Imported here, because not every system has such terminals; without one, steps are printed as lines.
    import termios  # noqa: PLC0415
    import tty  # noqa: PLC0415

    descriptor, keys = sys.stdin.fileno(), Keys()
    loop = asyncio.get_running_loop()

    def read() -> None:
        pressed = os.read(descriptor, _BYTES_MAX)
        # A closed terminal gives no bytes, and that quits.
        keys.typed(pressed or b"q")

    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)
    loop.add_reader(descriptor, read)
    try:
        yield keys
    finally:
        loop.remove_reader(descriptor)
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
