"""The pulse of open streams: it sends a heartbeat where nothing else was sent for a while, and checks tokens.

Each stream is looked at several times in the promised interval, so two messages are never further apart than that. Tokens
are checked by a task of their own, because the database may take its time. When the server goes down, the pulse ends all
streams.
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
_LOOKS = 10
"""How often each stream is looked at in the interval of heartbeats."""

Beat = Callable[[int], bytes]
"""Makes the heartbeat of one stream, at a time in milliseconds since 1970."""
Renew = Callable[[], Awaitable[None]]
"""Raises if the token of a call is no longer valid."""


class Pulse:
    """All open streams of this process."""

    def __init__(self, heartbeat_seconds: float = 15.0) -> None:
        self._heartbeat_seconds = heartbeat_seconds
        self._streams: dict[Mailbox, tuple[Beat, Renew]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self.draining = False

    def start(self) -> None:
        """Start to send heartbeats and to check tokens."""
        self._tasks = [asyncio.create_task(self._beat()), asyncio.create_task(self._check_tokens())]

    async def close(self) -> None:
        """End all streams, and ask their readers to connect again."""
        self.draining = True
        for mailbox in self._streams:
            mailbox.end(ServerDraining)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def streams_open(self) -> int:
        """The number of open streams."""
        return len(self._streams)

    @contextmanager
    def attending(self, mailbox: Mailbox, beat: Beat, renew: Renew) -> Iterator[None]:
        """Send heartbeats to a mailbox until the block ends, and check the call's token as often."""
        self._streams[mailbox] = (beat, renew)
        if self.draining:
            mailbox.end(ServerDraining)
        try:
            yield
        finally:
            del self._streams[mailbox]

    async def _beat(self) -> None:
        look_seconds = self._heartbeat_seconds / _LOOKS
        while True:
            await asyncio.sleep(look_seconds)
            now = time.time_ns() // 1_000_000
            # A stream whose heartbeat would be due before the next look gets it now.
            due = time.monotonic() - self._heartbeat_seconds + 2 * look_seconds
            for mailbox, (beat, _) in self._streams.items():
                if mailbox.put_at <= due:
                    mailbox.put(beat(now))

    async def _check_tokens(self) -> None:
        while True:
            await asyncio.sleep(self._heartbeat_seconds)
            for mailbox, (_, renew) in tuple(self._streams.items()):
                if not await is_renewed(renew):
                    mailbox.end(TokenInvalid)


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
