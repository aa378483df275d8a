"""Long work on the event loop, done in small portions: between two portions all other tasks get their turn."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import TypeVar

PORTION = 100
"""How many items, such as events to decode, are one portion: a few milliseconds of work at most."""

Item = TypeVar("Item")


REST_SECONDS = 0.002
"""A rest after each portion leaves about half of the time to others, however much there is to do."""


async def in_portions(items: Iterable[Item], rest_seconds: float = 0.0) -> AsyncIterator[Item]:
    """The items one by one. A lazy iterable does its work in portions too."""
    for number, item in enumerate(items, 1):
        yield item
        if number % PORTION == 0:
            await asyncio.sleep(rest_seconds)


async def collected(items: Iterable[Item], rest_seconds: float = 0.0) -> list[Item]:
    """All items of a lazy iterable, which does its work in portions."""
    return [item async for item in in_portions(items, rest_seconds)]
