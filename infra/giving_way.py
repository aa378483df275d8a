"""Long work on the event loop, in small parts: between them other tasks get their turn."""

import asyncio
from collections.abc import Callable, Iterable
from typing import TypeVar

AT_ONCE = 200
"""So many events are decoded in about two milliseconds."""

Item = TypeVar("Item")
Result = TypeVar("Result")


async def gently(work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """The results of some work on each of the items."""
    results: list[Result] = []
    for item in items:
        results.append(work(item))
        if len(results) % AT_ONCE == 0:
            await asyncio.sleep(0)
    return results
