"""Whole games over the client library: what players are told is what the core makes of what was stored."""

import asyncio

import pytest

from domain.events import AnyEvent
from domain.evolve import fold
from domain.fairness.verification import verify
from domain.options import Options
from domain.recording import record_of
from domain.rulebooks import BOOKS
from domain.state import NOTHING
from domain.views import seen_by, view
from services.bots import BOTS
from services.client import Client, Happened, Table
from tests.client.players import play_to_the_end
from tests.infra.postgres.databases import new_database
from tests.servers import served

OPTIONS = {"bidding-track": Options(chips=True), "single-hand": Options(wild_aces=True, dice_each=3)}


async def game_of_three(url: str, rulebook: str) -> tuple[Table, list[tuple[Happened, ...]], tuple[AnyEvent, ...]]:
    """A game of three clients: the first table handle, what each was told, and what is stored."""
    async with served(url) as server:
        clients = [Client.connect(server.address) for _ in BOTS]
        for client, name in zip(clients, BOTS, strict=True):
            await client.register(name.title())
        tables = [await clients[0].create(rulebook, options=OPTIONS.get(rulebook, Options()))]
        tables += [await client.join(tables[0].game_id) for client in clients[1:]]
        async with asyncio.TaskGroup() as group:
            playing = [
                group.create_task(play_to_the_end(table, name, seed))
                for seed, (table, name) in enumerate(zip(tables, BOTS, strict=True))
            ]
            await tables[0].start()
        stored = await server.host.games.events(tables[0].game_id)
        game = await tables[0].game()
        assert game.view == view(fold(stored, NOTHING), 0)
        assert game.version == len(stored)
        for client in clients:
            await client.close()
        return tables[0], [task.result() for task in playing], stored


@pytest.mark.parametrize("rulebook", [book.id for book in BOOKS])
def test_a_whole_game_is_told_to_each_seat_as_the_core_has_it(rulebook: str) -> None:
    _, told, stored = asyncio.run(game_of_three(new_database(), rulebook))

    for seat, events in enumerate(told):
        assert [one.version for one in events] == list(range(1, len(stored) + 1))
        assert [one.event for one in events] == [seen_by(event, seat) for event in stored]
        assert record_of(one.event for one in events) == record_of(stored)
    assert record_of(stored).winner is not None
    assert verify(seen_by(one.event, None) for one in told[0]).holds
