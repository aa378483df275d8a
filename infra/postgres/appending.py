"""Group commit: the appends that arrive during a commit are written together in the next one.

Each lane has one writer in a process. The writer takes all waiting appends, except those whose stream is in the batch
already, and sends them in one statement, which is one transaction: it locks the lane's head row, gives positions without
gaps and writes all events. An append gets its answer only after its transaction has committed.

There are three ways to write, from the fastest to the most thorough:

1. Alone. An append that finds no other append in the process is written by its own caller, because handing it to the
   writer's task would only cost time. One event whose predecessor is known to be stored takes the query `append_one`.
2. Together. The query `append_all` writes a whole batch, or nothing: a unique key or a missing row says that some append
   of the batch can't be written, but not which.
3. With reasons. The function `append` in the database then names the appends that can't be written, and again writes all
   or nothing. Those get their answers, and the writer sends the rest again.

If the connection breaks, or no reply comes in time, nobody knows whether the batch was stored: it is in doubt. The writer
then connects again and sends the same batch again. The database stores a request id only once, so it finds what was
stored before and stores what was not. That is why every append has a request id. A batch that was once in doubt ends in
an answer or in `StoreUnreachable`, never in another failure, because any other failure says that nothing was stored.

A commit with a warning is in doubt too, because a standby may lack it. `append` finds it again, and its commit waits for the
standbys too: it locks the head row, which is a change.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from itertools import accumulate, chain
from typing import Any, TypeAlias

import asyncpg
from eventsourcing.persistence import StoredEvent
from msgspec import Struct

from infra.postgres.appended import Appended, repeated
from infra.postgres.connections import PASSING, Connection, check_undoubted, is_refusal
from infra.postgres.failures import (
    AppendRefused,
    StoreBusy,
    StoreClosed,
    StoreFailed,
    StoreUnreachable,
    VersionConflict,
)
from infra.postgres.queries import query
from infra.postgres.traffic import Traffic
from infra.spans import Place, here

Connect: TypeAlias = "Callable[[], Awaitable[Connection]]"

STREAMS_KNOWN_MAX = 10_000
# See `_gather`: how late the writer must be before it waits for more appends, how many it waits for, how long at most,
# and how often it looks.
_LATE_SECONDS = 0.0003
_GATHERED_MIN = 40
_GATHER_SECONDS_MAX = 0.024
_LOOK_SECONDS = 0.006
CLOSE_SECONDS_MAX = 5.0


class _Waiting(Struct, eq=False):
    """An append that waits for its answer."""

    events: Sequence[StoredEvent]
    request_id: str
    fingerprint: bytes
    streams: dict[str, int]
    """The first version that the append brings for each stream."""
    answer: asyncio.Future[Appended]
    place: Place | None = None


class LaneWriter:
    """Writes the appends of one lane, many at a time."""

    def __init__(
        self,
        lane: str,
        connect: Connect,
        traffic: Traffic | None = None,
        *,
        reached: Callable[[int], None] = lambda _: None,
        waiting_max: int = 10_000,
        batch_max: int = 500,
        tries_max: int = 5,
        try_seconds_max: float = 30.0,
    ) -> None:
        """The writer connects after `start`, with the first append. After a commit it calls `reached` with the position."""
        self._one, self._all, self._each = query("append_one", lane), query("append_all", lane), query("append", lane)
        self._connect, self._reached = connect, reached
        self._traffic = traffic or Traffic()
        self._stored: dict[str, int] = {}
        """A version of each recent stream that is stored for sure."""
        self._first_waits_since = 0.0
        self._waiting: deque[_Waiting] = deque()
        self._waiting_max, self._batch_max = waiting_max, batch_max
        self._tries_max, self._try_seconds_max = tries_max, try_seconds_max
        self._wake = asyncio.Event()
        self._writing = self._closing = False
        self._connection: Connection | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to write."""
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Write all waiting appends, then stop. Cancelling this call does not cancel the writing."""
        self._closing = True
        self._wake.set()
        if self._task is not None:
            await asyncio.wait([self._task])

    async def append(
        self, events: Sequence[StoredEvent], request_id: str, fingerprint: bytes = b"", *, at_once: bool = True
    ) -> Appended:
        """Store events together, after all that were accepted before; returns once they are durable."""
        if self._closing or self._task is None:
            raise StoreClosed
        if len(self._waiting) >= self._waiting_max:
            raise StoreBusy(waiting=len(self._waiting))
        self._traffic.appends += 1
        try:
            # With more traffic than this append, a batch saves more than the hand-over to the task costs.
            if at_once and self._traffic.appends == 1 and self._connected and not self._writing:
                return await self._append_alone(events, request_id, fingerprint)
            waiting = _waiting(events, request_id, fingerprint)
            if not self._waiting:
                self._first_waits_since = time.monotonic()
            self._waiting.append(waiting)
            self._wake.set()
            return await waiting.answer
        finally:
            self._traffic.appends -= 1

    async def append_within(self, connection: Connection, events: Sequence[StoredEvent], request_id: str) -> Appended:
        """Store events as part of the caller's own transaction; the caller commits it."""
        waiting = _waiting(events, request_id)
        _answer([waiting], await self._call_each(connection, [waiting]))
        return await waiting.answer

    @property
    def _connected(self) -> bool:
        return self._connection is not None and not self._connection.is_closed()

    async def _run(self) -> None:
        batch: list[_Waiting] = []
        try:
            while not self._closing or self._writing or self._waiting:
                await self._wake.wait()
                self._wake.clear()
                if self._writing:
                    continue  # A caller writes its own append, and wakes this task when it is done.
                self._writing = True
                while self._waiting:
                    await self._gather()
                    batch = self._next_batch()
                    await self._write(batch)
                self._writing = False
            await self._disconnect()
        finally:
            # Before `close` only the end of the event loop or a bug of ours leads here; even then nobody may wait for ever.
            self._closing = True
            _fail(batch, StoreUnreachable(problem="the writer has ended"))
            _fail(self._waiting, StoreClosed())
            self._forget_connection()

    async def _append_alone(self, events: Sequence[StoredEvent], request_id: str, fingerprint: bytes) -> Appended:
        """Write an append in its caller's own task; if that task is cancelled, nobody knows whether it was stored."""
        self._writing = True
        in_doubt, began = False, time.monotonic()
        try:
            if len(events) == 1 and self._follows(str(events[0].originator_id), events[0].originator_version):
                assert self._connection is not None
                try:
                    position = await self._call_one(self._connection, events[0], request_id, fingerprint)
                    self._traffic.committed(began, 1, (here(),))
                    self._reached(position)
                    return Appended("accepted", position, position, fingerprint)
                except Exception as error:  # noqa: BLE001 - whatever it is, the long way below finds the right answer
                    # A refused statement has stored nothing. After any other error the statement may have committed.
                    in_doubt = not is_refusal(error)
                    if in_doubt:
                        self._traffic.breaks += 1
                        self._forget_connection()
            waiting = _waiting(events, request_id, fingerprint)
            await self._write([waiting], in_doubt=in_doubt)
            return await waiting.answer
        finally:
            self._writing = False
            if self._waiting or self._closing:
                self._wake.set()

    async def _call_one(self, connection: Connection, event: StoredEvent, request_id: str, fingerprint: bytes) -> int:
        """Write one event whose predecessor is known to be stored, and return its position."""
        sent = (request_id, str(event.originator_id), event.originator_version, event.topic, event.state, fingerprint)
        written = await connection.fetchrow(self._one, *sent, timeout=self._try_seconds_max)
        check_undoubted(connection)
        assert written is not None
        self._remember(event)
        return int(written["position"])

    async def _gather(self) -> None:
        """Wait a moment for more appends if the event loop is overloaded.

        This task runs late when the event loop has more work than it can do, and then small commits would only add to
        that work. As soon as no new append has come for a moment, waiting ends: all callers wait for this very commit,
        so no more will come.
        """
        now = time.monotonic()
        if now - self._first_waits_since <= _LATE_SECONDS:
            return
        seen, until = 0, now + _GATHER_SECONDS_MAX
        while seen < len(self._waiting) < _GATHERED_MIN and time.monotonic() < until:
            seen = len(self._waiting)
            await asyncio.sleep(_LOOK_SECONDS)

    def _next_batch(self) -> list[_Waiting]:
        """The appends to write together: of those that share a stream or a request id, only the first."""
        batch: list[_Waiting] = []
        later: list[_Waiting] = []
        taken: set[str] = set()
        while self._waiting and len(batch) < self._batch_max:
            waiting = self._waiting.popleft()
            if waiting.answer.cancelled():
                continue
            # One statement can't store a stream's next version and the one after it, nor the same request id twice.
            claims = waiting.streams.keys() | {f"request {waiting.request_id}"}
            if taken & claims:
                later.append(waiting)
            else:
                batch.append(waiting)
            # Also the claims of one left for later: the next append to its streams must not overtake it.
            taken |= claims
        self._waiting.extendleft(reversed(later))
        return batch

    async def _write(self, batch: list[_Waiting], *, in_doubt: bool = False) -> None:
        """Write a batch and answer its callers; if a connection breaks, try again over a new one."""
        problem: Exception | None = None
        tries = 0
        while batch and tries < self._tries_max:
            sent = False
            try:
                async with asyncio.timeout(self._try_seconds_max):
                    connection = await self._connection_to_use()
                    sent, began = True, time.monotonic()
                    outcome = await self._call(connection, batch)
                    check_undoubted(connection)
                    if isinstance(outcome, int):
                        events = sum(len(waiting.events) for waiting in batch)
                        self._traffic.committed(began, events, [waiting.place for waiting in batch])
                    self._reached(_end(batch, outcome))
                    batch = _answer(batch, outcome)
            except Exception as error:  # noqa: BLE001 - whatever it is, a caller waits for an answer
                # A single append in doubt can't be answered with a refusal: an earlier try may have stored it.
                if sent and is_refusal(error) and (len(batch) > 1 or not in_doubt):
                    await self._find_culprit(batch, error, in_doubt=in_doubt)
                    return
                problem, in_doubt = error, in_doubt or sent
                self._traffic.breaks += 1
                self._forget_connection()
                await asyncio.sleep(min(0.05 * 2**tries, 1.0))
                tries += 1
        _fail(batch, StoreUnreachable(problem=type(problem).__name__))

    async def _find_culprit(self, batch: list[_Waiting], error: Exception, *, in_doubt: bool) -> None:
        """Write each append alone: the database refused the batch because of one of them, and stored none."""
        if len(batch) == 1:
            # Only the kind of the error, because its message may quote a secret from the events.
            _fail(batch, AppendRefused(problem=type(error).__name__))
            return
        for waiting in batch:
            await self._write([waiting], in_doubt=in_doubt)

    async def _connection_to_use(self) -> Connection:
        if self._connection is None or self._connection.is_closed():
            self._connection = await self._connect()
        return self._connection

    async def _call(self, connection: Connection, batch: list[_Waiting]) -> list[asyncpg.Record] | int:
        """Write the batch and return the position before it; or write nothing and return what is wrong with some of it."""
        unchecked = self._unchecked(batch)
        try:
            if len(batch) == len(batch[0].events) == 1 and not unchecked:
                return (
                    await self._call_one(connection, batch[0].events[0], batch[0].request_id, batch[0].fingerprint) - 1
                )
            written = await connection.fetchrow(self._all, *_columns(batch, unchecked))
        except asyncpg.UniqueViolationError:
            written = None  # A request id or a version is stored already; `append` finds out which.
        if written is None:
            return await self._call_each(connection, batch)
        self._remember(*chain.from_iterable(waiting.events for waiting in batch))
        return int(written["base"])

    def _follows(self, stream: str, first: int) -> bool:
        """Whether a version begins its stream, or follows a version that is known to be stored.

        Nothing is ever removed from the store. So the only possible conflict is that the version itself is stored
        already, and the primary key detects that.
        """
        return first <= 1 or self._stored.get(stream, 0) >= first - 1

    def _unchecked(self, batch: list[_Waiting]) -> list[tuple[str, int]]:
        """The streams that the database must check before writing, each with the first version that the batch brings."""
        starts = (start for waiting in batch for start in waiting.streams.items())
        return [start for start in starts if not self._follows(*start)]

    def _remember(self, *events: StoredEvent) -> None:
        """Note the stored versions of the events' streams."""
        for event in events:
            self._stored[str(event.originator_id)] = event.originator_version
        # Forgetting a stream is safe: the database then checks it once more.
        while len(self._stored) > STREAMS_KNOWN_MAX:
            del self._stored[next(iter(self._stored))]

    async def _call_each(self, connection: Connection, batch: list[_Waiting]) -> list[asyncpg.Record] | int:
        """As `_call`, by the function `append`, which checks every append of the batch by itself."""
        starts = [start for waiting in batch for start in waiting.streams.items()]
        requests, fingerprints, firsts, lasts, *rest = _columns(batch, starts)
        owners = [index for index, waiting in enumerate(batch) for _ in waiting.streams]
        rows = await connection.fetch(self._each, requests, fingerprints, firsts, lasts, owners, *rest)
        return rows[0]["position_first"] - 1 if rows[0]["outcome"] == "written" else rows

    async def _disconnect(self) -> None:
        with suppress(*PASSING):  # If the server is gone, so is the connection.
            if self._connection is not None:
                await self._connection.close(timeout=CLOSE_SECONDS_MAX)

    def _forget_connection(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None


def _waiting(events: Sequence[StoredEvent], request_id: str, fingerprint: bytes = b"") -> _Waiting:
    streams: dict[str, int] = {}
    for event in events:
        streams.setdefault(str(event.originator_id), event.originator_version)
    return _Waiting(events, request_id, fingerprint, streams, asyncio.get_running_loop().create_future(), here())


def _offsets(batch: list[_Waiting]) -> tuple[list[int], list[int]]:
    """The places of each append's first and last event among all events of the batch, counted from 1."""
    lasts = list(accumulate(len(waiting.events) for waiting in batch))
    return [last - len(waiting.events) + 1 for last, waiting in zip(lasts, batch, strict=True)], lasts


def _columns(batch: list[_Waiting], starts: list[tuple[str, int]]) -> tuple[list[Any], ...]:
    """A batch as the columns that the queries take: requests with their fingerprints and offsets, streams, events."""
    events = list(chain.from_iterable(waiting.events for waiting in batch))
    return (
        [waiting.request_id for waiting in batch],
        [waiting.fingerprint for waiting in batch],
        *_offsets(batch),
        [stream for stream, _ in starts],
        [first for _, first in starts],
        [str(event.originator_id) for event in events],
        [event.originator_version for event in events],
        [event.topic for event in events],
        [event.state for event in events],
    )


def _answer(batch: list[_Waiting], outcome: list[asyncpg.Record] | int) -> list[_Waiting]:
    """Answer the appends that a call has decided, and return the others, which the writer must send again."""
    if isinstance(outcome, int):
        for waiting, first, last in zip(batch, *_offsets(batch), strict=True):
            _settle(waiting, Appended("accepted", outcome + first, outcome + last, waiting.fingerprint))
        return []
    for row in outcome:
        waiting = batch[row["append"]]
        if row["outcome"] == "repeated":
            _settle(waiting, repeated(row))
        else:
            _fail([waiting], VersionConflict(streams=", ".join(waiting.streams)))
    settled = {row["append"] for row in outcome}
    return [waiting for index, waiting in enumerate(batch) if index not in settled]


def _end(batch: list[_Waiting], outcome: list[asyncpg.Record] | int) -> int:
    """The position up to which the lane is known to be stored after a call; 0 if that is not known."""
    if isinstance(outcome, int):
        return outcome + sum(len(waiting.events) for waiting in batch)
    return max((row["position_last"] or 0 for row in outcome), default=0)


def _settle(waiting: _Waiting, appended: Appended) -> None:
    if not waiting.answer.done():
        waiting.answer.set_result(appended)


def _fail(batch: Iterable[_Waiting], failure: StoreFailed) -> None:
    for waiting in batch:
        if not waiting.answer.done():
            waiting.answer.set_exception(failure)
