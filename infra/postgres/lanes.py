"""Lanes: each is a Postgres schema with its own events, and each game belongs to one of a fixed number of lanes."""

from hashlib import sha256

LANES_DEFAULT = 4
LANES_EMBEDDED = 1
"""An embedded store never leaves its machine, and there a single lane puts the most appends into each commit."""
LANES_MAX = 64


def lane_name(lane: int) -> str:
    """The schema of a lane."""
    return f"lane_{lane}"


def lane_of(stream: str, count: int) -> int:
    """The lane that a stream belongs to for ever, from the hash of its id and the number of lanes of the store.

    The part of the id after a colon does not count, so that streams which belong together (`<game>:table`) share a lane.
    """
    if count == 1:
        return 0
    return int.from_bytes(sha256(stream.partition(":")[0].encode()).digest()[:8], "big") % count
