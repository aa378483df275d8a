"""Connections to the database: what each may do, how long it may take, and how it commits, whatever the defaults are."""

from typing import Any, TypeAlias

import asyncpg

from infra.postgres.failures import RoleNotGranted
from infra.postgres.queries import query

CONNECT_SECONDS_MAX = 10.0
READ_SECONDS_MAX = 30.0
APPENDER_NAME = "liarsdice appender"

# What passes if one waits: the connection broke, or the database is starting, stopping, full or away.
PASSING = (
    OSError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # What asyncpg says when the connection breaks while it sends.
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.PostgresSystemError,
    asyncpg.TransactionRollbackError,
)

Connection: TypeAlias = "asyncpg.Connection[Any] | asyncpg.pool.PoolConnectionProxy[Any]"


async def connect(url: str) -> "asyncpg.Connection[Any]":
    """A connection of the login itself."""
    return await asyncpg.connect(url, timeout=CONNECT_SECONDS_MAX, command_timeout=READ_SECONDS_MAX)


async def connect_appender(url: str, *, durable: bool = True) -> Connection:
    """A connection that may append and read, and nothing else, and whose commits are on disk when they are answered.

    Only a test that must lose something asks for one that is not `durable`: the database then decides.
    """
    connection = await asyncpg.connect(
        url, timeout=CONNECT_SECONDS_MAX, server_settings={"application_name": APPENDER_NAME}
    )
    try:
        await act_as(connection, "liarsdice_appender", *settings_to_append(durable=durable))
    except BaseException:
        connection.terminate()
        raise
    return connection


def settings_to_append(*, durable: bool = True) -> tuple[str, ...]:
    """The statements that settle how a connection commits."""
    return (query("settle_appender"), query("settle_durability")) if durable else (query("settle_appender"),)


async def act_as(connection: Connection, role: str, *settings: str) -> None:
    """Give up all other rights, and settle what is to be settled in the same round trip."""
    sql = ";\n".join([query("act_as").replace("{role}", role), *settings])
    try:
        await connection.execute(sql, timeout=CONNECT_SECONDS_MAX)
    except (asyncpg.InsufficientPrivilegeError, asyncpg.InvalidParameterValueError) as error:
        raise RoleNotGranted(role=role, problem=error.args[0]) from None


async def open_pool(
    url: str, role: str, *, size_min: int = 0, size_max: int = 2, derived: bool = False
) -> "asyncpg.Pool[Any]":
    """Connections that may do what a role may, and nothing else.

    Who writes only what is `derived` from events, and how far it has come with them, need not wait for the disk.
    """
    settings = (query("settle_derived"),) if derived else ()
    return await asyncpg.create_pool(
        url,
        min_size=size_min,
        max_size=size_max,
        init=lambda connection: act_as(connection, role, *settings),
        reset=keep_session,
        timeout=CONNECT_SECONDS_MAX,
        command_timeout=READ_SECONDS_MAX,
    )


async def keep_session(_: Connection) -> None:
    """How a pool cleans a connection of ours: not at all, which saves a round trip. We leave nothing behind on it."""
