"""A terminal for tests: `liarsdice play` or another command runs in it, what it shows is read, and lines are typed."""

import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.servers import ROOT, SECONDS_MAX

ENVIRONMENT = {"PATH": os.defpath, "PYTHONPATH": f"{ROOT}:{ROOT / 'proto' / 'gen'}", "TERM": "xterm", "COLUMNS": "100"}


def command(address: str, folder: Path, *flags: str, name: str = "play") -> list[str]:
    """The command line of a player who keeps tokens in this folder."""
    tokens = str(folder / "tokens.json")
    return [sys.executable, "-m", "services.cli", name, "--server", address, "--token-file", tokens, *flags]


class Terminal:
    """A pseudo terminal with a program in it."""

    def __init__(self, process: "subprocess.Popen[bytes]", descriptor: int) -> None:
        self.process, self._descriptor = process, descriptor
        self._output = b""
        self._read_up_to = 0

    @property
    def shown(self) -> str:
        """All that was shown, without its colours."""
        return re.sub(r"\x1b\[[0-9;]*m", "", self._output.decode(errors="replace"))

    @property
    def attributes(self) -> list[Any]:
        """How the terminal is set."""
        return termios.tcgetattr(self._descriptor)

    def type(self, line: str) -> None:
        """Type a line."""
        os.write(self._descriptor, line.encode() + b"\n")

    def press(self, keys: bytes) -> None:
        """Press keys, without the end of a line."""
        os.write(self._descriptor, keys)

    def until(self, *texts: str) -> str:
        """Read until one of these texts is shown; returns what was shown since the last call, up to its end."""
        began = time.monotonic()
        while time.monotonic() - began < SECONDS_MAX:
            shown = self.shown
            places = [(place, text) for text in texts if (place := shown.find(text, self._read_up_to)) >= 0]
            if places:
                place, text = min(places)
                told = shown[self._read_up_to : place + len(text)]
                self._read_up_to = place + len(text)
                return told
            self._read()
        raise AssertionError(f"none of {texts} was shown: {self.shown[self._read_up_to :]}")

    def _read(self) -> None:
        if select.select([self._descriptor], [], [], 0.1)[0]:
            try:
                self._output += os.read(self._descriptor, 65536)
            except OSError:  # The program has ended, and with it the terminal.
                time.sleep(0.1)


@contextmanager
def terminal(address: str, folder: Path, *flags: str, name: str = "play") -> Iterator[Terminal]:
    """A terminal in which somebody plays, or does something else."""
    outer, inner = pty.openpty()
    process = subprocess.Popen(
        command(address, folder, *flags, name=name), stdin=inner, stdout=inner, stderr=inner, env=ENVIRONMENT
    )
    os.close(inner)
    try:
        yield Terminal(process, outer)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(outer)
