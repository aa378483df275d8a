"""Examining a bundle with the verifier, which shares no code with the modules that played the game."""

import asyncio

from domain.values import Value
from infra.workers.meter import touched
from services.verifier import Failed, Report, verify

_UNITS_A_BYTE = 1 / 100
"""To verify an event takes several times as long as to decode it; an event of a bundle has some 500 bytes."""


class Examination(Value, frozen=True):
    """What the verifier says about a bundle."""

    report: Report | None
    """None if a check failed."""
    check: str = ""
    """The check that failed."""
    finding: str = ""
    """What it found."""


async def examined(bundle: bytes) -> Examination:
    """Verify a bundle."""
    touched(round(len(bundle) * _UNITS_A_BYTE))
    try:
        return Examination(await asyncio.to_thread(verify, bundle))
    except Failed as failed:
        return Examination(None, failed.check, failed.sentence)
