"""Server-sent events: writes them, sends heartbeats between them, and ends streams when the server goes down.

An `EventSource` connects again by itself and names the last event that it got. So a stream may end at any moment.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress

import msgspec

from infra.postgres.connections import PASSING
from infra.postgres.failures import StoreFailed
from services.live.pulse import Renew, is_renewed

MEDIA_TYPE = "text/event-stream"
HEARTBEAT = b": still here\n\n"
RETRY = b"retry: 1000\n\n"
"""How many milliseconds a reader waits before connecting again."""

_ENCODER = msgspec.json.Encoder()


def written(kind: str, data: object, number: int | None = None) -> bytes:
    """The bytes of an event. A reader can resume after an event that has a number."""
    place = b"" if number is None else b"id: %d\n" % number
    return b"event: %s\n%sdata: %s\n\n" % (kind.encode(), place, _ENCODER.encode(data))


async def kept_alive(
    events: AsyncGenerator[bytes, None], heartbeat_seconds: float, draining: asyncio.Event, renew: Renew
) -> AsyncGenerator[bytes, None]:
    """The events as they come, with heartbeats between them.

    The stream ends after the last event, and also when the server goes down, when the reader's token is no longer
    valid, or when the reader was too slow. A reader who connects again goes on, or gets the reason why not.
    """
    going_down = asyncio.ensure_future(draining.wait())
    coming = asyncio.ensure_future(anext(events, None))
    try:
        yield RETRY
        while not draining.is_set():
            done, _ = await asyncio.wait({coming, going_down}, timeout=heartbeat_seconds, return_when="FIRST_COMPLETED")
            if not await is_renewed(renew):
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
