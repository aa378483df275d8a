"""The turn clock: when a player's time is up, the server moves, even after a time without any server."""

import asyncio
import time
from typing import Any

import asyncpg
import pytest
from liarsdice.v1 import game_pb2

from services.app.settings import Settings
from services.tables.lobby import Lobby, Unattended
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import Player, Server, Told, on_server, server

EXPECTED = {
    game_pb2.ON_TIMEOUT_FORFEIT: "cups_lifted",
    game_pb2.ON_TIMEOUT_CHALLENGE: "bid_challenged",
    game_pb2.ON_TIMEOUT_LOWEST_BID: "bid_placed",
}


def stopped_clock(server: Server) -> list[int]:
    """The time of a server in milliseconds, which only the test moves on: a slow machine makes nobody late."""
    clock = [time.time_ns() // 1_000_000]
    server.running.host.now = lambda: clock[0]
    return clock


async def timed_out(player: Player, game_id: str, after: int) -> list[str]:
    """What happened after a version, once a time was up."""
    kinds: list[str] = []
    stream = player.watch(game_id, after_version=after)
    while "turn_timed_out" not in kinds:
        kinds += [event.WhichOneof("event") for event in (await stream.next("update")).events]
    stream.call.cancel()
    return kinds


@pytest.mark.parametrize("on_timeout", EXPECTED)
def test_when_the_time_of_a_turn_is_up_the_game_does_what_was_agreed(on_timeout: Any) -> None:
    async def story(server: Server) -> None:
        clock = stopped_clock(server)
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob], options={"turn_seconds": 1, "on_timeout": on_timeout})
        game = (await ann.ask("GetGame", game_id=game_id)).game
        bid = (await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2)).result
        clock[0] += 1_000

        kinds = await timed_out(bob, game_id, bid.version)

        assert kinds[:2] == ["turn_timed_out", EXPECTED[on_timeout]]
        assert game.due.ToMilliseconds() - game.view.since.ToMilliseconds() == 1_000

    on_server(story, own=True)


def test_a_time_that_was_up_while_no_server_ran_is_up_when_one_runs_again() -> None:
    url = new_database()

    async def story() -> None:
        async with server(url) as first:
            ann, bob = await first.players(2)
            game_id = await first.bidding([ann, bob], options={"turn_seconds": 1})
            version = (await ann.ask("GetGame", game_id=game_id)).game.version
        await asyncio.sleep(1)
        async with server(url) as second:
            assert "player_forfeited" in await timed_out(Player(second.channel, bob.token), game_id, version)

    asyncio.run(story())


def test_a_player_with_a_chain_of_their_own_who_does_not_roll_runs_out_of_time() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.table([ann], options={"turn_seconds": 1})
        await bob.ask("JoinGame", game_id=game_id, anchor=b"a" * 32)
        version = (await ann.ask("StartGame", game_id=game_id)).result.version

        kinds = await timed_out(ann, game_id, version)

        assert kinds[-1] == "game_ended"

    on_server(story)


UNSTARTED = Settings(sweep_seconds=0.05, grace_seconds=1.0, unstarted_seconds=1.0)


def test_a_table_that_nobody_starts_is_abandoned_some_time_after_it_was_last_touched() -> None:
    async def story(server: Server) -> None:
        clock = stopped_clock(server)
        ann, bob = await server.players(2)
        touched, left = await server.table([ann]), await server.table([ann], private=True)
        clock[0] += 600
        await bob.ask("JoinGame", game_id=touched)
        clock[0] += 600
        stream = ann.watch(left, include_game=True)
        game = (await stream.next("update")).game

        assert (game.view.phase, game.view.abandoned) == (game_pb2.PHASE_ENDED, "nobody started it in time")
        assert (await bob.ask("GetGame", game_id=touched)).game.view.phase == game_pb2.PHASE_GATHERING
        with pytest.raises(Told, match="GAME_OVER"):
            await ann.ask("StartGame", game_id=left)
        clock[0] += 600
        gone = await ann.sees(touched, lambda game: game.view.phase == game_pb2.PHASE_ENDED)
        assert gone.version == 4

    on_server(story, UNSTARTED)


def test_a_table_is_abandoned_also_if_no_server_ran_when_it_was_time_and_never_once_it_has_begun() -> None:
    url = new_database()

    async def story() -> None:
        async with server(url, UNSTARTED) as first:
            ann, bob = await first.players(2)
            left, begun = await first.table([ann]), await first.bidding([ann, bob])
            await ann.ask("ListGames")
        await asyncio.sleep(1)
        async with server(url, UNSTARTED) as second:
            ann = Player(second.channel, ann.token)
            await ann.sees(left, lambda game: game.view.phase == game_pb2.PHASE_ENDED)
            assert (await ann.ask("GetGame", game_id=begun)).game.view.phase == game_pb2.PHASE_BIDDING

    asyncio.run(story())


def test_the_clock_goes_on_after_the_database_was_away(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    async def away_at_first(lobby: Lobby, now: int, limit: int) -> list[Unattended]:
        nonlocal asked
        asked += 1
        if asked <= 2:
            raise asyncpg.ConnectionDoesNotExistError
        return await unattended(lobby, now, limit)

    unattended = Lobby.unattended
    monkeypatch.setattr(Lobby, "unattended", away_at_first)

    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob], options={"turn_seconds": 1})
        version = (await ann.ask("GetGame", game_id=game_id)).game.version
        assert "player_forfeited" in await timed_out(bob, game_id, version)
        assert asked > 2

    on_server(story, own=True)


def test_a_database_that_is_away_is_told_as_such_and_not_as_a_fault_of_the_server() -> None:
    url = new_database()

    async def story() -> None:
        async with server(url) as running:
            ann = await running.player()
            await ann.ask("ListGames")
            calls = [asyncio.create_task(answered(ann)) for _ in range(20)]
            for _ in range(5):
                await end_connections(url)
            codes = await asyncio.gather(*calls)
            assert {code for of_one in codes for code in of_one} <= {"OK", "UNAVAILABLE"}
            assert (await ann.ask("ListGames")).games == []

    asyncio.run(story())


async def answered(player: Player) -> list[str]:
    """The statuses of some calls that need the database."""
    codes = []
    for method in ("ListGames", "Register", "ListGames", "Register"):
        try:
            await player.ask(method, **({"name": "Bob"} if method == "Register" else {}))
        except Told as told:
            codes.append(told.code.name)
        else:
            codes.append("OK")
    return codes


async def end_connections(url: str) -> None:
    """End all other connections to a database, as a restart would."""
    connection = await asyncpg.connect(url)
    await connection.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    await connection.close()
