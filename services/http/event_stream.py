"""Server-sent events: how they are written, and streams that show that they live and end when the server goes down.

An `EventSource` connects again by itself and says what it got last, so a stream may end at any moment.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress

import msgspec

from infra.postgres.connections import PASSING
from infra.postgres.failures import StoreFailed
from services.access.refusals import TokenInvalid

MEDIA_TYPE = "text/event-stream"
HEARTBEAT = b": still here\n\n"
RETRY = b"retry: 1000\n\n"
"""How many milliseconds a reader waits before connecting again."""

Renew = Callable[[], Awaitable[None]]
_ENCODER = msgspec.json.Encoder()


def written(kind: str, data: object, number: int | None = None) -> bytes:
    """An event; one with a number is where a reader can go on after."""
    place = b"" if number is None else b"id: %d\n" % number
    return b"event: %s\n%sdata: %s\n\n" % (kind.encode(), place, _ENCODER.encode(data))


async def kept_alive(
    events: AsyncGenerator[bytes, None], heartbeat_seconds: float, draining: asyncio.Event, renew: Renew
) -> AsyncGenerator[bytes, None]:
    """Events as they come, with signs of life between them.

    The stream ends with the last event, when the server goes down, when the reader's token is worth nothing any more or the
    reader was too slow: whoever comes back goes on, or is told why not.
    """
    going_down = asyncio.ensure_future(draining.wait())
    coming = asyncio.ensure_future(anext(events, None))
    try:
        yield RETRY
        while not draining.is_set():
            done, _ = await asyncio.wait({coming, going_down}, timeout=heartbeat_seconds, return_when="FIRST_COMPLETED")
            if not await _is_renewed(renew):
                return
            if coming in done:
                event = await _unless_it_failed(coming)
                if event is None:
                    return
                yield event
                coming = asyncio.ensure_future(anext(events, None))
            elif not done:
                yield HEARTBEAT
    finally:
        coming.cancel()
        going_down.cancel()
        await asyncio.gather(coming, going_down, return_exceptions=True)
        await events.aclose()


async def _unless_it_failed(coming: "asyncio.Future[bytes | None]") -> bytes | None:
    with suppress(StoreFailed, *PASSING):
        return await coming
    return None


async def _is_renewed(renew: Renew) -> bool:
    try:
        await renew()
    except TokenInvalid:
        return False
    except (StoreFailed, *PASSING):
        pass  # Whether it is still worth something can't be told now; the next time tells.
    return True
