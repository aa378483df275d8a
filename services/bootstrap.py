"""How the program is put together: the database, the keys, the store and the games on it."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg

from infra.keys import KeyRing, create_keys, keys_in_environment
from infra.mapping import EventMapper, EventTranscoder
from infra.postgres.embedded import EmbeddedPostgres
from infra.postgres.migrating import migrate
from infra.postgres.store import EventStore
from services.application import GameApplication

DATABASE_VARIABLE = "DATABASE_URL"


def default_data_directory(environment: Mapping[str, str]) -> Path:
    """Where the embedded Postgres and the keys live if nobody says otherwise."""
    home = environment.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "liarsdice"


@asynccontextmanager
async def open_database(data_directory: Path) -> AsyncIterator[str]:
    """The URL of the database: that of the environment, or of an embedded Postgres that runs as long as it is needed."""
    url = os.environ.get(DATABASE_VARIABLE)
    if url:
        yield url
        return
    server = EmbeddedPostgres(data_directory / "postgres")
    await asyncio.to_thread(server.start)
    try:
        yield server.url
    finally:
        await asyncio.to_thread(server.stop)


@asynccontextmanager
async def open_games(data_directory: Path) -> AsyncIterator[GameApplication]:
    """The games of a store that is brought up to date first."""
    keys = await open_keys(data_directory)
    async with open_database(data_directory) as url:
        await migrate_database(url)
        store = await EventStore.open(url)
        try:
            yield GameApplication(store, EventMapper(EventTranscoder(keys, must_open=True)))
        finally:
            await store.close()


async def open_keys(data_directory: Path) -> KeyRing:
    """The keys of the environment, or those of the data directory, made there if need be."""
    return await asyncio.to_thread(_keys, data_directory)


def _keys(data_directory: Path) -> KeyRing:
    """The keys of the environment, or those of the data directory, made there if need be."""
    data_directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    return keys_in_environment(os.environ) or create_keys(data_directory / "keys")


async def migrate_database(url: str, lanes: int | None = None) -> list[str]:
    """Bring a database up to date."""
    connection = await asyncpg.connect(url)
    try:
        return await migrate(connection, lanes)
    finally:
        await connection.close()
