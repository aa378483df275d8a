"""Days and moments as people write them."""

from datetime import UTC, datetime


def milliseconds_of(text: str) -> int | None:
    """A day or a moment by ISO 8601 as milliseconds since 1970, in UTC if it names no other zone; None if it is none."""
    try:
        named = datetime.fromisoformat(text)
        since_1970 = (named if named.tzinfo else named.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return round(since_1970 * 1_000) if since_1970 >= 0 else None
