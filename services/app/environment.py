"""Finds what the environment gives to the program: the database and the keys."""

import asyncio
import os
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import asyncpg

from infra.embedded.keeper import kept_postgres
from infra.embedded.postgres import EmbeddedPostgresFailed
from infra.failure import CommandFailed
from infra.keys.key_files import KeysMissing
from infra.keys.key_ring import KeyRing, create_keys, keys_in_environment, keys_in_file
from infra.keys.log_keys import SignerRing, create_log_keys, log_keys_in_environment, log_keys_in_file
from infra.postgres.connections import CONNECT_SECONDS_MAX, act_as
from infra.postgres.failures import StoreFailed
from infra.postgres.key_ids import note_keys
from infra.postgres.lanes import LANES_DEFAULT, LANES_EMBEDDED
from infra.postgres.migrating import check_migrated, lanes_of_store, migrate, migrate_if_owned
from services.app.database_address import DATABASE_VARIABLE, MALFORMED, AddressRefused, check_address

DATABASE_ERRORS = (
    StoreFailed,
    EmbeddedPostgresFailed,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
)
_CONNECTIONS_OF_PROCESS = 40
"""So many connections to the database a game process may open with a few workers, and one more for each lane."""
_NO_ANSWER = "no Postgres answers there, or the connection was lost"


def default_data_directory(environment: Mapping[str, str]) -> Path:
    """The directory of the embedded Postgres and the keys, unless the user names another one."""
    home = environment.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "liarsdice"


@asynccontextmanager
async def open_database(data_directory: Path, processes: int = 1) -> AsyncIterator[str]:
    """The URL of the database: from the environment, or of an embedded Postgres that runs until the block ends.

    An embedded one that is started now takes the connections of so many game processes.
    """
    url = os.environ.get(DATABASE_VARIABLE)
    if url:
        check_address(url)
        yield url
        return
    async with kept_postgres(_postgres_in(data_directory), _postgres_for(processes)) as url:
        yield url


def _postgres_for(processes: int) -> dict[str, str]:
    if processes == 1:
        return {}  # The default of Postgres, 100, is enough.
    # While processes are replaced there is one more, and other commands connect too.
    return {"max_connections": str((processes + 2) * (_CONNECTIONS_OF_PROCESS + _lanes_of_new(processes)))}


def check_there_is_a_store(data_directory: Path) -> None:
    """Refuse to go on without a store: a command that only reads or repairs must not make one in a wrong directory."""
    if not os.environ.get(DATABASE_VARIABLE) and not _postgres_in(data_directory).exists():
        raise CommandFailed(f"there is no store in {data_directory}; `liarsdice serve` makes one")


def _postgres_in(data_directory: Path) -> Path:
    return data_directory / "postgres"


@asynccontextmanager
async def open_sealed_database(data_directory: Path, processes: int = 1) -> AsyncIterator[tuple[str, KeyRing]]:
    """The URL of a database, and the keys that seal its secrets. It is migrated first, if this login owns the store.

    A store that is made now has a lane for each of so many game processes.
    """
    keys = await asyncio.to_thread(find_keys, data_directory)
    async with open_database(data_directory, processes) as url:
        async with _connected(url) as connection:
            await migrate_if_owned(connection, lanes_of_new=_lanes_of_new(processes))
            await act_as(connection, "liarsdice_appender")
            await lanes_of_store(connection)  # Refuses a store that is older or newer than this program.
            await note_keys(connection, keys)
        yield url, keys


def find_keys(data_directory: Path) -> KeyRing:
    """The keys from the environment or the data directory. For the embedded Postgres, missing keys are made there."""
    keys = keys_in_environment(os.environ)
    if keys is not None:
        return keys
    path = key_file(data_directory)
    return create_keys(path) if _may_be_made(path, "keys add") else keys_in_file(path)


def find_log_keys(data_directory: Path, origin: str | None = None) -> SignerRing:
    """The keys of the log, from the same places; for the embedded Postgres, missing keys are made.

    Without an origin the log has the name that its key file says.
    """
    keys = log_keys_in_environment(os.environ, origin)
    if keys is not None:
        return keys
    path = log_key_file(data_directory)
    return create_log_keys(path, origin) if _may_be_made(path, "keys add --log") else log_keys_in_file(path, origin)


def key_file(data_directory: Path) -> Path:
    """The file of the keys, if they are not in the environment."""
    return data_directory / "keys"


def log_key_file(data_directory: Path) -> Path:
    """The file of the log's keys, if they are not in the environment."""
    return data_directory / "log-keys"


def _may_be_made(path: Path, command: str) -> bool:
    """Whether a missing key file may be made. Beside a database of others it may not: that store has keys already."""
    if not os.environ.get(DATABASE_VARIABLE):
        return True
    if not path.exists():
        raise KeysMissing(path=path, command=command)
    return False


def _lanes_of_new(processes: int = 1) -> int:
    if processes == 1 and not os.environ.get(DATABASE_VARIABLE):
        return LANES_EMBEDDED
    # The number stays for ever, so there are some for processes that are added later.
    return max(LANES_DEFAULT, processes)


async def migrate_database(url: str, lanes: int | None = None) -> list[str]:
    """Migrate a database; returns the names of the migrations that ran."""
    async with _connected(url) as connection:
        return await migrate(connection, lanes, lanes_of_new=_lanes_of_new())


async def lanes_of_database(url: str, role: str) -> int:
    """The number of lanes of a store; refused if it is not migrated, or if this login may not act as the role."""
    async with _connected(url) as connection:
        await check_migrated(connection)
        await act_as(connection, role)
        return await lanes_of_store(connection)


@contextmanager
def database_told() -> Iterator[None]:
    """Turn errors of the database inside the block into sentences for the command line."""
    try:
        yield
    except DATABASE_ERRORS as error:
        raise CommandFailed(database_problem(error)) from None


def database_problem(error: Exception) -> str:
    """The sentence for an error of the database. It never shows a part of the address."""
    if isinstance(error, StoreFailed | EmbeddedPostgresFailed | AddressRefused):
        return str(error)
    return f"the database can't be used: {_reason(error)}"


def _reason(error: Exception) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return "its certificate is not one of an authority that PGSSLROOTCERT names, or is for another host"
        case ssl.SSLError():
            return "no encrypted connection can be made with it"
        case ValueError() | OverflowError():
            return MALFORMED
        case asyncpg.InvalidAuthorizationSpecificationError():
            return "it refuses the user or the password"
        case asyncpg.InvalidCatalogNameError():
            return "there is no database of that name on its server"
        case asyncpg.PostgresConnectionError() | asyncpg.InterfaceError() | asyncpg.InternalClientError():
            return _NO_ANSWER
        case asyncpg.PostgresError():
            # The lines after the first are details and hints, which may quote what was sent.
            return str(error).partition("\n")[0]
        case TimeoutError():
            return f"it gives no answer within {CONNECT_SECONDS_MAX:g} seconds"
        case OSError(errno=int(number)) if number > 0:
            # Python's own sentence would show the address.
            return os.strerror(number)
        case OSError():
            return error.strerror or _NO_ANSWER
        case _:
            return type(error).__name__


@asynccontextmanager
async def _connected(url: str) -> AsyncIterator["asyncpg.Connection[Any]"]:
    try:
        connection = await asyncpg.connect(url, timeout=CONNECT_SECONDS_MAX)
    except ssl.SSLError:  # One about a certificate counts as a ValueError too.
        raise
    except (ValueError, OverflowError):
        # The text of this error may quote a part of the password.
        raise AddressRefused from None
    try:
        yield connection
    finally:
        await connection.close(timeout=CONNECT_SECONDS_MAX)
