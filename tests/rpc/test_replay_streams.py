"""Timed replays, and how a caller steers them."""

import asyncio
from typing import Any

import pytest

from services.app.settings import Settings
from tests.rpc.servers import Player, Server, Told, on_server

QUICK = Settings(sweep_seconds=0.05, grace_seconds=1.0, heartbeat_seconds=0.05)
NOW = 1_900_000_000_000
GAP = 10_000
"""So many milliseconds lie between two bids."""


async def bids_apart(server: Server, bids: int = 4) -> tuple[str, list[Player], int]:
    """A game that goes on, in which the bids were made slowly, and the step of the first of them."""
    ann, bob = await server.players(2)
    now = NOW
    server.running.host.now = lambda: now
    game_id = await server.bidding([ann, bob])
    first = (await ann.ask("GetGame", game_id=game_id)).game.version + 1
    for number in range(bids):
        now += GAP
        await (ann, bob)[number % 2].ask("PlaceBid", game_id=game_id, quantity=number + 1, face=2)
    return game_id, [ann, bob], first


async def steps_in_time(player: Player, game_id: str, count: int, **opening: Any) -> tuple[list[int], list[float]]:
    """Which steps come first, and how long after the replay was asked for."""
    clock = asyncio.get_running_loop().time
    began, versions, times = clock(), [], []
    stream = await player.replay(game_id, **opening)
    for _ in range(count):
        versions.append((await stream.next("step")).step.version)
        times.append(clock() - began)
    end = await stream.next("end")
    assert end.version == versions[-1]
    assert not end.final
    return versions, times


def test_steps_come_as_far_apart_as_they_were_divided_by_the_speed() -> None:
    async def story(server: Server) -> None:
        game_id, (ann, _), first = await bids_apart(server)
        versions, times = await steps_in_time(ann, game_id, 4, from_version=first, speed=50)

        assert versions == [first, first + 1, first + 2, first + 3]
        assert all(came >= number * 0.19 for number, came in enumerate(times))
        assert times[-1] < 3 * GAP / 1_000 / 5

    on_server(story, own=True)


def test_long_waits_are_cut_short_as_the_reader_wishes() -> None:
    async def story(server: Server) -> None:
        game_id, (ann, _), first = await bids_apart(server)
        _, times = await steps_in_time(ann, game_id, 4, from_version=first, wait_seconds_max=0.1)

        assert all(came >= number * 0.09 for number, came in enumerate(times))
        assert times[-1] < 3 * GAP / 1_000 / 5

    on_server(story, own=True)


def test_a_replay_is_paused_sought_sped_up_and_resumed_and_each_is_answered_with_the_position() -> None:
    async def story(server: Server) -> None:
        game_id, (ann, _), first = await bids_apart(server)
        last = first + 3
        stream = await ann.replay(game_id, from_version=first)

        async def position() -> tuple[int, float, bool]:
            told = await stream.next("position")
            assert told.last_version == last
            return told.version, told.speed, told.paused

        assert await position() == (first, 1.0, False)
        assert (await stream.next("step")).step.version == first
        await stream.send(pause={})
        assert await position() == (first, 1.0, True)
        await stream.send(seek={"version": 2})
        assert await position() == (2, 1.0, True)
        assert (await stream.next("step")).step.version == 2
        await stream.send(speed={"speed": 1000})
        assert await position() == (2, 1000.0, True)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await asyncio.shield(waiting := asyncio.ensure_future(stream.next("step")))
        await stream.send(resume={})
        assert (await waiting).step.version == 3
        assert [(await stream.next("step")).step.version for _ in range(3, last)] == list(range(4, last + 1))
        assert (await stream.next("end")).version == last
        await stream.send(seek={"version": last - 1})
        assert (await stream.next("step")).step.version == last - 1
        assert (await stream.next("end")).version == last
        await stream.call.done_writing()
        assert [answer async for answer in stream] == []

    on_server(story, own=True)


def test_a_replay_that_stands_still_ends_when_nobody_can_ask_for_more() -> None:
    async def story(server: Server) -> None:
        game_id, (ann, _), _ = await bids_apart(server)
        stream = await ann.replay(game_id, paused=True)
        await stream.call.done_writing()
        kinds = [answer.WhichOneof("response") async for answer in stream]

        assert kinds == ["position", "step"]
        assert not server.running.pulse.streams_open

    on_server(story, own=True)


@pytest.mark.parametrize(
    ("opening", "reason"),
    [
        ({"speed": -1}, "FIELD_INVALID"),
        ({"speed": float("nan")}, "FIELD_INVALID"),
        ({"speed": 1001}, "FIELD_INVALID"),
        ({"wait_seconds_max": -1}, "FIELD_INVALID"),
        ({"wait_seconds_max": float("inf")}, "FIELD_INVALID"),
        ({"from_version": -1}, "NO_SUCH_STEP"),
        ({"from_version": 99_999}, "NO_SUCH_STEP"),
        ({"viewpoint": {"seat": 2}}, "NO_SUCH_SEAT"),
    ],
)
def test_a_replay_that_makes_no_sense_is_refused(opening: dict[str, Any], reason: str) -> None:
    async def story(server: Server) -> None:
        game_id, (ann, _), _ = await bids_apart(server, 1)
        with pytest.raises(Told) as told:
            await anext(await ann.replay(game_id, **opening))
        assert told.value.reason == reason

    on_server(story, own=True)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"seek": {"version": 99_999}}, "NO_SUCH_STEP"),
        ({"seek": {"version": 0}}, "NO_SUCH_STEP"),
        ({"speed": {"speed": 0}}, "FIELD_INVALID"),
        ({"open": {"game_id": "another"}}, "FIELD_INVALID"),
        ({}, "FIELD_INVALID"),
    ],
)
def test_what_can_not_be_asked_of_a_replay_ends_it_with_the_reason(asked: dict[str, Any], reason: str) -> None:
    async def story(server: Server) -> None:
        game_id, (ann, _), _ = await bids_apart(server, 1)
        stream = await ann.replay(game_id, paused=True)
        await stream.next("step")
        await stream.send(**asked)
        with pytest.raises(Told) as told:
            await stream.next("end")
        assert told.value.reason == reason
        assert not server.running.pulse.streams_open

    on_server(story, own=True)


def test_a_replay_that_stands_still_shows_signs_of_life_and_ends_with_its_token() -> None:
    async def story(server: Server) -> None:
        game_id, (ann, _), _ = await bids_apart(server, 1)
        stream = await ann.replay(game_id, paused=True, from_version=2)
        assert (await stream.next("heartbeat")).version == 2
        await ann.ask("RevokeToken")
        with pytest.raises(Told) as told:
            await stream.next("end")
        assert told.value.reason == "TOKEN_INVALID"

    on_server(story, QUICK)


def test_a_server_that_goes_down_says_after_which_step_the_replay_can_be_resumed() -> None:
    async def story(server: Server) -> None:
        game_id, (ann, _), _ = await bids_apart(server, 1)
        stream = await ann.replay(game_id, paused=True, from_version=3)
        await stream.next("step")
        await server.running.pulse.close()
        with pytest.raises(Told) as told:
            await stream.next("end")
        assert told.value.reason == "SERVER_DRAINING"
        assert told.value.metadata["version"] == "3"
        with pytest.raises(Told) as told:
            await (await ann.replay(game_id)).next("end")
        assert told.value.reason == "SERVER_DRAINING"

    on_server(story, own=True)


def test_a_slow_reader_gets_every_step_in_order_and_one_who_leaves_is_forgotten() -> None:
    async def story(server: Server) -> None:
        game_id, (ann, _), first = await bids_apart(server, 10)
        slow = [await ann.replay(game_id, wait_seconds_max=0, include_view=True) for _ in range(3)]
        await asyncio.sleep(0.5)
        for stream in slow[1:]:
            shown = [(await stream.next("step")).step.version for _ in range(first + 9)]
            assert shown == list(range(1, first + 10))
        for stream in slow:
            stream.call.cancel()
        async with asyncio.timeout(5):
            while True:
                if not server.running.pulse.streams_open:
                    return
                await asyncio.sleep(0.02)

    on_server(story, own=True)


def test_whoever_asks_too_fast_is_told_so() -> None:
    async def story(server: Server) -> None:
        game_id, (ann, _), _ = await bids_apart(server, 1)
        stream = await ann.replay(game_id, paused=True)
        await stream.next("step")

        async def ask_on_and_on() -> None:
            while True:
                await stream.send(pause={})
                await stream.next("position")

        with pytest.raises(Told) as told:
            await ask_on_and_on()
        assert told.value.reason == "TOO_FAST"

    on_server(story, Settings(sweep_seconds=0.05, grace_seconds=1.0, player_rate=20))
