"""Looking back with the client library: typed answers, and streams that are made again where they broke."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
from msgspec.structs import replace

from domain.evolve import fold
from domain.history.record import encode_record
from domain.history.recording import record_of
from domain.views import view
from services.app.settings import Settings
from services.app.wiring import Serving
from services.client import (
    Client,
    GameFilter,
    Patience,
    Refused,
    ReplayedStep,
    ReplayEnd,
    Replaying,
    ReplayPosition,
    Table,
    Unreachable,
)
from services.verifier import verify
from tests.client.players import play_to_the_end
from tests.client.proxies import Proxy
from tests.infra.postgres.databases import new_database
from tests.servers import SETTINGS, projected, served

Result = TypeVar("Result")
QUICK = Patience(try_seconds=2, total_seconds=1.5, pause_seconds_min=0.01, pause_seconds_max=0.1)


def as_ann(work: Callable[[Client, Serving], Awaitable[Result]], settings: Settings = SETTINGS) -> Result:
    """The result of what Ann does at a server of her own."""
    url = new_database()

    async def working() -> Result:
        async with served(url, settings) as server, Client.connect(server.address, patience=QUICK) as client:
            await client.register("Ann")
            return await work(client, server)

    return asyncio.run(working())


async def played(client: Client, server: Serving, rulebook: str = "single-hand") -> Table:
    """A table at which a whole game was played."""
    table = await client.create(rulebook)
    await table.add_bot("calculating")
    await table.start()
    await play_to_the_end(table, "bluffing", seed=1)
    await projected(server, table.game_id)
    return table


def test_a_game_is_found_and_read_in_every_way() -> None:
    async def look_back(ann: Client, server: Serving) -> None:
        game_id = (await played(ann, server)).game_id
        events = await server.host.games.events(game_id)

        (game,) = [game async for game in ann.past.games(GameFilter(rulebook="single-hand", result="ended"))]
        assert game.game_id == game_id
        assert game.seats[0].name == "Ann"
        assert game.winner == record_of(events).winner
        assert game.places == record_of(events).places
        assert [game async for game in ann.past.games(GameFilter(until=game.created_at))] == []
        record = await ann.past.record(game_id)
        assert record.final
        assert record.json == encode_record(record_of(events))
        told = await ann.past.steps(game_id)
        assert told.final
        assert tuple(step.event for step in told.steps) == events
        assert [one.number for one in told.rounds] == list(range(1, len(told.rounds) + 1))
        version = len(events) // 2
        seen = await ann.past.step(game_id, version, 0)
        assert seen.view == view(fold(events[:version]), 0)
        assert seen.last_version == len(events)
        assert verify(await ann.past.bundle(game_id)).round is None
        assert verify(await ann.past.bundle(game_id, 1)).rounds[0].number == 1
        assert (await ann.past.step(game_id, 0)).view is None
        exported = [one async for one in ann.past.export(GameFilter(since=game.ended_at))]
        assert [record for one in exported for record in one.records] == [record.json]
        assert exported[0].freshness is not None
        assert [one.records async for one in ann.past.export(after=exported[-1].resume_token)] == [()]

    as_ann(look_back)


def test_a_replay_is_read_and_steered() -> None:
    async def steer(ann: Client, server: Serving) -> None:
        game_id = (await played(ann, server)).game_id
        async with ann.past.replay(game_id, "everything", paused=True) as replay:
            last = await last_of(ann, game_id)
            assert await anext(replay) == ReplayPosition(1, last, 1.0, paused=True)
            assert (await step_of(replay)).step.version == 1
            await replay.seek(last - 1)
            assert (await step_of(replay)).step.version == last - 1
            await replay.change_speed(500)
            await replay.resume()
            assert (await step_of(replay)).step.version == last
            assert await anext(replay) == ReplayEnd(last, final=True)
            await replay.pause()
            assert (await anext(replay)) == ReplayPosition(last, last, 500.0, paused=True)
        with pytest.raises(Refused) as refused:
            await anext(ann.past.replay("nothing"))
        assert refused.value.reason == "NO_SUCH_GAME"
        async with ann.past.replay(game_id, paused=True) as replay:
            await step_of(replay)
            await replay.seek(9_999)
            with pytest.raises(Refused) as refused:
                await step_of(replay)
            assert refused.value.reason == "NO_SUCH_STEP"

    as_ann(steer)


async def last_of(client: Client, game_id: str) -> int:
    return (await client.past.step(game_id)).last_version


async def step_of(replay: Replaying) -> ReplayedStep:
    async for told in replay:
        if isinstance(told, ReplayedStep):
            return told
    raise AssertionError("the replay ended")


def test_a_replay_over_a_line_that_is_cut_again_and_again_shows_each_step_once() -> None:
    async def cut(ann: Client, server: Serving) -> tuple[list[int], int]:
        game_id = (await played(ann, server)).game_id
        shown: list[int] = []
        async with (
            Proxy.to(server.address) as proxy,
            Client.connect(proxy.address, ann.token, patience=QUICK) as far,
            far.past.replay(game_id, wait_seconds_max=0.01) as replay,
        ):
            async for told in replay:
                if isinstance(told, ReplayEnd):
                    return shown, await last_of(ann, game_id)
                if isinstance(told, ReplayedStep):
                    shown.append(told.step.version)
                    if told.step.version % 15 == 0:
                        proxy.cut()
        raise AssertionError("the replay did not end")

    shown, last = as_ann(cut)

    assert shown == list(range(1, last + 1))
    assert last > 40


def test_a_replay_of_a_server_that_is_gone_is_given_up_when_patience_ends() -> None:
    async def leave(ann: Client, server: Serving) -> None:
        game_id = (await played(ann, server)).game_id
        async with Proxy.to(server.address) as proxy:
            far = Client.connect(proxy.address, ann.token, patience=replace(QUICK, total_seconds=0.3))
            replay = far.past.replay(game_id, paused=True)
            await step_of(replay)
        async with far:
            with pytest.raises(Unreachable):
                await step_of(replay)

    as_ann(leave)
