"""The keys that a person presses, each at once and not at the end of a line; only numbers are typed to the end."""

import asyncio
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from domain.values import Value

Key = Literal[
    "pause",
    "back",
    "forward",
    "round_back",
    "round_forward",
    "challenge_back",
    "challenge_forward",
    "first",
    "last",
    "faster",
    "slower",
    "help",
    "typing",
    "quit",
]


class Jump(Value, frozen=True):
    """A number that was typed, and what it counts."""

    to: Literal["round", "step"]
    number: int


_BYTES_MAX = 1024
_DIGITS_MAX = 9
_ESCAPE = b"\x1b"
_END_OF_INPUT = b"\x04"
_SEQUENCE = re.compile(rb"\x1b(\[[0-9;?]*[@-~]|O.)", re.DOTALL)
"""A key without a character of its own, such as an arrow."""
_SEQUENCE_BEGUN = re.compile(rb"\x1b(\[[0-9;?]*|O)?")
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
    # Page up and page down, and the arrows with shift, as on the page in a browser.
    b"\x1b[5~": "round_back",
    b"\x1b[6~": "round_forward",
    b"\x1b[1;2D": "round_back",
    b"\x1b[1;2C": "round_forward",
    b"c": "challenge_forward",
    b"C": "challenge_back",
    # Home and End, as the terminals send them.
    **dict.fromkeys((b"\x1b[H", b"\x1bOH", b"\x1b[1~", b"\x1b[7~"), "first"),
    **dict.fromkeys((b"\x1b[F", b"\x1bOF", b"\x1b[4~", b"\x1b[8~"), "last"),
    b"?": "help",
    b"h": "help",
    b"q": "quit",
    _END_OF_INPUT: "quit",
}
_JUMPS: dict[bytes, Literal["round", "step"]] = {b"r": "round", b"g": "step"}
_ENDS = (b"\r", b"\n")
_DELETES = (b"\x7f", b"\b")


class Keys:
    """The pressed keys, one by one; keys without a meaning are skipped."""

    def __init__(self) -> None:
        self._pressed: asyncio.Queue[Key | Jump] = asyncio.Queue()
        self._unread = b""
        self._to: Literal["round", "step"] | None = None
        self._digits = ""

    @property
    def half_typed(self) -> str | None:
        """The jump that is being typed, in words; None if none is."""
        return None if self._to is None else f"Go to {self._to} {self._digits}"

    async def key(self) -> Key | Jump:
        """The next key."""
        return await self._pressed.get()

    def typed(self, read: bytes) -> None:
        """Take in bytes of the terminal; a key may come in pieces."""
        self._unread += read
        while self._unread:
            if self._to is not None and self._unread.startswith(_ESCAPE):
                self._forget()
            if _SEQUENCE_BEGUN.fullmatch(self._unread):
                return
            found = _SEQUENCE.match(self._unread)
            key = found[0] if found else self._unread[:1]
            self._unread = self._unread[len(key) :]
            if self._to is None:
                self._press(key)
            else:
                self._type(self._to, key)

    def _press(self, key: bytes) -> None:
        if key in _JUMPS:
            self._to = _JUMPS[key]
            self._pressed.put_nowait("typing")
        elif key in _KEYS:
            self._pressed.put_nowait(_KEYS[key])

    def _type(self, to: Literal["round", "step"], key: bytes) -> None:
        """Take in a key while a number is typed."""
        if key == _END_OF_INPUT:
            self._pressed.put_nowait("quit")
        elif key in _ENDS:
            digits = self._digits
            self._forget()
            if digits:
                self._pressed.put_nowait(Jump(to, int(digits)))
        elif key in _DELETES and not self._digits:
            self._forget()
        elif key in _DELETES:
            self._digits = self._digits[:-1]
        elif key.isdigit() and len(self._digits) < _DIGITS_MAX:
            self._digits += key.decode()
        self._pressed.put_nowait("typing")

    def _forget(self) -> None:
        self._to, self._digits = None, ""
        self._pressed.put_nowait("typing")


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
        keys.typed(pressed or _END_OF_INPUT)

    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)
    loop.add_reader(descriptor, read)
    try:
        yield keys
    finally:
        loop.remove_reader(descriptor)
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
