"""The steward is fair: a player with many tables of bots keeps nobody else waiting."""

import asyncio
from collections import Counter
from typing import Any

import asyncpg
import pytest
from liarsdice.v1 import game_pb2

from domain.commands import StartGame
from domain.options import Options
from domain.state import Ended
from infra.postgres.queries import query
from services.access.table_events import TableOpened
from services.app.settings import Settings
from services.bots.names import new_bot_id
from services.simulation.memory_table import MemoryTable
from services.tables import steward
from services.tables.application import Executed
from services.tables.bot_pace import BotPace
from services.tables.fair_pool import FairPool
from services.tables.host import GameHost
from services.tables.orders import ServersOrder
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import Player, Server, on_server

TABLES = 260


def test_owners_take_turns_however_much_one_of_them_has_to_do() -> None:
    done: list[str] = []

    async def work(thing: str) -> None:
        await asyncio.sleep(0)
        done.append(thing)

    async def story() -> None:
        pool = FairPool(work, 2)
        for number in range(100):
            pool.put("eve", f"eve {number}")
        for number in range(3):
            pool.put("ann", f"ann {number}")
            pool.put("bob", f"bob {number}")
        while len(done) < 106:  # noqa: ASYNC110 - it is asked at every turn of the loop
            await asyncio.sleep(0)

    asyncio.run(story())
    assert [done.index(f"ann {number}") for number in range(3)] == [3, 6, 9]
    assert [done.index(f"bob {number}") for number in range(3)] == [4, 7, 10]
    assert [thing for thing in done if thing.startswith("eve")] == [f"eve {number}" for number in range(100)]


def test_the_bots_of_one_owner_move_at_their_pace_and_those_of_another_do_not_wait_for_them() -> None:
    now = 100.0
    pace = BotPace(10.0, burst_seconds=1.0, clock=lambda: now)
    waits = [pace.wait_seconds("eve") for _ in range(31)]

    assert waits[:11] == [0.0] * 11
    assert waits[-1] == pytest.approx(2.0)
    assert pace.wait_seconds("ann") == 0.0
    now += 10.0
    assert [pace.wait_seconds("eve") for _ in range(11)] == [0.0] * 11
    assert BotPace(0.0).wait_seconds("eve") == 0.0


async def bots_at_a_table(host: GameHost, owner_id: str, game_id: str) -> None:
    """Begin a game between two bots at a table of an owner who has no seat."""
    bots = [new_bot_id("calculating", game_id, str(seat)) for seat in range(2)]
    opened = TableOpened(
        at=host.now(),
        owner_id=owner_id,
        private=False,
        spectator_delay_seconds=0,
        rematch_of=None,
        seed=None,
        invitation_code=None,
    )
    table = await host.tables.open(game_id, opened, keep_for=bots)
    assert table.opened.seed is not None
    begun = MemoryTable(game_id, "single-hand", Options(), (table.opened.seed, *(table.seeds[bot] for bot in bots)))
    begun.milliseconds = host.now()
    for seat, bot_id in enumerate(bots):
        begun.seat_bot(seat, bot_id, f"Bot {seat}")
    begun.submit(StartGame(at=host.now()))
    await host.games.begin(game_id, tuple(begun.events), "begin")


async def rolled(player: Player, game_id: str) -> Any:
    """The game, once the dice have fallen."""
    return await player.sees(game_id, lambda game: any(seat.hidden_count for seat in game.view.seats))


@pytest.fixture
def moves(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The games in which the server has moved, in this order."""
    made: list[str] = []
    make = GameHost.make

    async def noted(host: GameHost, game_id: str, order: ServersOrder, request_id: str) -> Executed:
        made.append(game_id)
        return await make(host, game_id, order, request_id)

    monkeypatch.setattr(GameHost, "make", noted)
    return made


def test_with_260_tables_of_bots_of_one_player_others_get_their_rolls_bots_and_clocks(moves: list[str]) -> None:
    async def story(server: Server) -> None:
        ann, host = await server.player(), server.running.host
        await asyncio.gather(*(bots_at_a_table(host, "eve", f"eve-{number}") for number in range(TABLES)))
        while len(set(moves)) < TABLES:  # noqa: ASYNC110 - all of them are on
            await asyncio.sleep(0.01)
        game_id = await server.table([ann], options={"turn_seconds": 1})
        await ann.ask("AddBot", game_id=game_id)

        start = len(moves)
        await ann.ask("StartGame", game_id=game_id, opener=0)
        game = await rolled(ann, game_id)
        while_rolling = Counter(moves[start:])
        start = len(moves)
        await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2)
        await ann.sees(game_id, lambda after: after.version > game.version + 1)
        while_the_bot_thought = Counter(moves[start:])
        await ann.sees(game_id, lambda after: after.view.phase == game_pb2.PHASE_ENDED)

        assert while_rolling.pop(game_id) == 2
        assert while_rolling.total() < TABLES / 4
        assert while_the_bot_thought.pop(game_id) == 1
        assert max(while_the_bot_thought.values()) <= 2

    on_server(story, Settings(bot_seconds=0.3, sweep_seconds=0.05, grace_seconds=1.0))


def test_games_that_have_no_room_in_memory_are_found_later_and_played_to_their_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(steward, "_GAMES_OF_OWNER_MAX", 2)
    monkeypatch.setattr(steward, "_FOUND_MAX", 3)

    async def story(server: Server) -> None:
        host, games = server.running.host, [f"eve-{number}" for number in range(6)]
        await asyncio.gather(*(bots_at_a_table(host, "eve", game_id) for game_id in games))
        for game_id in games:
            while not isinstance((await host.games.load(game_id))[0], Ended):  # noqa: ASYNC110 - it is asked
                await asyncio.sleep(0.02)

    on_server(story, own=True)


def test_the_list_of_games_to_look_after_goes_round_the_owners_and_begins_with_clocks() -> None:
    async def found(limit: int) -> list[Counter[str]]:
        connection: Any = await asyncpg.connect(url)
        try:
            rows: list[tuple[str, int, int | None, bool]]
            rows = [("eve", number, None, True) for number in range(300)]
            rows += [("ann", 0, None, True), ("bob", 0, None, True), ("cleo", 0, 5, False), ("cleo", 1, 50, False)]
            for owner_id, number, due_at, to_move in rows:
                content: Any = (1, 0, "single-hand", "bidding", [], [], 2, owner_id, False, None, due_at, to_move, None)
                await connection.execute(query("write_lobby", "lane_0"), f"{owner_id}-{number}", *content)
            looks = [await connection.fetch(query("list_unattended", "lane_0"), 10, limit) for _ in range(20)]
            assert {look[0]["game_id"] for look in looks} == {"cleo-0"}
            assert len({row["game_id"] for look in looks for row in look}) > 50
            return [Counter(row["owner_id"] for row in look) for look in looks]
        finally:
            await connection.close()

    url = new_database(lanes=1)
    for owners in asyncio.run(found(10)):
        assert owners == {"cleo": 1, "ann": 1, "bob": 1, "eve": 7}
