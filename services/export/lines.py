"""Records one after the other: as lines of JSON, or as text for people."""

from domain.history.record import decode_record
from domain.notation import write_game


class Lines:
    """NDJSON: each record on a line, unchanged."""

    def head(self) -> bytes:
        """Nothing."""
        return b""

    def take(self, record: bytes) -> bytes:
        """The line of a record."""
        # A line end in JSON can only stand between its parts, never inside a text, so a space can replace it.
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
