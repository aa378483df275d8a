"""The pulse of open streams: a sign of life where nothing else was sent, a look at the token, and an end when draining."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from infra.postgres.failures import StoreFailed
from services.access.refusals import TokenInvalid
from services.live.mailbox import Mailbox
from services.live.refusals import ServerDraining

Beat = Callable[[int], bytes]
"""The sign of life of one stream, at a time in milliseconds since 1970."""
Renew = Callable[[], Awaitable[None]]
"""Raises if the token of a call has lost its worth."""


class Pulse:
    """All streams of this process that are open."""

    def __init__(self, heartbeat_seconds: float = 15.0) -> None:
        self._heartbeat_seconds = heartbeat_seconds
        self._streams: dict[Mailbox, tuple[Beat, Renew]] = {}
        self._beating: asyncio.Task[None] | None = None
        self.draining = False

    def start(self) -> None:
        """Begin to send heartbeats."""
        self._beating = asyncio.create_task(self._beat())

    async def close(self) -> None:
        """Ask everyone to come back later."""
        self.draining = True
        for mailbox in self._streams:
            mailbox.end(ServerDraining)
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.gather(self._beating, return_exceptions=True)

    @property
    def streams_open(self) -> int:
        """How many streams there are."""
        return len(self._streams)

    @contextmanager
    def attending(self, mailbox: Mailbox, beat: Beat, renew: Renew) -> Iterator[None]:
        """Send heartbeats to a mailbox until the block ends, and check the call's token with each of them."""
        self._streams[mailbox] = (beat, renew)
        if self.draining:
            mailbox.end(ServerDraining)
        try:
            yield
        finally:
            del self._streams[mailbox]

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._heartbeat_seconds)
            now = time.time_ns() // 1_000_000
            for mailbox, (beat, renew) in tuple(self._streams.items()):
                await _end_unless_renewed(mailbox, renew)
                if not mailbox.touched:
                    mailbox.put(beat(now))
                mailbox.touched = False


async def _end_unless_renewed(mailbox: Mailbox, renew: Renew) -> None:
    try:
        await renew()
    except TokenInvalid:
        mailbox.end(TokenInvalid)
    except StoreFailed:
        pass  # Nobody can say now what the token is worth; the next heartbeat asks again.
