"""Records one after the other: as lines of JSON, or as text for people."""

from domain.history.record import decode_record
from domain.notation import write_game


class Lines:
    """NDJSON: each record on a line, as it is."""

    def head(self) -> bytes:
        """Nothing."""
        return b""

    def take(self, record: bytes) -> bytes:
        """The line of a record."""
        # JSON has no line ends inside of its texts: one that is there stands between them, and a blank does as well.
        return record.replace(b"\n", b" ") + b"\n"

    def tail(self) -> bytes:
        """Nothing."""
        return b""


class Notation:
    """The notation, with a blank line after each game."""

    def head(self) -> bytes:
        """Nothing."""
        return b""

    def take(self, record: bytes) -> bytes:
        """The text of a game."""
        return write_game(decode_record(record)).encode() + b"\n"

    def tail(self) -> bytes:
        """Nothing."""
        return b""
