"""Exports of records over a line that may break."""

from collections.abc import AsyncIterator
from typing import Any

import grpc

from services.client.channel import Channel
from services.client.errors import STREAM_FAILURES
from services.client.past_answers import Exported, freshness_of
from services.client.retry import resumable_failure


async def resumed_export(channel: Channel, method: Any, request: Any) -> AsyncIterator[Exported]:
    """The records of a call that exports them."""
    async for message in resumed(channel, method, request):
        freshness = freshness_of(message) if message.HasField("freshness") else None
        yield Exported(tuple(message.records), message.resume_token, freshness)


async def resumed(channel: Channel, method: Any, request: Any) -> AsyncIterator[Any]:
    """The answers of a call that exports; after a failure the call is made again from where it was."""
    retry = channel.retry()
    while True:
        call: Any = method(request, metadata=channel.metadata)
        try:
            while (message := await channel.next_message(call)) is not grpc.aio.EOF:
                retry.succeeded()
                request.after = message.resume_token
                yield message
        except STREAM_FAILURES as error:
            await retry.pause(resumable_failure(error))
        else:
            return
        finally:
            call.cancel()
