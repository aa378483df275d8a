"""The desk: takes heavy reads, lets their callers take turns, and charges them.

A read is heavy if its cost grows with the length of a game or the size of the store. Worker processes do such reads, so
that a player's move never waits for a reader. A worker has no key, so it can't read dice under cups. If players read a
running game of theirs, they may see their dice of the current round, so this process does that read itself.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from infra.workers.job import Outcome, ServerNeeded, outcome_of
from infra.workers.pool import Pool
from infra.workers.turns import Turns
from services.access.budget import BYTES_A_UNIT, NO_BUDGET, Budget
from services.access.payer import Payer
from services.access.refusals import ReadsWaiting
from services.desk.sources import Sources

READS_WAITING_MAX = 32
"""So many reads of one caller may wait for a worker; a stream waits with one at a time."""
_RETRY_SECONDS = 1.0
_UNITS_HERE = 3
"""A read in this process costs the caller three times as much as a read by a worker."""

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


class Desk:
    """Takes heavy reads."""

    def __init__(self, sources: Sources, pool: Pool | None = None, budget: Budget = NO_BUDGET) -> None:
        """Without a pool of workers this process does all reads itself, with the sources."""
        self._sources, self._pool, self.budget = sources, pool, budget
        self._turns = Turns()

    async def ask(
        self,
        payer: Payer,
        subject: str,
        job: Callable[Concatenate[Sources, Asked], Awaitable[Answer]],
        *arguments: Asked.args,
        **_none: Asked.kwargs,
    ) -> Answer:
        """The result of a job for a payer, who is refused if the budget is spent or too many jobs wait.

        The subject, such as the id of a game, decides which worker does it: that worker may remember the game.
        """
        self.budget.check(payer)
        known = self.budget.by_address or not payer.is_stranger
        if known and self._pool is not None and self._pool.waiting(payer.caller) >= READS_WAITING_MAX:
            raise ReadsWaiting(limit=READS_WAITING_MAX, retry_seconds=_RETRY_SECONDS)
        answer: Answer = await self._done(payer, subject, job, arguments)
        return answer

    async def ask_patiently(
        self,
        payer: Payer,
        subject: str,
        job: Callable[Concatenate[Sources, Asked], Awaitable[Answer]],
        *arguments: Asked.args,
        **_none: Asked.kwargs,
    ) -> Answer:
        """The same for the next part of a stream: it waits until the payer can pay."""
        await asyncio.sleep(self.budget.wait_seconds(payer))
        answer: Answer = await self._done(payer, subject, job, arguments)
        return answer

    async def _done(self, payer: Payer, subject: str, job: Any, arguments: tuple[Any, ...]) -> Any:
        if self._pool is None:
            outcome = await outcome_of(job, self._sources, arguments)
        else:
            outcome = await self._pool.do(payer.caller, subject, job, *arguments)
        self.budget.charge(payer, outcome.units + _size(outcome.result) / BYTES_A_UNIT)
        if isinstance(outcome.failure, ServerNeeded):
            outcome = await self._done_here(payer, job, arguments)
        return outcome.value()

    async def _done_here(self, payer: Payer, job: Any, arguments: tuple[Any, ...]) -> Outcome:
        """Do a job in this process, one at a time: it takes its time from the event loop."""
        await self._turns.take(payer.caller)
        try:
            self.budget.check(payer)  # Others of the same payer may have been done meanwhile.
            outcome = await outcome_of(job, self._sources, arguments)
            self.budget.charge(payer, outcome.units * _UNITS_HERE)
            return outcome
        finally:
            self._turns.give_back()


def _size(result: object) -> int:
    """The number of bytes in a result: what was made for the reader."""
    if isinstance(result, bytes):
        return len(result)
    return sum(map(_size, result)) if isinstance(result, tuple | list) else 0
