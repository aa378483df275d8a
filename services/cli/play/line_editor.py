"""The editor of a line: it knows what is half typed, so the screen can show it again below what happens meanwhile."""

import codecs
from collections.abc import Callable

from rich.cells import cell_len

_ESCAPE = "\x1b"
_BACK = "\b \b"
"""Deletes the last column."""


class LineEditor:
    """Makes lines from keys, as a terminal does by itself."""

    def __init__(self, show: Callable[[str], None], finish: Callable[[str | None], None]) -> None:
        """`show` gets what to write, and `finish` gets each line; None if there will be no more."""
        self._show, self._finish = show, finish
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._sequence = ""
        self.text = ""
        """The half typed line."""

    def take(self, read: bytes) -> None:
        """Take in bytes of the terminal; a key may come in pieces."""
        for character in self._decoder.decode(read):
            if not self._is_of_sequence(character):
                self._press(character)

    def _is_of_sequence(self, character: str) -> bool:
        """Whether a character is part of a key without a character of its own, such as an arrow; such keys do nothing."""
        match self._sequence:
            case "":
                self._sequence = _ESCAPE if character == _ESCAPE else ""
                return character == _ESCAPE
            case "\x1b":
                self._sequence = character if character in "[O" else ""
                return character in "[O"
            case "[":
                self._sequence = "" if "@" <= character <= "~" else "["
            case _:
                self._sequence = ""
        return True

    def _press(self, character: str) -> None:
        match character:
            case "\r" | "\n":
                line, self.text = self.text, ""
                self._show("\n")
                self._finish(line)
            case "\x7f" | "\b":
                self._keep(self.text[:-1])
            case "\x17":
                self._keep(self.text.rstrip()[: self.text.rstrip().rfind(" ") + 1])
            case "\x15":
                self._keep("")
            case "\x04" if not self.text:
                self._finish(None)
            case _:
                self._add(character if character.isprintable() else "")

    def _add(self, text: str) -> None:
        self.text += text
        if text:
            self._show(text)

    def _keep(self, text: str) -> None:
        gone, self.text = self.text[len(text) :], text
        if gone:
            self._show(_BACK * cell_len(gone))
