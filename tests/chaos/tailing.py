"""A reader that follows one lane as every projector does: it asks for the events after the last position it has seen.

It notices by itself if the store skips, repeats or reorders events. A skipped event is one that it never gets.
"""

import asyncio
import random
from array import array
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from eventsourcing.persistence import Notification
from msgspec import Struct

Read: TypeAlias = "Callable[[int, int], Awaitable[Sequence[Notification]]]"
"""Events after a position, so many at most."""

PAGE_MAX = 5_000
GHOST = "ghost"
"""The beginning of the names of streams with transactions that never commit."""


class Troubles(Struct):
    """The faults that a reader has seen in its lane, by kind."""

    skipped: int = 0
    reordered: int = 0
    duplicated: int = 0
    ghosts: int = 0
    missing: int = 0
    """Events that were acknowledged and are not where the answer said, as far as the reader can see."""

    def total(self) -> int:
        return self.skipped + self.reordered + self.duplicated + self.ghosts + self.missing

    def add(self, other: "Troubles") -> None:
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Tail:
    """What one reader has seen of its lane, in the order in which it saw it."""

    def __init__(self, read: Read, chance: random.Random) -> None:
        self.last = 0
        self.troubles = Troubles()
        self.polls = 0
        self._read, self._chance = read, chance
        self._versions: dict[str, int] = {}
        self._names: dict[str, str] = {}
        self.streams: list[str] = []
        self.versions = array("q")

    async def follow(self, until: Callable[[], bool]) -> None:
        """Poll until the test says stop, and then until nothing more comes."""
        while True:
            ending = until()
            page = await self._read(self.last, self._chance.randint(1, PAGE_MAX))
            self.polls += 1
            for notification in page:
                self.see(notification)
            if ending and not page:
                return
            await asyncio.sleep(0 if page else self._chance.uniform(0, 0.005))

    async def look_again(self) -> None:
        """Read everything again: an event that is there now and was not seen in its place was skipped."""
        position = 0
        while page := await self._read(position, PAGE_MAX):
            for notification in page:
                place = notification.id - 1
                seen = place < len(self.streams) and self.streams[place] == notification.originator_id
                if not (seen and self.versions[place] == notification.originator_version):
                    self.troubles.skipped += 1
            position = page[-1].id

    def see(self, notification: Notification) -> None:
        position, stream, version = notification.id, str(notification.originator_id), notification.originator_version
        self._judge(position, stream, version)
        self.last = max(self.last, position)
        self._versions[stream] = version
        self.streams.append(self._names.setdefault(stream, stream))
        self.versions.append(version)

    def _judge(self, position: int, stream: str, version: int) -> None:
        expected = self._versions.get(stream, 0) + 1
        if position == self.last or version == expected - 1:
            self.troubles.duplicated += 1
        elif position < self.last or version < expected:
            self.troubles.reordered += 1
        elif position > self.last + 1 or version > expected:
            self.troubles.skipped += 1
        if stream.startswith(GHOST):
            self.troubles.ghosts += 1

    def holds(self, position: int, stream: str, version: int, count: int) -> int:
        """How many of the events of an append were not seen where its answer put them."""
        places = range(position - 1, position - 1 + count)
        found = [
            place < len(self.streams) and self.streams[place] == stream and self.versions[place] == version + index
            for index, place in enumerate(places)
        ]
        return count - sum(found)
