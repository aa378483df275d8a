"""Append-only for real: by privilege for every role, and by trigger even for the owner."""

import contextlib

import asyncpg
import pytest

from infra.postgres.migrating import ROLES, Connection
from infra.postgres.queries import query
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


@pytest.mark.parametrize("role", [*ROLES, None])
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


OF_THE_LOG = ["log_leaves", "log_nodes", "checkpoints", "cosigned_checkpoints", "log_openings", "log_keys"]


@pytest.mark.parametrize("role", [*ROLES, None])
@pytest.mark.parametrize("table", OF_THE_LOG)
@pytest.mark.parametrize("change", ["UPDATE liarsdice.{0} SET {1} = {1}", "DELETE FROM liarsdice.{0}"])
def test_nobody_changes_what_was_logged(url: str, change: str, table: str, role: str | None) -> None:
    """The owner is stopped by a trigger, which fires whether there are rows or not."""
    column = {"log_openings": "leaf", "log_keys": "vkey", "checkpoints": "size", "cosigned_checkpoints": "size"}.get(
        table, "index"
    )

    async def attempt(connection: Connection) -> None:
        if role is not None:
            await connection.execute(f"SET ROLE {role}")
        else:
            await connection.execute("SET session_replication_role = replica")
        await connection.execute(change.format(table, column))

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        on_connection(url, attempt)


def others_than(*roles: str) -> list[str]:
    return [role for role in ROLES if role not in roles]


@pytest.mark.parametrize("role", others_than("liarsdice_log"))
@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO liarsdice.log_leaves VALUES (0, 'game', 1, 'game-ended.v1', NULL, '')",
        "INSERT INTO liarsdice.log_nodes VALUES (0, 0, '')",
        "INSERT INTO liarsdice.checkpoints (size, note) VALUES (1, '')",
        "INSERT INTO liarsdice.cosigned_checkpoints (size, note, is_quorum) VALUES (1, '', true)",
        "UPDATE liarsdice.published SET checkpoint = 9",
        "UPDATE liarsdice.witnessing SET needs_quorum = true",
        "UPDATE liarsdice.log_head SET size = 1",
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


@pytest.mark.parametrize("role", others_than("liarsdice_appender"))
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


@pytest.mark.parametrize(
    ("role", "name"), [("liarsdice_projector", "audit log"), ("liarsdice_log", "lobby"), ("liarsdice_log", "records")]
)
def test_the_log_and_the_projector_note_only_their_own_positions(url: str, role: str, name: str) -> None:
    """A position of the log that the projector moves forward would keep rounds out of the log."""

    async def attempt(connection: Connection) -> None:
        await connection.execute("DELETE FROM lane_0.notification_tracking")
        await connection.execute("INSERT INTO lane_0.notification_tracking VALUES ($1, 1)", name)
        await connection.execute(f"SET ROLE {role}")
        moved = await connection.execute("UPDATE lane_0.notification_tracking SET notification_id = 99")
        assert moved == "UPDATE 0"
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(query("track", "lane_0"), name, 99)

    on_connection(url, attempt)


@pytest.mark.parametrize("role", others_than("liarsdice_appender"))
@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO liarsdice.tokens (token_hash, player_id, scopes) VALUES ('x', 'ann', '{admin}')",
        "INSERT INTO liarsdice.players (player_id, name) VALUES ('ben', 'Ben')",
        "UPDATE liarsdice.tokens SET revoked_at = NULL",
        "UPDATE liarsdice.tokens SET scopes = '{admin}'",
    ],
)
def test_a_login_that_looks_up_tokens_makes_none(url: str, role: str, statement: str) -> None:
    async def attempt(connection: Connection) -> None:
        await connection.execute(f"SET ROLE {role}")
        await connection.execute(statement)

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        on_connection(url, attempt)


@pytest.mark.parametrize("role", others_than("liarsdice_appender", "liarsdice_tokens"))
def test_tokens_are_read_only_by_who_must(url: str, role: str) -> None:
    async def attempt(connection: Connection) -> None:
        await connection.execute(f"SET ROLE {role}")
        await connection.fetch(query("find_token"), b"x")

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        on_connection(url, attempt)


@pytest.mark.parametrize("table", ["lane_0.stored_events", "lane_0.lobby", "liarsdice.log_leaves", "games_v1.games"])
def test_the_role_that_looks_up_tokens_reads_nothing_else(url: str, table: str) -> None:
    async def attempt(connection: Connection) -> None:
        await connection.execute("SET ROLE liarsdice_tokens")
        assert await connection.fetch(query("find_token"), b"x") == []
        await connection.fetch(f"SELECT * FROM {table}")  # noqa: S608 - our table

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        on_connection(url, attempt)


@pytest.mark.parametrize("role", ROLES)
def test_settings_stay_as_they_are_but_for_the_keys_that_the_appender_notes(url: str, role: str) -> None:
    async def attempt(connection: Connection) -> None:
        await connection.execute(f"SET ROLE {role}")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute("INSERT INTO liarsdice.settings VALUES ('new', '1')")
        with contextlib.suppress(asyncpg.InsufficientPrivilegeError):
            await connection.execute("UPDATE liarsdice.settings SET value = '99'")
        with contextlib.suppress(asyncpg.InsufficientPrivilegeError):
            await connection.execute(query("note_first_key"), "aa")

    on_connection(url, attempt)
    settings = dict(on_connection(url, lambda connection: connection.fetch("SELECT * FROM liarsdice.settings")))
    assert settings.pop("sealing_key_ids", None) in (None, "aa", "99")
    assert settings == {"lanes": "1", "digests of lane_0 begin after": "0"}
