"""Append-only for real: by privilege for every role, and by trigger even for the owner."""

import asyncpg
import pytest

from infra.postgres.migrating import Connection
from tests.infra.postgres.databases import new_database, on_connection

CHANGES = [
    "UPDATE lane_0.{table} SET {column} = 'x'",
    "DELETE FROM lane_0.{table}",
    "TRUNCATE lane_0.{table}",
]
TABLES = [("stored_events", "topic"), ("requests", "request_id")]


@pytest.fixture(scope="module")
def url() -> str:
    made = new_database(lanes=1)

    async def fill(connection: Connection) -> None:
        await connection.execute("INSERT INTO lane_0.stored_events VALUES ('game', 1, 'topic', 'state', 1)")
        await connection.execute("INSERT INTO lane_0.requests VALUES ('request', 1, 1)")
        await connection.execute("UPDATE lane_0.head SET position = 1")

    on_connection(made, fill)
    return made


@pytest.mark.parametrize("role", ["liarsdice_appender", "liarsdice_projector", "liarsdice_reader", None])
@pytest.mark.parametrize(("table", "column"), TABLES)
@pytest.mark.parametrize("change", CHANGES)
def test_nobody_changes_what_was_appended(url: str, change: str, table: str, column: str, role: str | None) -> None:
    async def attempt(connection: Connection) -> None:
        if role is not None:
            await connection.execute(f"SET ROLE {role}")
        await connection.execute(change.format(table=table, column=column))

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        on_connection(url, attempt)

    counted = on_connection(url, lambda connection: connection.fetchval(f"SELECT count(*) FROM lane_0.{table}"))  # noqa: S608 - our table
    assert counted == 1


@pytest.mark.parametrize(("table", "column"), TABLES)
@pytest.mark.parametrize("change", CHANGES)
def test_a_session_that_says_it_only_replicates_changes_nothing_either(
    url: str, change: str, table: str, column: str
) -> None:
    async def attempt(connection: Connection) -> None:
        await connection.execute("SET session_replication_role = replica")
        await connection.execute(change.format(table=table, column=column))

    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="append-only"):
        on_connection(url, attempt)


@pytest.mark.parametrize("role", ["liarsdice_appender", None])
@pytest.mark.parametrize(
    "statement", ["UPDATE lane_0.head SET position = 0", "DELETE FROM lane_0.head", "TRUNCATE lane_0.head"]
)
@pytest.mark.parametrize("replicating", [True, False])
def test_the_position_of_a_lane_never_goes_back(
    url: str, statement: str, role: str | None, *, replicating: bool
) -> None:
    async def attempt(connection: Connection) -> None:
        if replicating:
            await connection.execute("SET session_replication_role = replica")
        if role is not None:
            await connection.execute(f"SET ROLE {role}")
        await connection.execute(statement)

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        on_connection(url, attempt)

    assert on_connection(url, lambda connection: connection.fetchval("SELECT position FROM lane_0.head")) == 1


OF_THE_LOG = ["log_leaves", "log_nodes", "checkpoints", "log_openings", "log_keys"]


@pytest.mark.parametrize("role", ["liarsdice_appender", "liarsdice_projector", "liarsdice_reader", None])
@pytest.mark.parametrize("table", OF_THE_LOG)
@pytest.mark.parametrize("change", ["UPDATE liarsdice.{0} SET {1} = {1}", "DELETE FROM liarsdice.{0}"])
def test_nobody_changes_what_was_logged(url: str, change: str, table: str, role: str | None) -> None:
    """The owner is stopped by a trigger, which fires whether there are rows or not."""
    column = {"log_openings": "leaf", "log_keys": "vkey", "checkpoints": "size"}.get(table, "index")

    async def attempt(connection: Connection) -> None:
        if role is not None:
            await connection.execute(f"SET ROLE {role}")
        else:
            await connection.execute("SET session_replication_role = replica")
        await connection.execute(change.format(table, column))

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        on_connection(url, attempt)


@pytest.mark.parametrize("role", ["liarsdice_appender", "liarsdice_reader"])
@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO liarsdice.log_openings VALUES (0, '{}', '{}')",
        "INSERT INTO liarsdice.log_keys (vkey) VALUES ('key')",
    ],
)
def test_only_who_keeps_the_log_lays_something_open(url: str, role: str, statement: str) -> None:
    async def attempt(connection: Connection) -> None:
        await connection.execute(f"SET ROLE {role}")
        await connection.execute(statement)

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        on_connection(url, attempt)


@pytest.mark.parametrize("role", ["liarsdice_projector", "liarsdice_reader"])
@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO lane_0.stored_events VALUES ('game', 2, 'topic', 'state', 2)",
        "UPDATE lane_0.head SET position = 99",
        "SELECT lane_0.append('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')",
    ],
)
def test_only_the_appender_appends(url: str, role: str, statement: str) -> None:
    async def attempt(connection: Connection) -> None:
        await connection.execute(f"SET ROLE {role}")
        await connection.execute(statement)

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        on_connection(url, attempt)


def test_a_reader_reads_and_a_projector_notes_how_far_it_got(url: str) -> None:
    async def work(connection: Connection) -> int:
        await connection.execute("SET ROLE liarsdice_projector")
        await connection.execute("INSERT INTO lane_0.notification_tracking VALUES ('records', 1)")
        await connection.execute("UPDATE lane_0.notification_tracking SET notification_id = 2")
        await connection.execute("RESET ROLE; SET ROLE liarsdice_reader")
        return int(await connection.fetchval("SELECT notification_id FROM lane_0.notification_tracking"))

    assert on_connection(url, work) == 2
