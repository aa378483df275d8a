"""CSV: a line for each row, as spreadsheets and programs read it."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, get_type_hints

from domain.history.record import GameRecord, decode_record
from domain.refusals import Malformed
from services.export.rows import COLUMNS, Group, Moment, Row, cells_of

_FORMULA_SIGNS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""A spreadsheet takes a text that begins like this for a formula; East Asian keyboards have wide forms of some."""
_MARK = "'"
_QUOTED = (",", '"', "\r", "\n")
_LINE_END = "\r\n"


class CommaSeparated:
    """CSV in UTF-8 with a line of headings; a cell with a comma, a quote or a line end is quoted."""

    def head(self) -> bytes:
        """The headings."""
        return (",".join(COLUMNS) + _LINE_END).encode()

    def take(self, record: bytes) -> bytes:
        """The lines of a game."""
        return lines_of(decode_record(record))

    def tail(self) -> bytes:
        """Nothing."""
        return b""


def lines_of(record: GameRecord) -> bytes:
    """The lines of a game. Cells that many rows share are written once."""
    try:
        shared: dict[int, str] = {}
        lines = []
        for game, played, step, seat, acted, times, judged in cells_of(record):
            for group, columns in ((game, _GAME), (played, _ROUND), (seat, _SEAT), (times, _TIMES)):
                if id(group) not in shared:
                    shared[id(group)] = _text(group, columns)
            before = f"{shared[id(game)]},{shared[id(played)]},{step},{shared[id(seat)]}"
            lines.append(f"{before},{_text(acted, _ACTED)},{shared[id(times)]},{_text(judged, _JUDGED)}{_LINE_END}")
        return "".join(lines).encode()
    except (ValueError, OverflowError, OSError):
        # A record may come from outside, with any number in it.
        raise Malformed(what="game record", problem="some time in it is not a time") from None


def harmless(text: str) -> str:
    """A text that no spreadsheet takes for a formula: if it could be one, it gets a quotation mark before it.

    A text that begins with the mark itself gets one more. So removing one mark always gives the original text back.
    """
    return f"{_MARK}{text}" if text.startswith((_MARK, *_FORMULA_SIGNS)) else text


def line_of(cells: Group, writers: "Sequence[_Write]") -> str:
    """A line of a table."""
    return _text(cells, writers) + _LINE_END


def _text(group: Group, columns: "Sequence[_Write]") -> str:
    return ",".join(["" if cell is None else write(cell) for write, cell in zip(columns, group, strict=True)])


@lru_cache(maxsize=1_000)
def _quoted(text: str) -> str:
    text = harmless(text)
    return '"' + text.replace('"', '""') + '"' if any(sign in text for sign in _QUOTED) else text


@lru_cache(maxsize=10_000)
def _dice(cell: tuple[int, ...]) -> str:
    return " ".join(map(str, cell))


def _moment(at: int) -> str:
    """A moment as spreadsheets and programs both understand it, in UTC."""
    seconds, milliseconds = divmod(at, 1_000)
    return f"{_second(seconds)}.{milliseconds:03}"


@lru_cache(maxsize=10_000)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


@lru_cache(maxsize=10_000)
def _share(share: float) -> str:
    """A chance without an exponent; chances are whole billionths."""
    return f"{share:.9f}".rstrip("0").rstrip(".")


_Write = Callable[[Any], str]
_OF_KINDS: dict[Any, _Write] = {
    str: _quoted,
    int: str,
    bool: {False: "false", True: "true"}.__getitem__,
    tuple[int, ...]: _dice,
    Moment: _moment,
    float: _share,
}


def writers_of(row: type) -> list["_Write"]:
    """The functions that write the cells of a kind of row."""
    hints = get_type_hints(row).values()
    return [next(write for kind, write in _OF_KINDS.items() if hint in (kind, kind | None)) for hint in hints]


_WRITERS = writers_of(Row)
_GAME, _ROUND, _STEP, _SEAT, _ACTED, _TIMES, _JUDGED = (
    _WRITERS[start:end] for start, end in pairwise(accumulate((10, 5, 1, 6, 17, 5, 5), initial=0))
)
"""The functions that write the cells of each group."""
