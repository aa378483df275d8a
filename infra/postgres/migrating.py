"""Migrations: numbered SQL files, run forward only, each once, by one process at a time."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from typing import Any, TypeAlias

import asyncpg

from infra.postgres.failures import LanesFixed, LanesOutOfRange, MigrationNotAllowed, SchemaTooNew, SchemaTooOld
from infra.postgres.generations import ensure_models
from infra.postgres.lanes import LANES_DEFAULT, LANES_MAX, lane_name
from infra.postgres.queries import query

ROLES = ("liarsdice_appender", "liarsdice_log", "liarsdice_projector", "liarsdice_reader", "liarsdice_tokens")

_ADVISORY_LOCK = 0x6C69617273646963
_FOR_EACH_LANE = "-- for each lane\n"

Connection: TypeAlias = "asyncpg.Connection[Any] | asyncpg.pool.PoolConnectionProxy[Any]"


class Migration:
    """One numbered step of the schema."""

    def __init__(self, name: str, sql: str) -> None:
        self.number = int(name[:4])
        self.name = name
        self._sql = sql

    def statements(self, lanes: int) -> list[str]:
        """The SQL to run: once, or once for each lane."""
        if not self._sql.startswith(_FOR_EACH_LANE):
            return [self._sql]
        return [self._sql.replace("{lane}", lane_name(lane)) for lane in range(lanes)]


def known_migrations() -> list[Migration]:
    """All migrations of this program, in order."""
    folder = files("infra.postgres") / "sql" / "migrations"
    found = sorted(entry.name for entry in folder.iterdir() if re.fullmatch(r"\d{4}_\w+\.sql", entry.name))
    return [Migration(name, (folder / name).read_text(encoding="utf-8")) for name in found]


async def migrate(connection: Connection, lanes: int | None = None, *, lanes_of_new: int = LANES_DEFAULT) -> list[str]:
    """Bring the database up to date and return the names of the migrations that were run.

    `lanes` is the number of lanes of a new store; without it, a new store gets `lanes_of_new`. An existing store must have
    been created with the same number, if one is given.
    """
    if lanes is not None and not 1 <= lanes <= LANES_MAX:
        raise LanesOutOfRange(wanted=lanes, lanes_max=LANES_MAX)
    try:
        async with _transaction(connection):
            await connection.execute(query("lock_migrations"), _ADVISORY_LOCK)
            return await _migrate(connection, lanes, lanes_of_new)
    except asyncpg.InsufficientPrivilegeError as error:
        raise MigrationNotAllowed(problem=error.args[0], roles=", ".join(ROLES)) from None


async def migrate_if_owned(connection: Connection, *, lanes_of_new: int = LANES_DEFAULT) -> None:
    """Bring the database up to date, unless it has a store of another login, which alone may migrate it."""
    if await connection.fetchval(query("store_is_anothers")):
        return
    await migrate(connection, lanes_of_new=lanes_of_new)


async def check_migrated(connection: Connection) -> None:
    """Refuse a database that nobody ever migrated; any login may check this."""
    if not await connection.fetchval(query("ledger_exists")):
        raise SchemaTooOld(found=0, known=known_migrations()[-1].number)


async def lanes_of_store(connection: Connection) -> int:
    """The number of lanes of a store that is up to date; refuses one that is older or newer than this program."""
    found, known = await _version(connection), known_migrations()[-1].number
    if found < known:
        raise SchemaTooOld(found=found, known=known)
    if found > known:
        raise SchemaTooNew(found=found, known=known)
    return int(await connection.fetchval(query("read_lanes")))


@asynccontextmanager
async def _transaction(connection: Connection) -> AsyncIterator[None]:
    """A transaction that raises its own first error, even if the connection breaks with it.

    It is READ COMMITTED, whatever the database's default is: each statement must see what another process committed
    before.
    """
    transaction = connection.transaction(isolation="read_committed")
    await transaction.start()
    try:
        yield
    except BaseException:
        with suppress(Exception):
            await transaction.rollback()
        raise
    await transaction.commit()


async def _migrate(connection: Connection, lanes: int | None, lanes_of_new: int) -> list[str]:
    known = known_migrations()
    found = await _version(connection)
    if found > known[-1].number:
        raise SchemaTooNew(found=found, known=known[-1].number)
    if found == 0:
        await connection.execute(query("create_ledger"))
    count = await _settled_lanes(connection, lanes) if found else lanes or lanes_of_new
    todo = [migration for migration in known if migration.number > found]
    for migration in todo:
        for statement in migration.statements(count):
            await connection.execute(statement)
        await connection.execute(query("note_migration"), migration.number, migration.name)
    if found == 0:
        await connection.execute(query("fix_lanes"), str(count))
    await ensure_models(connection, count)
    return [migration.name for migration in todo]


async def _settled_lanes(connection: Connection, wanted: int | None) -> int:
    found = int(await connection.fetchval(query("read_lanes")))
    if wanted is not None and wanted != found:
        raise LanesFixed(found=found, wanted=wanted)
    return found


async def _version(connection: Connection) -> int:
    if not await connection.fetchval(query("ledger_exists")):
        return 0
    return int(await connection.fetchval(query("read_schema_version")))
