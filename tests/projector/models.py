"""Stores with games in them, and their read models, for tests."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from random import Random
from typing import Any, TypeVar

import asyncpg

from infra.events.mapping import EventMapper, EventTranscoder, GameEvent
from infra.postgres.connections import open_pool
from infra.postgres.generations import Generation
from infra.postgres.queries import query
from infra.postgres.store import EventStore
from services.access.table_events import TABLE_TOPICS, TableOpened, table_stream
from services.clubs.club_events import (
    CLUB_TOPICS,
    AnyClubEvent,
    ClubFounded,
    MemberJoined,
    MemberLeft,
    club_stream,
)
from services.projector.models import PROJECTIONS
from services.projector.projection import Projection
from services.projector.projector import Projector
from tests.audit.stored_games import games, store_games
from tests.servers import KEYS

Result = TypeVar("Result")
_CLUBS = EventMapper(EventTranscoder(KEYS, must_open=True, topics=CLUB_TOPICS))
_TABLES = EventMapper(EventTranscoder(KEYS, must_open=True, topics=TABLE_TOPICS))


class Models:
    """A store and what is projected from it."""

    def __init__(self, url: str, store: EventStore, pool: "asyncpg.Pool[Any]") -> None:
        self.url, self.store, self.pool = url, store, pool

    def projector(self, projections: Sequence[Projection] = PROJECTIONS, **settings: Any) -> Projector:
        """A projector that works only when the test asks it to."""
        return Projector(self.pool, projections, self.store.lanes, **settings)

    async def caught_up(self, projector: Projector | None = None) -> None:
        """Let the models take in everything."""
        for lane in range(self.store.lanes):
            await (projector or self.projector()).catch_up(lane)

    async def live(self, name: str) -> Generation:
        """The generation of a model that answers."""
        found = [Generation(*row) for row in await self.pool.fetch(query("live_generations"))]
        return next(generation for generation in found if generation.name == name)

    async def rows(self, generation: Generation) -> dict[str, list[tuple[Any, ...]]]:
        """All rows of a generation, in a fixed order."""
        tables = await self.pool.fetch(query("tables_of_schema"), generation.schema)
        found = {}
        for table in [row["tablename"] for row in tables]:
            rows = await self.pool.fetch(f"SELECT * FROM {generation.schema}.{table}")  # noqa: S608 - a name of ours
            found[table] = sorted((tuple(row) for row in rows), key=repr)
        return found


def on_models(url: str, work: Callable[[Models], Awaitable[Result]], seconds_max: float = 120.0) -> Result:
    """The result of some work on a store and its models."""

    async def worked() -> Result:
        store = await EventStore.open(url)
        pool = await open_pool(url, "liarsdice_projector", size_max=4)
        try:
            async with asyncio.timeout(seconds_max):
                return await work(Models(url, store, pool))
        finally:
            pool.terminate()
            await store.close()

    return asyncio.run(worked())


async def play_into(models: Models, count: int, seed: int = 1) -> None:
    """Store whole games, mixed with each other, and for some of them how their tables were set up."""
    chance = Random(seed)
    played = games(count, seed)
    for game_id in list(played)[::2]:
        await open_table(models.store, game_id, private=chance.random() < 0.3)
    await store_games(models.store, played, chance)
    await found_club(models.store, f"club-{seed}")


async def open_table(store: EventStore, game_id: str, *, private: bool = False, delay_seconds: int = 0) -> None:
    """Store how the table of a game was set up."""
    opened = TableOpened(
        owner_id="owner",
        private=private,
        spectator_delay_seconds=delay_seconds,
        rematch_of=None,
        seed=b"s" * 32,
        invitation_code="code" if private else None,
    )
    stored = _TABLES.to_stored_event(GameEvent(table_stream(game_id), 1, opened))  # type: ignore[arg-type]
    await store.append([stored], f"open {game_id}")


async def found_club(store: EventStore, club_id: str) -> None:
    """Store a club with two members, one of whom has left it; each event comes with a request of its own."""
    club: tuple[AnyClubEvent, ...] = (
        ClubFounded(name="Club", organiser_id="ann", time_zone="UTC", counts_bots=False, code="code"),
        MemberJoined(player_id="ann", name="Ann"),
        MemberJoined(player_id="bob", name="Bob"),
        MemberLeft(player_id="bob"),
    )
    for version, event in enumerate(club, 1):
        stored = _CLUBS.to_stored_event(GameEvent(club_stream(club_id), version, event))  # type: ignore[arg-type]
        await store.append([stored], f"{club_id} {version}")
