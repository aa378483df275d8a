"""What a player may have at the same time: tables, practice games and running games with bots."""

import asyncio
from typing import Any

import pytest

from services.app.settings import Settings
from services.tables.allowance import Limits
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import Player, Server, Told, on_server, server

LIMITED = Settings(
    sweep_seconds=0.05,
    grace_seconds=1.0,
    bot_seconds=60.0,
    limits=Limits(tables=5, practice_games=2, bot_games=2),
)


async def created(player: Player, request_id: str) -> str:
    """The id of a new table, or why there is none."""
    try:
        return str((await player.ask("CreateGame", rulebook="single-hand", request_id=request_id)).game.view.game_id)
    except Told as told:
        return told.reason


async def ended(players: list[Player], game_id: str) -> None:
    """Play a game of two to its end: one of them gives up."""
    await players[0].ask("StartGame", game_id=game_id, opener=0)
    await players[1].ask("Forfeit", game_id=game_id)


def test_a_player_has_so_many_tables_at_the_same_time_and_no_more_however_fast_they_are_asked_for() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        asked = await asyncio.gather(*(created(ann, f"request-{number}") for number in range(20)))
        tables = [answer for answer in asked if answer != "TOO_MANY_TABLES"]
        assert len(tables) == 5
        with pytest.raises(Told, match="RESOURCE_EXHAUSTED TOO_MANY_TABLES: A player may have 5 tables") as told:
            await ann.ask("CreateGame", rulebook="single-hand")
        again = await created(ann, f"request-{asked.index(tables[0])}")
        await bob.ask("JoinGame", game_id=tables[0])
        await ended([ann, bob], tables[0])

        assert told.value.metadata["limit"] == "5"
        assert again == tables[0]
        assert await created(bob, "bob") not in {"TOO_MANY_TABLES", *tables}
        assert await created(ann, "after") not in {"TOO_MANY_TABLES", *tables}
        assert await created(ann, "one-more") == "TOO_MANY_TABLES"

    on_server(story, LIMITED)


def test_the_limit_holds_after_a_restart_and_in_another_process() -> None:
    url = new_database(lanes=2)

    async def story() -> None:
        async with server(url, LIMITED) as first:
            ann = await first.player()
            tables = [await created(ann, f"first-{number}") for number in range(3)]
            await ann.ask("ListGames")  # It waits until the list has them.
            async with server(url, LIMITED) as second:
                there = Player(second.channel, ann.token)
                tables += [await created(there, f"second-{number}") for number in range(3)]
        async with server(url, LIMITED) as third:
            tables.append(await created(Player(third.channel, ann.token), "third"))
        assert [answer == "TOO_MANY_TABLES" for answer in tables] == [False] * 5 + [True] * 2

    asyncio.run(story())


def test_a_player_has_so_many_running_games_with_bots_and_tables_with_bots_that_wait_do_not_count() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        tables = [await server.table([ann]) for _ in range(3)]
        for game_id in tables:
            await ann.ask("AddBot", game_id=game_id)
        for game_id in tables[:2]:
            await ann.ask("StartGame", game_id=game_id, opener=0, request_id=f"start-{game_id}")
        with pytest.raises(Told, match="RESOURCE_EXHAUSTED TOO_MANY_BOT_GAMES: A player may have 2 running games"):
            await ann.ask("StartGame", game_id=tables[2], opener=0)
        people = await server.table([ann, bob])
        await ann.ask("StartGame", game_id=people, opener=0)
        repeated = await ann.ask("StartGame", game_id=tables[0], opener=0, request_id=f"start-{tables[0]}")
        await ann.ask("Forfeit", game_id=tables[0])
        await ann.ask("StartGame", game_id=tables[2], opener=0)

        assert repeated.result.repeated_answer

    on_server(story, LIMITED)


def test_a_player_has_so_many_practice_games() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob])
        await ann.ask("Forfeit", game_id=game_id)

        async def forked(player: Player, request_id: str) -> Any:
            return await player.ask("ForkGame", game_id=game_id, version=9, seat=0, request_id=request_id)

        forks = [(await forked(ann, f"fork-{number}")).game.view.game_id for number in range(2)]
        with pytest.raises(
            Told, match="RESOURCE_EXHAUSTED TOO_MANY_PRACTICE_GAMES: A player may have 2 practice games"
        ):
            await forked(ann, "fork-2")
        assert (await forked(ann, "fork-0")).game.view.game_id == forks[0]
        assert (await forked(bob, "fork-0")).game.view.game_id not in forks
        await ann.ask("Forfeit", game_id=forks[0])
        assert (await forked(ann, "fork-3")).game.view.game_id not in forks

    on_server(story, LIMITED)
