"""A projector that runs beside other work."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from infra.postgres.connections import PASSING, open_pool
from infra.postgres.feed import Feed
from infra.postgres.hints import Listener
from services.projector.models import PROJECTIONS
from services.projector.projector import Projector

LANES_AT_ONCE_MAX = 4
_LOG = logging.getLogger(__name__)


@asynccontextmanager
async def projecting(url: str, lanes: int, feed: Feed | None = None) -> AsyncIterator[Projector]:
    """Keep the read models of a store up to date until the block ends.

    Where the process has a feed, all events pass there, and the projector sleeps until one comes that matters to a model.
    """
    pool = await open_pool(url, "liarsdice_projector", size_max=min(lanes, LANES_AT_ONCE_MAX), derived=True)
    projector = Projector(pool, PROJECTIONS, lanes)
    running = [asyncio.create_task(_for_ever(projector))]
    if feed is None:
        listener = Listener(url, lanes)
        listener.hearers.append(projector.hinted)
        running.append(asyncio.create_task(listener.run()))
    else:
        feed.passers.append(projector.passed)
    try:
        yield projector
    finally:
        if feed is not None:
            feed.passers.remove(projector.passed)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        with suppress(*PASSING):
            await pool.close()


async def _for_ever(projector: Projector) -> None:
    while True:
        try:
            await projector.run()
        except Exception:  # noqa: BLE001 - whatever it is, the task must not end unnoticed
            _LOG.exception("the projector has failed; starting it again")
            await asyncio.sleep(1)
