"""Mailboxes: messages that wait for one caller, in order and limited in number."""

import asyncio
import time
from collections import deque
from collections.abc import Callable

from domain.refusals import Refusal
from infra.spans import begun
from services.live.refusals import WatcherTooSlow

MAILBOX_MAX = 256


class Mailbox:
    """Messages for one call, in order. If its reader is too slow, it ends instead of growing."""

    __slots__ = ("_ended", "_finished", "_letters", "_of_one_game", "_wake", "put_at", "told")

    def __init__(self, *, of_one_game: bool = True) -> None:
        self._of_one_game = of_one_game
        self._letters: deque[tuple[int, bytes, Callable[[], None] | None]] = deque()
        """Each with its version, and with what to call when it is taken, if it is part of a trace."""
        self._wake: asyncio.Future[None] | None = None
        self._ended: type[Refusal] | None = None
        self._finished = False
        self.told = 0
        """The version up to which the reader has taken everything; 0 if the mailbox is for several games."""
        self.put_at = time.monotonic()
        """When the reader last got something, for the heartbeats."""

    def put(self, letter: bytes, version: int = 0) -> None:
        """Add a message."""
        if self._ended is not None:
            return
        if len(self._letters) >= MAILBOX_MAX:
            self.end(WatcherTooSlow)
        self._letters.append((version, letter, begun("deliver")))
        self.touch()
        self._ring()

    def touch(self) -> None:
        """Note that the reader gets something now, from here or past this mailbox."""
        self.put_at = time.monotonic()

    def finish(self) -> None:
        """End without a refusal, once the reader has taken all messages."""
        self._finished = True
        self._ring()

    def end(self, why: type[Refusal]) -> None:
        """End with a refusal, which the reader gets after the messages that are here. The first refusal counts."""
        self._ended = self._ended or why
        self._ring()

    async def take(self) -> bytes | None:
        """The next message, once there is one; None if nothing more is coming."""
        if not await self._wait():
            return None
        return self._taken()

    async def take_some(self, bytes_max: int) -> list[bytes]:
        """The next messages, at least one, together at most so many bytes; none if nothing more is coming."""
        letters: list[bytes] = []
        if await self._wait():
            length = 0
            while self._letters and (not letters or length + len(self._letters[0][1]) <= bytes_max):
                letters.append(self._taken())
                length += len(letters[-1])
        return letters

    async def _wait(self) -> bool:
        """Wait for a message; returns False if nothing more is coming."""
        while not self._letters:
            if self._ended is not None:
                raise self._ended(**({"version": self.told} if self._of_one_game else {}))
            if self._finished:
                return False
            self._wake = asyncio.get_running_loop().create_future()
            await self._wake
        return True

    def _taken(self) -> bytes:
        version, letter, taken = self._letters.popleft()
        if taken is not None:
            taken()
        self.reached(version)
        return letter

    def reached(self, version: int) -> None:
        """Note that the reader has everything up to a version."""
        if version and self._of_one_game:
            self.told = version

    def _ring(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)
