"""A text as lines of words: without comments and blank lines, with each quoted text and each comma as one word."""

import re
from collections.abc import Iterator

Words = tuple[str, ...]

_QUOTED = re.compile(r'"[^"\\]*(?:\\["\\][^"\\]*)*"')
# A quote that is never closed takes the rest of the line, so that a long line is not searched again and again.
_WORD = re.compile(_QUOTED.pattern + r'|,|[^ \t",#]+|#.*|".*')
# A refusal shows a line of 80 characters, so a long expectation leaves less room for what was found.
_LENGTH_MAX = 50
_FOUND_LENGTH_MIN = 12


class Unexpected(Exception):  # noqa: N818 - it becomes a refusal once the number of its line is known
    """A line or word that can't stand at its place."""

    def __init__(self, expected: str, *found: str) -> None:
        """What was expected, and the words that came instead; none at the end of the text."""
        super().__init__(f"expected {expected}, {_instead(found, max(_FOUND_LENGTH_MIN, _LENGTH_MAX - len(expected)))}")


class Lines:
    """The lines of a text, taken one by one, with a look at the one ahead."""

    def __init__(self, text: str) -> None:
        self._rest = _lines(text)
        self.number = 0
        """The number of the line that was taken last."""
        self._number_ahead, self.ahead = next(self._rest)

    def take(self) -> Words:
        """The words of the next line; none at the end of the text."""
        self.number, words = self._number_ahead, self.ahead
        self._number_ahead, self.ahead = next(self._rest, (self.number, ()))
        if words and words[-1][0] == '"' and not _QUOTED.fullmatch(words[-1]):
            raise Unexpected('a closing quote, with \\" and \\\\ inside', words[-1])
        return words

    def expect(self, line: str) -> None:
        """Take the next line, which must be exactly this one."""
        words = self.take()
        if words != words_of(line):
            raise Unexpected(f"`{line}`", *words)

    def begins(self, *words: str) -> bool:
        """Whether the line ahead begins with one of these words."""
        return self.ahead[:1] != () and self.ahead[0] in words


def words_of(line: str) -> Words:
    """The words of one line, without its comment."""
    words = _WORD.findall(line)
    return tuple(words[:-1] if words and words[-1][0] == "#" else words)


def _lines(text: str) -> Iterator[tuple[int, Words]]:
    """Each line that says something with its number, and the end of the text as a last one without words."""
    number = 0
    for number, line in enumerate(_split(text.removeprefix("\ufeff")), 1):
        if words := words_of(line):
            yield number, words
    yield number, ()


def _split(text: str) -> Iterator[str]:
    """The lines one by one, so that a file of many games is not in memory twice."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end].removesuffix("\r")
        start = end + 1
    yield text[start:].removesuffix("\r")


def _instead(found: Words, length_max: int) -> str:
    if not found:
        return "but the text ends"
    text = " ".join(found[:length_max]).replace(" ,", ",")
    cut = text if len(text) <= length_max else text[: length_max - 3] + "..."
    return f"not `{''.join(letter if letter.isprintable() else '?' for letter in cut)}`"
