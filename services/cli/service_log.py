"""The log of a process that serves: printable, and not at the mercy of callers who cause the same fault over and over."""

import argparse
import json
import logging
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime

from services.cli.terminal import printable

REPEATS_MAX = 20
"""How often the same sentence is logged in one span."""
SPAN_SECONDS = 60.0
_SENTENCES_MAX = 1_000
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def add_log_format(parser: argparse.ArgumentParser) -> None:
    """Add the flag with the form of the log."""
    parser.add_argument(
        "--log-format",
        choices=("text", "json"),
        default="text",
        help="write the log as lines for people, or as one JSON object in a line (default: %(default)s)",
    )


def start_log(form: str = "text", process: str = "") -> None:
    """Write what happens to standard error; of several processes that write to the same place, each names itself."""
    handler = logging.StreamHandler(sys.stderr)
    lines = _FORMAT.replace(":", f" ({process}):", 1) if process else _FORMAT
    handler.setFormatter(JsonLines(process) if form == "json" else _Printable(lines))
    handler.addFilter(Repeats())
    logging.basicConfig(level=logging.INFO, handlers=[handler])


class Repeats(logging.Filter):
    """Drops a sentence that was logged too often, and says later how often it was dropped."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._seen: dict[object, tuple[float, int]] = {}
        """Since when, and how often, each sentence has come."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is logged."""
        # The sentence before its values are filled in: a caller chooses some of the values.
        key = (record.name, record.msg, record.exc_info and record.exc_info[0])
        now = self._clock()
        since, count = self._seen.get(key, (now, 0))
        if now - since >= SPAN_SECONDS:
            if count > REPEATS_MAX:
                record.msg = f"{record.msg} (and {count - REPEATS_MAX} more like this were not logged)"
            since, count = now, 0
        if len(self._seen) >= _SENTENCES_MAX:
            self._seen.clear()
        self._seen[key] = (since, count + 1)
        return count < REPEATS_MAX


class JsonLines(logging.Formatter):
    """Writes each record as one JSON object in a line, with nothing that a terminal obeys."""

    def __init__(self, process: str = "") -> None:
        super().__init__()
        self._process = {"process": process} if process else {}

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            **self._process,
            "logger": record.name,
            "message": record.getMessage(),
            # The sentence before its values are filled in is the same each time: by it lines can be counted.
            "sentence": str(record.msg),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        # Every character that a terminal could obey is escaped.
        return json.dumps(line).replace("\x7f", "\\u007f")


class _Printable(logging.Formatter):
    """Writes each line of a record so that no terminal obeys it."""

    def format(self, record: logging.LogRecord) -> str:
        """The lines of a record."""
        return "\n".join(map(printable, super().format(record).split("\n")))
