"""Sends records on a stream, a few at a time; each answer has a token from which a broken stream can go on."""

from collections.abc import Awaitable, Callable
from typing import Any

from services.archive.archive import Place, Records
from services.archive.paging import token_of
from services.archive.refusals import ExportInterrupted
from services.live.pulse import Pulse
from services.rpc.gate import Call

EXPORT_BYTES_MAX = 64 * 1024

PartAfter = Callable[[Place | None], Awaitable[Records]]
"""The next records after a place, and whether more may follow."""


class RecordStream:
    """One call that exports records."""

    def __init__(self, call: Call, pulse: Pulse, response_type: Any) -> None:
        """The answers have the fields `records` and `resume_token`."""
        self._call, self._pulse, self._response_type = call, pulse, response_type

    async def run(self, part_after: PartAfter, after: Place | None) -> None:
        """Send all records after a place."""
        more = True
        batch: list[tuple[Place, bytes]] = []
        while more:
            part, more = await part_after(after)
            for one in part:
                if batch and sum(len(record) for _, record in batch) + len(one[1]) > EXPORT_BYTES_MAX:
                    await self._send(batch)
                    batch = []
                batch.append(one)
            after = part[-1][0] if part else after
        if batch:
            await self._send(batch)

    async def _send(self, batch: list[tuple[Place, bytes]]) -> None:
        await self._call.renew()
        records, last = [record for _, record in batch], batch[-1][0]
        response = self._response_type(records=records, resume_token=token_of(*last))
        await self._call.send(response.SerializeToString())
        if self._pulse.draining:
            raise ExportInterrupted
