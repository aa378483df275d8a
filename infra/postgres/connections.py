"""Connections to the database: their rights, their time limits and how they commit, whatever the database's defaults are."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeAlias, cast

import asyncpg

from infra.postgres.failures import RoleNotGranted
from infra.postgres.queries import query

CONNECT_SECONDS_MAX = 10.0
READ_SECONDS_MAX = 30.0
_COMMIT_SECONDS_MAX = 365 * 24 * 3600.0
"""Longer than any standby is away: asyncpg would cancel the commit, and that is what must not be."""
APPENDER_NAME = "liarsdice appender"


class CommitInDoubt(Exception):  # noqa: N818 - it reads as a sentence
    """Postgres has committed with a warning: perhaps somebody has ended the wait for a standby, and no standby has it."""


# Errors that go away with time: the connection broke, or the database is starting, stopping, full or away.
PASSING = (
    OSError,
    CommitInDoubt,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # asyncpg raises this when the connection breaks while it sends.
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.PostgresSystemError,
    asyncpg.TransactionRollbackError,
    asyncpg.LockNotAvailableError,  # Whoever holds the lock waits for a standby.
)

Connection: TypeAlias = "asyncpg.Connection[Any] | asyncpg.pool.PoolConnectionProxy[Any]"


class WatchfulConnection(asyncpg.Connection):
    """A connection that notices when Postgres commits with a warning.

    Postgres shows a commit to others once the named standbys have it. But if the wait is cancelled, it shows the commit at
    once, although no standby has it. The commit then comes back as done, and only a warning tells of it. The words of the warning
    depend on the language of the server, so we doubt a commit with any warning.
    """

    __slots__ = ("_warned",)

    def __init__(self, *given: Any) -> None:
        """As the driver makes it."""
        self._warned = False
        super().__init__(*given)

    def has_warned(self) -> bool:
        """Whether a warning has come since this was asked last."""
        warned, self._warned = self._warned, False
        return warned

    def _process_log_message(self, fields: dict[str, str], last_query: str) -> None:
        self._warned = self._warned or fields.get("V") == "WARNING"
        super()._process_log_message(fields, last_query)  # type: ignore[misc]  # its stubs do not show it


class PatientConnection(WatchfulConnection):
    """A connection each of whose statements may be a commit, so none is ever cancelled.

    Who gives up waiting drops the connection, and Postgres goes on waiting alone. It is not for pools: they can't bear that.
    """

    __slots__ = ()

    def _cancel_current_command(self, *_waiters: object) -> None:
        """Drop the connection where the driver would ask Postgres to cancel; soon, because the driver is in the middle of it."""
        asyncio.get_running_loop().call_soon(self.terminate)


async def connect(url: str, *, patient: bool = False) -> "asyncpg.Connection[Any]":
    """A connection with all rights of the login."""
    kind = PatientConnection if patient else asyncpg.Connection
    return await asyncpg.connect(
        url, timeout=CONNECT_SECONDS_MAX, command_timeout=READ_SECONDS_MAX, connection_class=kind
    )


async def connect_as(url: str, role: str) -> "asyncpg.Connection[Any]":
    """A connection with the rights of a role and no others."""
    connection = await connect(url)
    try:
        await act_as(connection, role)
    except BaseException:
        connection.terminate()
        raise
    return connection


async def connect_appender(url: str, *, durable: bool = True) -> Connection:
    """A connection that may only append and read; when it returns from a commit, the data is on the disk.

    Only a test that must lose data asks for one that is not `durable`; then the database's own setting counts.
    """
    connection = await asyncpg.connect(
        url,
        timeout=CONNECT_SECONDS_MAX,
        server_settings={"application_name": APPENDER_NAME},
        connection_class=PatientConnection,
    )
    try:
        await act_as(connection, "liarsdice_appender", *settings_to_append(durable=durable))
    except BaseException:
        connection.terminate()
        raise
    return connection


def settings_to_append(*, durable: bool = True) -> tuple[str, ...]:
    """The statements that set how a connection commits."""
    return (query("settle_appender"), query("settle_durability")) if durable else (query("settle_appender"),)


async def act_as(connection: Connection, role: str, *settings: str) -> None:
    """Give up all rights but those of a role, and run some settings in the same round trip."""
    sql = ";\n".join([query("act_as").replace("{role}", role), *settings])
    try:
        await connection.execute(sql, timeout=CONNECT_SECONDS_MAX)
    except (asyncpg.InsufficientPrivilegeError, asyncpg.InvalidParameterValueError) as error:
        login = await connection.fetchval(query("name_of_login"), timeout=CONNECT_SECONDS_MAX)
        raise RoleNotGranted(role=role, login=login, problem=error.args[0]) from None


async def open_pool(
    url: str, role: str, *, size_min: int = 0, size_max: int = 2, derived: bool = False, durable: bool = False
) -> "asyncpg.Pool[Any]":
    """A pool of connections that have the rights of a role and no others.

    With `derived` a commit does not wait for the disk. That is for data which can be computed from the events again, and is
    written together with how far it has followed them. With `durable` it waits for all that the operator asked for, whatever the
    defaults of the database are.
    """
    settings = ((query("settle_derived"),) if derived else ()) + ((query("settle_durability"),) if durable else ())
    return await asyncpg.create_pool(
        url,
        min_size=size_min,
        max_size=size_max,
        connection_class=WatchfulConnection if durable else asyncpg.Connection,
        init=lambda connection: act_as(connection, role, *settings),
        reset=keep_session,
        timeout=CONNECT_SECONDS_MAX,
        command_timeout=READ_SECONDS_MAX,
    )


@asynccontextmanager
async def durable_transaction(connection: Connection) -> AsyncIterator[None]:
    """A transaction whose commit nobody cuts short; it ends well only if the commit is as durable as the operator asked."""
    await connection.execute("BEGIN")
    try:
        yield
    except BaseException:
        await connection.execute("ROLLBACK")
        raise
    committing = asyncio.ensure_future(connection.execute("COMMIT", timeout=_COMMIT_SECONDS_MAX))
    try:
        await asyncio.shield(committing)
    except BaseException:
        # Drop the connection and let Postgres wait alone: to cancel the wait would show the commit.
        connection.terminate()
        with suppress(BaseException):
            await committing
        raise
    check_undoubted(connection)


def check_undoubted(connection: Connection) -> None:
    """Raise `CommitInDoubt` unless what a `WatchfulConnection` has committed just now is as durable as the operator asked."""
    watchful = cast(WatchfulConnection, connection)  # Or a pool's proxy of one.
    if watchful.has_warned():
        raise CommitInDoubt


async def keep_session(_: Connection) -> None:
    """Do not reset a connection that returns to its pool: we leave nothing behind on it, and this saves a round trip."""


def is_refusal(error: Exception) -> bool:
    """Whether the database or its driver says that it can't store this as it is."""
    if isinstance(error, ValueError):  # The driver can't send a value; asyncpg counts this among the `PASSING` errors.
        return True
    return isinstance(error, asyncpg.PostgresError) and not isinstance(error, PASSING)
