"""Two servers on one store: each serves its own callers, and what is to be done once is done by one of them."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from liarsdice.v1 import game_pb2

from domain.state import State
from services.app.settings import Settings
from services.tables.orders import ServersOrder
from services.tables.steward import Steward
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import Player, Server, server

SETTINGS = Settings(sweep_seconds=0.05, grace_seconds=1.0, projects=False)
ENDED = game_pb2.PHASE_ENDED


def on_two_servers(story: Callable[[Server, Server], Awaitable[None]]) -> None:
    """A story on two servers that run in one process but know nothing of each other."""

    async def told() -> None:
        async with server(url, SETTINGS) as one, server(url, SETTINGS) as two:
            await story(one, two)

    url = new_database(lanes=2)
    asyncio.run(told())


def on_another(player: Player, other: Server) -> Player:
    """The same player as a caller of another server."""
    return Player(other.channel, player.token, player.player_id)


async def game_of_bots(ann: Player) -> str:
    """A game that only bots play on, up to its end; it has not begun."""
    game_id = str((await ann.ask("CreateGame", rulebook="single-hand", without_seat=True)).game.view.game_id)
    for strategy in ("bluffing", "cautious"):
        await ann.ask("AddBot", game_id=game_id, strategy=strategy)
    return game_id


def test_games_are_set_up_played_listed_and_proven_whichever_server_is_asked() -> None:
    async def story(one: Server, two: Server) -> None:
        anns = [await one.player("Ann"), await two.player("Bob")]
        games = [await game_of_bots(ann) for ann in anns for _ in range(4)]
        for ann, mine in zip(anns, (games[:4], games[4:]), strict=True):
            for game_id in mine:
                await ann.ask("StartGame", game_id=game_id)
        for game_id in games:
            for asked in (one, two):
                await on_another(anns[0], asked).sees(game_id, lambda game: game.view.phase == ENDED)
        for asked in (one, two):
            ann = on_another(anns[0], asked)
            listed = await ann.ask("ListGames", page_size=50)
            assert {table.game_id for table in listed.games if table.phase == ENDED} == set(games)
            assert listed.freshness.complete
            for game_id in games:
                assert (await ann.ask("GetAudit", game_id=game_id)).bundle

    on_two_servers(story)


def test_a_server_sees_at_once_in_its_list_what_it_has_set_up_itself() -> None:
    async def story(one: Server, two: Server) -> None:
        for asked in (one, two):
            ann = await asked.player()
            for _ in range(4):
                game_id = await asked.table([ann])
                listed = await ann.ask("ListGames", mine=True)
                assert game_id in {table.game_id for table in listed.games}

    on_two_servers(story)


def test_the_games_of_a_server_that_ends_go_on_at_the_other() -> None:
    async def told() -> None:
        async with server(url, SETTINGS) as stays:
            async with server(url, SETTINGS) as ends:
                ann = await ends.player()
                games = [await game_of_bots(ann) for _ in range(6)]
                await asyncio.gather(*(ann.ask("StartGame", game_id=game_id) for game_id in games))
            ann = on_another(ann, stays)
            for game_id in games:
                await ann.sees(game_id, lambda game: game.view.phase == ENDED)

    url = new_database(lanes=2)
    asyncio.run(told())


def test_a_move_of_a_bot_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    worked_out: list[tuple[str, int]] = []
    next_order = Steward._next_order  # noqa: SLF001 - where a move is worked out

    async def noted(steward: Steward, game_id: str, state: State, version: int) -> ServersOrder | None:
        worked_out.append((game_id, version))
        return await next_order(steward, game_id, state, version)

    monkeypatch.setattr(Steward, "_next_order", noted)

    async def story(one: Server, two: Server) -> None:
        ann = await one.player()
        games = [await game_of_bots(ann) for _ in range(10)]
        await asyncio.gather(*(ann.ask("StartGame", game_id=game_id) for game_id in games))
        for game_id in games:
            await on_another(ann, two).sees(game_id, lambda game: game.view.phase == ENDED)
        assert len(worked_out) > 200
        assert len(worked_out) - len(set(worked_out)) < len(worked_out) / 50

    on_two_servers(story)


def test_a_clock_runs_out_whichever_server_the_players_are_at() -> None:
    async def story(one: Server, two: Server) -> None:
        for asked in (one, two):
            players = await asked.players(2)
            for _ in range(3):
                game_id = await asked.bidding(players, options={"turn_seconds": 1})
                version = (await players[0].ask("GetGame", game_id=game_id)).game.version
                await players[1].sees(game_id, lambda game, before=version: game.version > before)  # type: ignore[misc]

    on_two_servers(story)
