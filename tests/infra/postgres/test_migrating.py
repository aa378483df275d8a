"""Migrations run forward, once, and by one process at a time."""

import asyncio

import asyncpg
import pytest

from infra.postgres.failures import LanesFixed, LanesOutOfRange, SchemaTooNew, SchemaTooOld
from infra.postgres.migrating import Connection, known_migrations, lanes_of_store, migrate
from tests.infra.postgres.databases import empty_database, new_database, on_connection


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
