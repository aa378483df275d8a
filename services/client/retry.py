"""The one retry policy, for calls and for streams: what is tried again, after which pause, and for how long.

A call without an answer is made again with the same request; its request id keeps the server from doing it twice. A
stream that broke is opened again where it broke. Pauses grow from try to try, and the server may ask for a longer one.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from domain.values import Value
from services.client.errors import Refused, Unreachable, failure_of

Answer = TypeVar("Answer")


class Patience(Value, frozen=True, kw_only=True):
    """How long a client tries."""

    try_seconds: float = 5.0
    """The deadline of a single try."""
    total_seconds: float = 30.0
    """How long a call is tried again before the client gives up."""
    pause_seconds_min: float = 0.1
    pause_seconds_max: float = 2.0
    silence_seconds: float = 45.0
    """How long a stream may be silent before the client takes it for dead; the server sends heartbeats more often."""

    def pause(self, tries: int) -> float:
        """The seconds to wait after some tries: more each time, and not the same for all clients of a server."""
        longest = min(self.pause_seconds_max, self.pause_seconds_min * 2.0 ** min(tries, 16))
        return longest * random.uniform(0.5, 1.0)  # noqa: S311 - clients must differ, not be secret


class Retry:
    """The tries of one call, or of one stream."""

    def __init__(self, patience: Patience, address: str, *, gives_up: bool = True) -> None:
        """Without `gives_up` the tries never end."""
        self._patience, self._address, self._gives_up = patience, address, gives_up
        self._failures = 0
        self._since: float | None = None
        """When the trouble began; None while there is none."""

    def succeeded(self) -> None:
        """The server has answered, so the next trouble is a new one."""
        self._failures, self._since = 0, None

    async def call(self, attempt: Callable[[float], Awaitable[Answer]]) -> Answer:
        """The answer to a call. `attempt` makes the call once, within the seconds that are left for all tries."""
        clock = asyncio.get_running_loop().time
        # For a stream the patience counts from the moment it breaks. A caller waits from the first try on.
        self._since = began = clock()
        while True:
            try:
                return await attempt(began + self._patience.total_seconds - clock())
            except Refused as failure:
                if not failure.passing:
                    raise
                await self.pause(failure)

    async def pause(self, failure: Refused) -> None:
        """Wait before the next try; raise the failure if the patience ends before."""
        now = asyncio.get_running_loop().time()
        self._since = now if self._since is None else self._since
        seconds = pause_seconds(self._patience, self._failures, failure)
        if self._gives_up and now + seconds >= self._since + self._patience.total_seconds:
            raise (failure if failure.limited else Unreachable(self._address, failure)) from None
        self._failures += 1
        await asyncio.sleep(seconds)


def pause_seconds(patience: Patience, failures: int, failure: Refused) -> float:
    """How long to wait after a failure, of which there were some before: never less than the server asks for."""
    return max(patience.pause(failures), failure.retry_seconds or 0.0)


def resumable_failure(error: Exception) -> Refused:
    """Why a stream broke that is worth opening again; raises the failure of one that is not."""
    failure = failure_of(error)
    if not failure.resumable:
        raise failure from None
    return failure
