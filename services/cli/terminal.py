"""What a person reads at a terminal: sentences and tables in which a foreign text can't draw.

Names, reasons, error texts and files come from other people. A control character in them could clear the screen, change
colours or add lines that look like ours. So one call writes one line, and whatever is not printable in it is escaped.
"""

import codecs
import json
import sys
from typing import IO, Any, TextIO

import msgspec
from rich.console import Console
from rich.text import Text

from domain.naming import is_visible

_KEPT_IN_DATA = "\n\t"


def printable(text: str) -> str:
    r"""The text with an escape, such as `\x1b`, in place of each character that is not printable."""
    return text if is_visible(text) else "".join(map(_escaped, text))


def say(sentence: str, *, file: TextIO | None = None) -> None:
    """Write one line, to standard output unless a file is named."""
    print(printable(sentence), file=file, flush=True)


def say_json(value: object) -> None:
    """Write a value as one line of JSON on standard output, with the names and the forms that it has over HTTP."""
    plain = msgspec.to_builtins(value)
    text = json.dumps(plain, ensure_ascii=False)
    # JSON has escapes of its own for what is not printable; only this one is left out.
    print(text if is_visible(text) else json.dumps(plain).replace("\x7f", "\\u007f"), flush=True)


class PipedConsole(Console):
    r"""A console for foreign texts, whose reader may go away; `main` decides for all subcommands what happens then.

    Each object is one line at most. To print several lines, print several objects with `sep="\n"`.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        # Nothing in a name may set a colour or draw a picture, so there is no markup.
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False)

    def print(self, *objects: Any, **how: Any) -> None:
        """Print each object on a line of its own or beside the others; a text with hidden characters has no colours."""
        super().print(*(_shown(one) if isinstance(one, Text) else one for one in objects), **how)

    def render_str(self, text: str, **how: Any) -> Text:
        """A string as it is shown, also in a table."""
        return super().render_str(printable(text), **how)

    def on_broken_pipe(self) -> None:
        """Leave it to `main`."""
        raise BrokenPipeError


class DataOnTerminal:
    """Standard output for data that goes to a terminal: lines and tabs stay, all else that is not printable is escaped."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def write(self, data: bytes) -> int:
        """Write a piece of the data, which may end inside a character."""
        text = self._decoder.decode(data)
        sys.stdout.write("".join(one if one in _KEPT_IN_DATA else _escaped(one) for one in text))
        return len(data)


def standard_output() -> IO[bytes]:
    """Standard output for data: as it is for a pipe or a file, and printable for a terminal."""
    data: Any = DataOnTerminal() if sys.stdout.isatty() else sys.stdout.buffer
    out: IO[bytes] = data
    return out


def _shown(text: Text) -> Text:
    return text if is_visible(text.plain) else Text(printable(text.plain), style=text.style)


def _escaped(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape", "surrogatepass").decode()
