"""Records from a server, over as many streams as it takes: a broken one is resumed after the last record that came."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import grpc
from liarsdice.v1 import replay_service_pb2 as wire
from liarsdice.v1 import replay_service_pb2_grpc as stubs

from services.client.failures import Refused, Unreachable, refused
from services.client.line import Line


async def fetched(line: Line, games: wire.GameFilter) -> AsyncGenerator[bytes, None]:
    """The records of these games, each once. Who gets none for as long as the line has patience is told."""
    request = wire.ExportRecordsRequest(filter=games)
    trying = _Trying(line)
    while True:
        try:
            async with aclosing(_messages(line, request)) as messages:
                async for message in messages:
                    for record in message.records:
                        yield record
                    # Only now, because whoever takes the records may take long.
                    request.after = message.resume_token
                    trying.came()
        except grpc.aio.AioRpcError as error:
            await trying.again(refused(error))
        except TimeoutError:
            await trying.again(Refused(grpc.StatusCode.DEADLINE_EXCEEDED, "it has fallen silent"))
        else:
            return


async def _messages(line: Line, request: wire.ExportRecordsRequest) -> AsyncGenerator[wire.ExportRecordsResponse, None]:
    """What one stream brings."""
    call = stubs.ReplayServiceStub(line.channel).ExportRecords(request, metadata=line.metadata)
    try:
        while (message := await line.heard(call)) is not grpc.aio.EOF:
            yield message
    finally:
        call.cancel()


class _Trying:
    """How long nothing has come by now."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._clock = asyncio.get_running_loop().time
        self.came()

    def came(self) -> None:
        """Something came, so that patience begins anew."""
        self._tries, self._until = 0, self._clock() + self._line.patience.total_seconds

    async def again(self, failure: Refused) -> None:
        """Wait a little, if another try can help and there is patience left."""
        if not failure.resumable:
            raise failure
        pause = max(self._line.patience.pause(self._tries), failure.retry_seconds or 0.0)
        if self._clock() + pause >= self._until:
            raise Unreachable(self._line.address, failure)
        self._tries += 1
        await asyncio.sleep(pause)
