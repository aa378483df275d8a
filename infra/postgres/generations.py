"""Read models in the database: each generation of a model has its own tables, and one generation answers readers.

A model with a version that is new to the database gets its first generation at once. A later generation is built beside
the one that answers, and replaces it when it has caught up: one transaction switches the views that readers use and notes
the change, so that there is no moment without answers.
"""

from contextlib import suppress
from importlib.resources import files
from typing import NamedTuple

import asyncpg

from domain.values import Value
from infra.postgres.connections import Connection
from infra.postgres.queries import query

_SHORT_LOCKS = "SET LOCAL lock_timeout = '300ms'"


class Model(Value, frozen=True):
    """A read model of this program."""

    name: str
    version: int

    @property
    def views(self) -> str:
        """The schema with the views that readers use."""
        return f"{self.name}_v{self.version}"

    def definition(self, schema: str) -> str:
        """The SQL that makes the tables of a generation."""
        sql = (files("infra.postgres") / "sql" / "models" / f"{self.views}.sql").read_text(encoding="utf-8")
        return sql.replace("{schema}", schema)


class Generation(NamedTuple):
    """One set of a model's tables."""

    name: str
    version: int
    number: int

    @property
    def schema(self) -> str:
        """The schema that its tables are in."""
        return f"{self.name}_v{self.version}_g{self.number}"


def known_models() -> list[Model]:
    """All models of this program, each in its newest version."""
    found = sorted(entry.name for entry in (files("infra.postgres") / "sql" / "models").iterdir())
    parts = [name.removesuffix(".sql").rpartition("_v") for name in found if name.endswith(".sql")]
    return [
        Model(name, version) for name, version in sorted({name: int(version) for name, _, version in parts}.items())
    ]


async def ensure_models(connection: Connection, lanes: int) -> None:
    """Give every model that is new to the database a first generation. The caller must hold a transaction."""
    known = {(row["name"], row["version"]) for row in await connection.fetch(query("list_generations"))}
    for model in known_models():
        if (model.name, model.version) not in known:
            generation = await begin_generation(connection, model, lanes, state="live")
            await _turn_views(connection, model, generation)


async def begin_generation(connection: Connection, model: Model, lanes: int, state: str = "building") -> Generation:
    """Make the tables of another generation. The caller must hold a transaction."""
    number = int(await connection.fetchval(query("next_generation"), model.name, model.version))
    generation = Generation(model.name, model.version, number)
    await connection.execute(f"CREATE SCHEMA {generation.schema}")
    await connection.execute(model.definition(generation.schema))
    await connection.execute(_grants(generation.schema, "SELECT, INSERT, UPDATE, DELETE"))
    await connection.execute(query("add_generation"), *generation, state)
    await connection.execute(query("add_positions"), *generation, lanes)
    return generation


async def generation_of(connection: Connection, model: Model, state: str) -> Generation | None:
    """The generation of a model in a state; its row is locked until the transaction ends."""
    number = await connection.fetchval(query("find_generation"), model.name, model.version, state)
    return None if number is None else Generation(model.name, model.version, int(number))


async def switch(connection: Connection, model: Model, built: Generation) -> None:
    """Make a generation answer in the place of the current one. The caller must hold a transaction.

    It fails with a lock timeout if a reader takes long, because waiting for that reader would make all others wait too.
    """
    await connection.execute(_SHORT_LOCKS)
    live = await generation_of(connection, model, "live")
    if live is not None:
        await connection.execute(query("retire"), *live)
    await connection.execute(query("make_live"), *built)
    await _turn_views(connection, model, built)


async def drop_retired(connection: Connection, model: Model) -> None:
    """Drop the generations that answer no more, unless a reader still uses them."""
    for row in await connection.fetch(query("list_retired"), model.name, model.version):
        with suppress(asyncpg.LockNotAvailableError):
            async with connection.transaction():
                await connection.execute(_SHORT_LOCKS)
                await drop_generation(connection, Generation(model.name, model.version, row["generation"]))


async def drop_generation(connection: Connection, generation: Generation) -> None:
    """Drop the tables of a generation that does not answer. The caller must hold a transaction."""
    await connection.execute(query("drop_generation"), *generation)
    await connection.execute(f"DROP SCHEMA {generation.schema} CASCADE")


async def _turn_views(connection: Connection, model: Model, generation: Generation) -> None:
    await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {model.views}")
    for row in await connection.fetch(query("tables_of_schema"), generation.schema):
        table = row["tablename"]
        sql = f"CREATE OR REPLACE VIEW {model.views}.{table} AS SELECT * FROM {generation.schema}.{table}"  # noqa: S608
        await connection.execute(sql)
    await connection.execute(_grants(model.views, "SELECT"))


def _grants(schema: str, of_projector: str) -> str:
    return (
        f"GRANT USAGE ON SCHEMA {schema} TO liarsdice_appender, liarsdice_projector, liarsdice_reader;"
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO liarsdice_appender, liarsdice_reader;"
        f"GRANT {of_projector} ON ALL TABLES IN SCHEMA {schema} TO liarsdice_projector;"
    )
