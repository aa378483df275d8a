"""What a worker is asked to do, and how it went."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeAlias

from domain.refusals import Refusal
from domain.values import Value
from infra.postgres.connections import PASSING
from infra.postgres.failures import StoreFailed, StoreUnreadable
from infra.workers.meter import metered

Opener: TypeAlias = Callable[..., AbstractAsyncContextManager[Any]]
"""A function of a module that opens what the jobs need, such as a connection to the database."""
Job: TypeAlias = Callable[..., Awaitable[Any]]
"""A function of a module. Its first argument is what the opener has opened; all others can be pickled."""


class WorkerLost(StoreFailed):
    """The process that does this work was lost ({problem}); ask again."""


class ServerNeeded(Exception):  # noqa: N818 - it reads as a sentence
    """A worker can't do this job, because it has no keys; the server itself has to."""


class WorkerFault(Exception):  # noqa: N818 - it reads as a sentence
    """A job failed by a fault of the program. The worker has logged it."""


class Outcome(Value, frozen=True):
    """How a job went."""

    result: Any
    failure: Exception | None
    units: int
    """What it touched, also if it failed."""

    def value(self) -> Any:
        """The result; raises the failure if there was one."""
        if self.failure is not None:
            raise self.failure
        return self.result


async def outcome_of(job: Job, context: Any, arguments: tuple[Any, ...]) -> Outcome:
    """Do a job. Its refusals and the failures of the store are part of the outcome; faults of the program are raised."""
    with metered() as meter:
        try:
            return Outcome(await job(context, *arguments), None, meter.units)
        except (Refusal, StoreFailed, ServerNeeded) as failure:
            return Outcome(None, failure, meter.units)
        except PASSING as error:
            return Outcome(None, StoreUnreadable(problem=type(error).__name__), meter.units)
