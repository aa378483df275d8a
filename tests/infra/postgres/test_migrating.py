"""Migrations run forward, once, and by one process at a time."""

import asyncio
from pathlib import Path

import asyncpg
import pytest
from eventsourcing.persistence import StoredEvent

from infra.embedded.postgres import EmbeddedPostgres
from infra.postgres.appended import Appended
from infra.postgres.failures import (
    LanesFixed,
    LanesOutOfRange,
    MigrationNotAllowed,
    RoleNotGranted,
    SchemaTooNew,
    SchemaTooOld,
)
from infra.postgres.migrating import ROLES, Connection, known_migrations, lanes_of_store, migrate
from infra.postgres.store import EventStore
from tests.infra.postgres.databases import empty_database, folder_for_a_server, login, new_database, on_connection


def test_a_new_store_is_made_once_with_the_lanes_asked_for() -> None:
    url = empty_database()

    assert on_connection(url, lambda connection: migrate(connection, 3)) == [step.name for step in known_migrations()]
    assert on_connection(url, migrate) == []
    assert on_connection(url, lanes_of_store) == 3


def test_the_number_of_lanes_cannot_be_changed_later() -> None:
    url = new_database(lanes=2)

    with pytest.raises(LanesFixed, match="created with 2 lanes and can't be changed to 4"):
        on_connection(url, lambda connection: migrate(connection, 4))


@pytest.mark.parametrize("lanes", [0, -1, 65])
def test_a_store_has_a_sensible_number_of_lanes(lanes: int) -> None:
    with pytest.raises(LanesOutOfRange):
        on_connection(empty_database(), lambda connection: migrate(connection, lanes))


def test_processes_that_start_together_migrate_once() -> None:
    url = empty_database()

    async def together() -> list[list[str]]:
        async def one() -> list[str]:
            connection = await asyncpg.connect(url)
            try:
                return await migrate(connection)
            finally:
                await connection.close()

        return await asyncio.gather(*(one() for _ in range(6)))

    ran = asyncio.run(together())

    assert max(ran, key=len) == [step.name for step in known_migrations()]
    assert sum(map(len, ran)) == len(known_migrations())


def test_a_store_of_a_newer_program_is_refused() -> None:
    url = new_database()

    async def from_the_future(connection: Connection) -> None:
        await connection.execute("INSERT INTO liarsdice.migrations (number, name) VALUES (9999, 'later')")

    on_connection(url, from_the_future)

    with pytest.raises(SchemaTooNew, match="version 9999"):
        on_connection(url, migrate)
    with pytest.raises(SchemaTooNew):
        on_connection(url, lanes_of_store)


def test_a_store_that_was_not_migrated_is_refused_with_what_to_do() -> None:
    with pytest.raises(SchemaTooOld, match="run `liarsdice migrate`"):
        on_connection(empty_database(), lanes_of_store)


def test_a_migration_that_fails_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    url = empty_database()
    monkeypatch.setattr("infra.postgres.migrating.Migration.statements", lambda *_: ["SELECT nonsense"])

    with pytest.raises(asyncpg.UndefinedColumnError):
        on_connection(url, migrate)

    monkeypatch.undo()
    assert len(on_connection(url, migrate)) == len(known_migrations())


def test_an_error_of_a_migration_is_told_even_if_the_connection_is_lost_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = empty_database()
    fatal = "SELECT pg_terminate_backend(pg_backend_pid())"
    monkeypatch.setattr("infra.postgres.migrating.Migration.statements", lambda *_: [fatal])

    with pytest.raises(
        (asyncpg.AdminShutdownError, asyncpg.ConnectionDoesNotExistError), match="administrator command"
    ):
        on_connection(url, migrate)


def test_processes_migrate_once_also_where_transactions_see_old_snapshots_by_default() -> None:
    url = empty_database()

    async def together() -> list[list[str]]:
        connections = [await asyncpg.connect(url) for _ in range(4)]
        for connection in connections:
            await connection.execute("SET default_transaction_isolation = 'repeatable read'")
        try:
            return await asyncio.gather(*(migrate(connection) for connection in connections))
        finally:
            for connection in connections:
                await connection.close()

    assert sum(map(len, asyncio.run(together()))) == len(known_migrations())


def test_a_login_that_may_create_roles_migrates_its_own_database_and_works_in_it() -> None:
    """On a server of its own, where nobody has made the roles yet."""
    with folder_for_a_server() as folder, EmbeddedPostgres(Path(folder) / "data") as server:
        url = login("manager", "CREATEROLE", server=server.url)

        assert on_connection(url, migrate) == [step.name for step in known_migrations()]
        assert asyncio.run(_works(url))


def test_a_login_that_was_granted_the_roles_migrates_its_own_database_and_works_in_it() -> None:
    new_database()
    url = login("granted", f"IN ROLE {', '.join(ROLES)}")

    assert on_connection(url, migrate) == [step.name for step in known_migrations()]
    assert asyncio.run(_works(url))


@pytest.mark.parametrize("owns", [True, False])
def test_a_login_that_may_not_migrate_is_told_what_it_needs(*, owns: bool) -> None:
    new_database()
    url = login(f"powerless_{int(owns)}", owns=owns)

    with pytest.raises(MigrationNotAllowed, match=r"permission denied.*granted liarsdice_appender"):
        on_connection(url, migrate)
    with pytest.raises(SchemaTooOld):
        asyncio.run(_works(url))


def test_a_login_that_may_not_act_as_a_role_is_told_which() -> None:
    url = new_database()
    stranger = login("stranger", owns=False, url=url)

    with pytest.raises(RoleNotGranted, match="`GRANT liarsdice_appender TO stranger WITH SET TRUE`"):
        asyncio.run(_works(stranger))


def test_opening_a_store_that_nobody_migrated_says_what_to_do_also_on_a_new_server() -> None:
    with (
        folder_for_a_server() as folder,
        EmbeddedPostgres(Path(folder) / "data") as server,
        pytest.raises(SchemaTooOld, match="run `liarsdice migrate`"),
    ):
        asyncio.run(_works(server.url))


async def _works(url: str) -> bool:
    """Whether events can be appended and read."""
    store = await EventStore.open(url)
    try:
        await store.append([StoredEvent("game", 1, "topic", b"state")], "request")
        return len(await store.read_stream("game")) == 1
    finally:
        await store.close()


async def no_models(_connection: Connection, _lanes: int) -> None:
    """What a program did that knew of no read models."""


def test_a_store_with_events_is_brought_up_to_date_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Made as the second migration left it, with an event and its request, which has no fingerprint."""
    url = empty_database()
    steps = known_migrations()
    monkeypatch.setattr("infra.postgres.migrating.known_migrations", lambda: steps[:2])
    monkeypatch.setattr("infra.postgres.migrating.ensure_models", no_models)
    on_connection(url, lambda connection: migrate(connection, 1))
    monkeypatch.undo()

    async def fill(connection: Connection) -> None:
        await connection.execute("INSERT INTO lane_0.stored_events VALUES ('game', 1, 'topic', 'state', 1)")
        await connection.execute("INSERT INTO lane_0.requests VALUES ('request', 1, 1)")
        await connection.execute("UPDATE lane_0.head SET position = 1")

    async def work() -> None:
        store = await EventStore.open(url)
        again = await store.append([StoredEvent("game", 1, "topic", b"state")], "request", b"fingerprint")
        assert again == Appended("repeated", 1, 1, b"")
        assert (await store.append([StoredEvent("game", 2, "topic", b"state")], "next")).position_first == 2
        await store.close()

    on_connection(url, fill)
    with pytest.raises(SchemaTooOld, match="at version 2"):
        asyncio.run(work())
    assert on_connection(url, migrate) == [step.name for step in steps[2:]]
    asyncio.run(work())
