"""The status of the read models."""

import asyncio
from typing import Any

import asyncpg

from domain.values import Value
from infra.postgres.connections import PASSING
from infra.postgres.lanes import lane_name
from infra.postgres.queries import query
from services.projector.models import MODELS

LOOK_SECONDS_MAX = 3.0
"""How long the query for the status may take."""


class ModelStatus(Value, frozen=True):
    """How far a generation of a model has come in a lane."""

    name: str
    version: int
    generation: int
    state: str
    """`building` before it answers readers, `live` while it does, `retired` after that."""
    lane: int
    position: int
    head: int
    """The last position of the lane."""
    fault: str | None = None
    """The event that it can't process, and why."""

    @property
    def lag(self) -> int:
        """How many events it has not processed yet."""
        return max(0, self.head - self.position)


async def problem_of_models(pool: "asyncpg.Pool[Any]") -> str | None:
    """Why the read models can't be kept up to date; None if all is well."""
    names, versions = [model.name for model in MODELS], [model.version for model in MODELS]
    try:
        async with asyncio.timeout(LOOK_SECONDS_MAX):
            faults = await pool.fetch(query("live_faults"), names, versions)
    except (*PASSING, asyncpg.PostgresError):
        return "the database can't be used"
    for fault in faults:
        return (
            f"the model {fault['name']} has stopped before position {fault['fault_position']} of lane {fault['lane']}"
        )
    return None


async def status_of(pool: "asyncpg.Pool[Any]") -> tuple[ModelStatus, ...]:
    """The position of every generation in every lane."""
    states = {
        (row["name"], row["version"], row["generation"]): row["state"]
        for row in await pool.fetch(query("list_generations"))
    }
    rows = await pool.fetch(query("read_positions"))
    heads = {
        lane: await pool.fetchval(query("read_position", lane_name(lane))) for lane in {row["lane"] for row in rows}
    }
    # Between the two queries a generation may have been added or dropped.
    return tuple(
        ModelStatus(
            *generation,
            states[generation],
            row["lane"],
            row["position"],
            heads[row["lane"]],
            _fault(row),
        )
        for row in rows
        if (generation := (row["name"], row["version"], row["generation"])) in states
    )


def _fault(row: asyncpg.Record) -> str | None:
    if row["fault"] is None:
        return None
    return f"{row['fault']} at position {row['fault_position']}, game {row['fault_game']}"
