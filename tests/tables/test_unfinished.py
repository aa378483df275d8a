"""Games that are not over when a database was restored to an older state."""

import asyncio

from domain.events import DiceDealt
from domain.state import Ended
from infra.events.mapping import EventMapper, EventTranscoder
from infra.postgres.store import EventStore
from services.tables.application import GameApplication
from services.tables.unfinished import abandon_all, unfinished_games
from tests.audit.stored_games import games, store_games
from tests.audit.test_restores import backup
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import Player, server
from tests.servers import KEYS


async def set_up(url: str) -> tuple[str, Player]:
    """A table of two players whose chains the server keeps."""
    async with server(url) as running:
        ann, bob = await running.players(2)
        return await running.table([ann, bob]), ann


async def dealt(url: str, game_id: str, owner: Player) -> DiceDealt:
    """The first dice of a game that is started now."""
    async with server(url) as running:
        ann = Player(running.channel, owner.token)
        await ann.ask("StartGame", game_id=game_id, opener=0)
        await ann.sees(game_id, lambda game: any(seat.hidden_count for seat in game.view.seats))
        events = await running.running.host.games.events(game_id)
        return next(event for event in events if isinstance(event, DiceDealt))


def test_dice_that_fell_before_a_restore_would_fall_again() -> None:
    url = new_database(lanes=2)
    game_id, ann = asyncio.run(set_up(url))
    older = backup(url)

    first, again = (asyncio.run(dealt(database, game_id, ann)) for database in (url, older))

    assert first.hands == again.hands
    assert first.hands is not None


def test_all_games_that_are_not_over_are_abandoned_once() -> None:
    url = new_database(lanes=2)
    game_id, ann = asyncio.run(set_up(url))
    asyncio.run(dealt(url, game_id, ann))
    gathering, _ = asyncio.run(set_up(url))

    async def work() -> None:
        store = await EventStore.open(url)
        try:
            await store_games(store, over := games(3))
            application = GameApplication(store, EventMapper(EventTranscoder(KEYS, must_open=True)))
            before = {one: len(await store.read_stream(one)) for one in over}
            assert {*await unfinished_games(store)} == {game_id, gathering}
            assert [await abandon_all(application, store, "a restore", 0) for _ in range(2)] == [2, 0]
            for one in (game_id, gathering):
                state, _ = await application.load(one)
                assert isinstance(state, Ended)
            assert {one: len(await store.read_stream(one)) for one in over} == before
        finally:
            await store.close()

    asyncio.run(work())
