"""Games on a store as the program opens it: its database, its keys, its migrations."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from infra.events.mapping import EventMapper, EventTranscoder
from infra.postgres.store import EventStore
from services.app.environment import open_sealed_database
from services.tables.application import GameApplication


@asynccontextmanager
async def open_games(data_directory: Path) -> AsyncIterator[GameApplication]:
    """The games of a data directory, or of the database that the environment names."""
    async with open_sealed_database(data_directory) as (url, keys):
        store = await EventStore.open(url)
        try:
            yield GameApplication(store, EventMapper(EventTranscoder(keys, must_open=True)))
        finally:
            await store.close()
