"""Sends records on a stream, a few at a time; each answer has a token from which an export can go on."""

from collections.abc import Awaitable, Callable
from typing import Any

from domain.freshness import Freshness
from services.archive.exports import Course, Part
from services.archive.refusals import ExportInterrupted
from services.live.pulse import Pulse
from services.rpc.gate import Call
from services.rpc.replay_encoding import freshness_message

EXPORT_BYTES_MAX = 64 * 1024

PartOf = Callable[[Course], Awaitable[Part]]
"""The next records of a course."""


class RecordStream:
    """One call that exports records."""

    def __init__(self, call: Call, pulse: Pulse, response_type: Any, freshness: Freshness) -> None:
        """The answers have the fields `records` and `resume_token`, and the first of them `freshness`."""
        self._call, self._pulse, self._response_type = call, pulse, response_type
        self._freshness: Freshness | None = freshness

    async def run(self, course: Course, part_of: PartOf) -> None:
        """Send all records of a course."""
        batch: list[bytes] = []
        here = course
        """The course after the batch."""
        while not course.is_over:
            part = await part_of(course)
            for place, record in part.games:
                if batch and sum(map(len, batch)) + len(record) > EXPORT_BYTES_MAX:
                    await self._send(batch, here)
                    batch = []
                batch.append(record)
                here = course.at(place)
            course = part.course
        if batch or self._freshness is not None:
            await self._send(batch, course)

    async def _send(self, batch: list[bytes], course: Course) -> None:
        await self._call.renew()
        response = self._response_type(records=batch, resume_token=course.token)
        if self._freshness is not None:
            response.freshness.CopyFrom(freshness_message(self._freshness))
            self._freshness = None
        await self._call.send(response.SerializeToString())
        if self._pulse.draining:
            raise ExportInterrupted
