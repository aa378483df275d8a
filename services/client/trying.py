"""Making a stream again that broke: as long as the client has patience, with growing pauses."""

import asyncio

import grpc

from services.client.failures import Refused, Unreachable, refused
from services.client.line import Line


class Trying:
    """How often and since when a stream could not be had."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._tries = 0
        self._since: float | None = None

    def succeeded(self) -> None:
        """The stream is there."""
        self._tries, self._since = 0, None

    async def again(self, error: grpc.aio.AioRpcError | TimeoutError) -> None:
        """Wait until it is worth trying again; raise if it is not."""
        silence = Refused(grpc.StatusCode.DEADLINE_EXCEEDED, "it fell silent")
        failure = refused(error) if isinstance(error, grpc.aio.AioRpcError) else silence
        if not failure.resumable:
            raise failure from None
        now = asyncio.get_running_loop().time()
        self._since = now if self._since is None else self._since
        pause = max(self._line.patience.pause(self._tries), failure.retry_seconds or 0.0)
        if now + pause - self._since > self._line.patience.total_seconds:
            raise Unreachable(self._line.address, failure) from None
        self._tries += 1
        await asyncio.sleep(pause)
