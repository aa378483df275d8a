"""A line while it is typed: it is known before it is finished, so it can be shown again below what happens meanwhile."""

import codecs
from collections.abc import Callable

from rich.cells import cell_len

_ESCAPE = "\x1b"
_BACK = "\b \b"
"""Takes the last column away."""


class LineEditor:
    """Makes lines of keys, as terminals do it by themselves."""

    def __init__(self, show: Callable[[str], None], finish: Callable[[str | None], None]) -> None:
        """What has to be written goes to `show`, each line to `finish`; None if there will be no more."""
        self._show, self._finish = show, finish
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._sequence = ""
        self.text = ""
        """What has been typed of the line."""

    def take(self, read: bytes) -> None:
        """Take in bytes of the terminal; a key may come in pieces."""
        for character in self._decoder.decode(read):
            if not self._is_of_sequence(character):
                self._press(character)

    def _is_of_sequence(self, character: str) -> bool:
        """Whether it belongs to a key that has no character, such as an arrow; these do nothing."""
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
