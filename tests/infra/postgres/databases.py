"""Databases for tests: one server for each test process, and a new migrated database for each test that asks."""

import asyncio
import atexit
import subprocess
import tempfile
from collections.abc import Awaitable, Callable
from functools import cache
from itertools import count
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlsplit, urlunsplit

import asyncpg

from infra.embedded.postgres import EmbeddedPostgres
from infra.postgres.migrating import Connection, migrate

Result = TypeVar("Result")
_NUMBERS = count()
QUICK_SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "autovacuum": "off",  # It would visit hundreds of databases that nobody uses any more.
    "max_wal_size": "8GB",
    "scram_iterations": "1",  # Each connection of each test would work through 4,096.
}
"""Settings for a server with data that nobody needs. Tests of durability start their own, with safe settings."""


def folder_for_a_server() -> "tempfile.TemporaryDirectory[str]":
    """A directory for a server. Those of pytest are closed to other accounts, and the server may run as another one."""
    return tempfile.TemporaryDirectory(prefix="liarsdice-test-", ignore_cleanup_errors=True)


@cache
def _made_store() -> Path:
    """A data directory that is only there to be copied."""
    folder = folder_for_a_server()
    atexit.register(folder.cleanup)
    with EmbeddedPostgres(Path(folder.name) / "data"):
        pass
    # The note says where the next server of these data puts its socket: those of copies go elsewhere.
    (Path(folder.name) / "data" / "sockets").unlink()
    return Path(folder.name) / "data"


def made_store(directory: Path) -> Path:
    """A data directory in which a server has run before. A copy takes a tenth of the time that a new one takes."""
    subprocess.run(["/bin/cp", "-a", _made_store(), directory], check=True)
    return directory


@cache
def server_url() -> str:
    """The URL of this process's server, which ends when the process ends."""
    folder = folder_for_a_server()
    server = EmbeddedPostgres(made_store(Path(folder.name) / "data"), QUICK_SETTINGS)
    server.start()
    atexit.register(folder.cleanup)
    atexit.register(server.stop)
    parts = urlsplit(server.url)
    sql = f"ALTER ROLE {parts.username} PASSWORD '{unquote(parts.password or '')}'"
    on_connection(server.url, lambda connection: connection.execute(sql))
    return server.url


def new_database(lanes: int | None = None) -> str:
    """The URL of a new database with an empty store."""
    return _copied(_empty_store(lanes))


@cache
def _empty_store(lanes: int | None) -> str:
    """The name of a database that nobody touches: to copy it is quicker than to migrate each one."""
    url = empty_database()
    on_connection(url, lambda connection: migrate(connection, lanes))
    # With a connection after the last change, the files have what each first connection to a copy would have to build.
    on_connection(url, lambda connection: connection.execute("SELECT 1"))
    return urlsplit(url).path.removeprefix("/")


def empty_database(server: str | None = None) -> str:
    """The URL of a new database with nothing in it."""
    return _copied("template1", server)


def _copied(template: str, server: str | None = None) -> str:
    name = f"test_{next(_NUMBERS)}"
    sql = f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY"
    on_connection(server or server_url(), lambda connection: connection.execute(sql))
    return urlunsplit(urlsplit(server or server_url())._replace(path=f"/{name}"))


def login(name: str, powers: str = "", *, owns: bool = True, server: str | None = None, url: str | None = None) -> str:
    """The URL of a new or an existing database for a new login that is not a superuser."""
    parts = urlsplit(url or empty_database(server))

    async def create(connection: Connection) -> None:
        await connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'secret' {powers}")
        if owns:
            await connection.execute(f"ALTER DATABASE {parts.path.removeprefix('/')} OWNER TO {name}")

    on_connection(urlunsplit(parts), create)
    return urlunsplit(parts._replace(netloc=f"{name}:secret@{parts.netloc.rpartition('@')[2]}"))


def on_connection(url: str, work: Callable[[Connection], Awaitable[Result]]) -> Result:
    """The result of some work on a connection of its own."""

    async def connected() -> Result:
        connection = await asyncpg.connect(url)
        try:
            return await work(connection)
        finally:
            await connection.close()

    return asyncio.run(connected())
