"""The answer to an append."""

from typing import Literal

import asyncpg
from msgspec import Struct


class Appended(Struct, frozen=True):
    """The positions of an append's events in their lane, and whether an earlier request stored them."""

    outcome: Literal["accepted", "repeated"]
    position_first: int
    position_last: int
    fingerprint: bytes = b""
    """The fingerprint that came with the request which stored them; a caller compares it with its own."""


def repeated(row: asyncpg.Record) -> Appended:
    """The answer for a request that was stored before, from its row."""
    return Appended("repeated", row["position_first"], row["position_last"], row["fingerprint"])
