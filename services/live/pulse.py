"""The pulse of open streams: at each beat it checks the token and sends a heartbeat if nothing else was sent.

When the server goes down, it ends all streams.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from infra.postgres.follower import PASSING
from services.access.refusals import TokenInvalid
from services.live.mailbox import Mailbox
from services.live.refusals import ServerDraining

_LOG = logging.getLogger(__name__)

Beat = Callable[[int], bytes]
"""Makes the heartbeat of one stream, at a time in milliseconds since 1970."""
Renew = Callable[[], Awaitable[None]]
"""Raises if the token of a call is no longer valid."""


class Pulse:
    """All open streams of this process."""

    def __init__(self, heartbeat_seconds: float = 15.0) -> None:
        self._heartbeat_seconds = heartbeat_seconds
        self._streams: dict[Mailbox, tuple[Beat, Renew]] = {}
        self._beating: asyncio.Task[None] | None = None
        self.draining = False

    def start(self) -> None:
        """Start to send heartbeats."""
        self._beating = asyncio.create_task(self._beat())

    async def close(self) -> None:
        """End all streams, and ask their readers to connect again."""
        self.draining = True
        for mailbox in self._streams:
            mailbox.end(ServerDraining)
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.gather(self._beating, return_exceptions=True)

    @property
    def streams_open(self) -> int:
        """The number of open streams."""
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
                if not await is_renewed(renew):
                    mailbox.end(TokenInvalid)
                if not mailbox.touched:
                    mailbox.put(beat(now))
                mailbox.touched = False


async def is_renewed(renew: Renew) -> bool:
    """Whether the token of an open stream is still worth something, as far as we can tell now."""
    try:
        await renew()
    except TokenInvalid:
        return False
    except PASSING:
        pass  # Without the database we can't check the token. The next time tells.
    except Exception as error:  # noqa: BLE001 - the heartbeats of all other streams must go on
        # Only the kind of the error: its words might quote the token.
        _LOG.error("a token could not be checked (%s)", type(error).__name__)
    return True
