"""Mailboxes: messages for one caller, bounded, in order."""

import asyncio
from collections import deque

from domain.refusals import Refusal
from services.live.refusals import WatcherTooSlow

MAILBOX_MAX = 256


class Mailbox:
    """Messages for one call, in order. It refuses to grow without bound."""

    __slots__ = ("_ended", "_finished", "_letters", "_of_one_game", "_wake", "told", "touched")

    def __init__(self, *, of_one_game: bool = True) -> None:
        self._of_one_game = of_one_game
        self._letters: deque[tuple[int, bytes]] = deque()
        self._wake: asyncio.Future[None] | None = None
        self._ended: type[Refusal] | None = None
        self._finished = False
        self.told = 0
        """The version up to which everything was taken out; 0 where several games share the mailbox, whose reader knows."""
        self.touched = False
        """Whether anything came since the last heartbeat."""

    def put(self, letter: bytes, version: int = 0) -> None:
        """Add a message."""
        if self._ended is not None:
            return
        if len(self._letters) >= MAILBOX_MAX:
            self.end(WatcherTooSlow)
        self._letters.append((version, letter))
        self.touched = True
        self._ring()

    def finish(self) -> None:
        """Nothing more is coming."""
        self._finished = True
        self._ring()

    def end(self, why: type[Refusal]) -> None:
        """After what is in it, its reader gets this refusal."""
        self._ended = self._ended or why
        self._ring()

    async def take(self) -> bytes | None:
        """The next message, once there is one; None if nothing more is coming."""
        if not await self._wait():
            return None
        return self._taken()

    async def take_some(self, bytes_max: int) -> list[bytes]:
        """The next messages, as soon as there are any, up to so many bytes; none if nothing more is coming."""
        letters: list[bytes] = []
        if await self._wait():
            length = 0
            while self._letters and (not letters or length + len(self._letters[0][1]) <= bytes_max):
                letters.append(self._taken())
                length += len(letters[-1])
        return letters

    async def _wait(self) -> bool:
        """Until there is a message; False if nothing more is coming."""
        while not self._letters:
            if self._ended is not None:
                raise self._ended(**({"version": self.told} if self._of_one_game else {}))
            if self._finished:
                return False
            self._wake = asyncio.get_running_loop().create_future()
            await self._wake
        return True

    def _taken(self) -> bytes:
        version, letter = self._letters.popleft()
        self.reached(version)
        return letter

    def reached(self, version: int) -> None:
        """Note up to which version of its game everything is told."""
        if version and self._of_one_game:
            self.told = version

    def _ring(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)
