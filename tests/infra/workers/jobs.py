"""Jobs for tests of workers. A worker finds them by the name of this module."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from domain.refusals import NameInvalid
from infra.postgres.failures import StoreBusy
from infra.workers.job import ServerNeeded
from infra.workers.meter import touched


@asynccontextmanager
async def opened(name: str) -> AsyncIterator[str]:
    """Something that jobs need."""
    yield f"what {name} opened"


async def told(context: str, *arguments: object) -> tuple[object, ...]:
    """What the job got, and from where."""
    touched(7)
    return context, os.getpid(), *arguments


async def refused(_: str) -> None:
    """A refusal with a field."""
    touched(3)
    raise NameInvalid(name="\x00")


async def store_failed(_: str) -> None:
    """A failure of the store."""
    raise StoreBusy(waiting=5)


async def server_needed(_: str) -> None:
    """Not a job for a worker."""
    raise ServerNeeded


async def faulty(_: str) -> None:
    """A fault of the program."""
    raise ZeroDivisionError


async def killed(_: str) -> None:
    """A worker that dies."""
    os.abort()


async def slow(_: str, seconds: float) -> None:
    """A job that takes its time."""
    await asyncio.sleep(seconds)


async def environment(_: str) -> list[str]:
    """The names of the variables that a worker sees."""
    return list(os.environ)


async def grown(_: str, mebibytes: int) -> int:
    """A job after which the worker holds so much memory; returns its process."""
    _HELD.append(b"x" * (mebibytes * 1_024 * 1_024))
    return os.getpid()


_HELD: list[bytes] = []
