"""Group commit: appends that arrive while a commit is under way are written together in the next one.

Each lane has one writer in a process. It takes all appends that wait, leaving for later those whose stream is in the
batch already, and hands them to the lane's `append` function in one round trip, which is one transaction. Inside it the
lane's head row is locked, each append is checked on its own, and positions are given without gaps. An append is answered
only after that transaction has committed.

If the connection breaks, it is not known whether the batch was stored. The writer then connects again and sends the
same batch again: the function looks for the request ids first, under the same lock, so what was stored is found and what
was not is stored now. That is why every append has a request id.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from itertools import accumulate, chain
from typing import Any, Literal, TypeAlias

import asyncpg
from eventsourcing.persistence import StoredEvent
from msgspec import Struct

from infra.postgres.failures import StoreBusy, StoreClosed, StoreUnreachable, VersionConflict
from infra.postgres.queries import query

Connection: TypeAlias = "asyncpg.Connection[Any] | asyncpg.pool.PoolConnectionProxy[Any]"
Connect: TypeAlias = "Callable[[], Awaitable[Connection]]"

_LOST_CONNECTION = (
    OSError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # What asyncpg says when the connection breaks while it sends.
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
)


class Appended(Struct, frozen=True):
    """Where the events of an append lie in their lane, and whether they were there before."""

    outcome: Literal["accepted", "repeated"]
    position_first: int
    position_last: int


class _Waiting(Struct, eq=False):
    events: Sequence[StoredEvent]
    request_id: str
    streams: dict[str, int]
    """The first version that each stream gets."""
    answer: asyncio.Future[Appended]


class LaneWriter:
    """Writes the appends of one lane, many at a time."""

    def __init__(
        self, lane: str, connect: Connect, *, waiting_max: int = 10_000, batch_max: int = 500, retries_max: int = 5
    ) -> None:
        """Nothing is connected before `start`."""
        self._sql = query("append", lane)
        self._connect = connect
        self._waiting: deque[_Waiting] = deque()
        self._waiting_max, self._batch_max, self._retries_max = waiting_max, batch_max, retries_max
        self._wake = asyncio.Event()
        self._closing = False
        self._connection: Connection | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to write."""
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Write what waits, then stop."""
        self._closing = True
        self._wake.set()
        if self._task is not None:
            await self._task
        if self._connection is not None:
            await self._connection.close()

    async def append(self, events: Sequence[StoredEvent], request_id: str) -> Appended:
        """Store events together, after all that were accepted before; answered once they are durable."""
        if self._closing or self._task is None:
            raise StoreClosed
        if len(self._waiting) >= self._waiting_max:
            raise StoreBusy(waiting=len(self._waiting))
        waiting = _waiting(events, request_id)
        self._waiting.append(waiting)
        self._wake.set()
        return await waiting.answer

    async def append_within(self, connection: Connection, events: Sequence[StoredEvent], request_id: str) -> Appended:
        """Store events as part of a transaction of the caller's, who commits it."""
        waiting = _waiting(events, request_id)
        _answered([waiting], await self._call_on(connection, [waiting]))
        return await waiting.answer

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while batch := self._next_batch():
                await self._write(batch)
            if self._closing:
                return

    def _next_batch(self) -> list[_Waiting]:
        """As many as may be written together; of those that share a stream or a request only the first."""
        batch: list[_Waiting] = []
        later: list[_Waiting] = []
        taken: set[str] = set()
        while self._waiting and len(batch) < self._batch_max:
            waiting = self._waiting.popleft()
            if waiting.answer.cancelled():
                continue
            claims = waiting.streams.keys() | {f"request {waiting.request_id}"}
            if taken & claims:
                later.append(waiting)
            else:
                batch.append(waiting)
            taken |= claims
        self._waiting.extendleft(reversed(later))
        return batch

    async def _write(self, batch: list[_Waiting]) -> None:
        """Write a batch, again and again over new connections if they break, and answer."""
        problem: Exception | None = None
        attempt = 0
        while batch and attempt < self._retries_max:
            try:
                batch = _answered(batch, await self._call(batch))
            except ValueError as error:  # A value that can't be sent at all.
                await self._find_culprit(batch, error)
                return
            except _LOST_CONNECTION as error:
                problem = error
                await self._forget_connection()
                await asyncio.sleep(min(0.05 * 2**attempt, 1.0))
                attempt += 1
            except asyncpg.PostgresError as error:
                await self._find_culprit(batch, error)
                return
            except BaseException as error:
                _fail(batch, error)  # Whatever it is, nobody may wait for ever.
                raise
        _fail(batch, StoreUnreachable(problem=type(problem).__name__))

    async def _find_culprit(self, batch: list[_Waiting], error: Exception) -> None:
        """Nothing of a batch is stored if the database refuses any part of it: let each stand alone."""
        if len(batch) == 1:
            _fail(batch, error)
            return
        for waiting in batch:
            await self._write([waiting])

    async def _call(self, batch: list[_Waiting]) -> list[asyncpg.Record]:
        if self._connection is None or self._connection.is_closed():
            self._connection = await self._connect()
        return await self._call_on(self._connection, batch)

    async def _call_on(self, connection: Connection, batch: list[_Waiting]) -> list[asyncpg.Record]:
        events = list(chain.from_iterable(waiting.events for waiting in batch))
        streams = [(index, *stream) for index, waiting in enumerate(batch) for stream in waiting.streams.items()]
        return await connection.fetch(
            self._sql,
            [waiting.request_id for waiting in batch],
            *_offsets(batch),
            [index for index, _, _ in streams],
            [stream for _, stream, _ in streams],
            [first for _, _, first in streams],
            [str(event.originator_id) for event in events],
            [event.originator_version for event in events],
            [event.topic for event in events],
            [event.state for event in events],
        )

    async def _forget_connection(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None


def _waiting(events: Sequence[StoredEvent], request_id: str) -> _Waiting:
    streams: dict[str, int] = {}
    for event in events:
        streams.setdefault(str(event.originator_id), event.originator_version)
    return _Waiting(events, request_id, streams, asyncio.get_running_loop().create_future())


def _offsets(batch: list[_Waiting]) -> tuple[list[int], list[int]]:
    """The places of each append's first and last event among all events of the batch, counted from 1."""
    lasts = list(accumulate(len(waiting.events) for waiting in batch))
    return [last - len(waiting.events) + 1 for last, waiting in zip(lasts, batch, strict=True)], lasts


def _answered(batch: list[_Waiting], rows: list[asyncpg.Record]) -> list[_Waiting]:
    """Answer what a call has settled; what is left is to be written without what was not."""
    if rows[0]["outcome"] == "written":
        base = rows[0]["position_first"] - 1
        for waiting, first, last in zip(batch, *_offsets(batch), strict=True):
            _settle(waiting, Appended("accepted", base + first, base + last))
        return []
    for row in rows:
        waiting = batch[row["append"]]
        if row["outcome"] == "repeated":
            _settle(waiting, Appended("repeated", row["position_first"], row["position_last"]))
        else:
            _fail([waiting], VersionConflict(streams=", ".join(waiting.streams)))
    settled = {row["append"] for row in rows}
    return [waiting for index, waiting in enumerate(batch) if index not in settled]


def _settle(waiting: _Waiting, appended: Appended) -> None:
    if not waiting.answer.done():
        waiting.answer.set_result(appended)


def _fail(batch: list[_Waiting], error: BaseException) -> None:
    for waiting in batch:
        if not waiting.answer.done():
            waiting.answer.set_exception(error)
