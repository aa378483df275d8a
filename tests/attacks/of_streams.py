"""Attacks by streams: too many, never read, or never quiet."""

import asyncio
from typing import Any

import grpc

from tests.attacks.attack import Foe, attack, made
from tests.attacks.raw import connected

SMALL_BUFFER = 4_096


@attack
async def fast_replays_that_seek(foe: Foe) -> None:
    """20 replays with views at speed 1,000, each sought back to the beginning again and again."""
    seek = made("ReplayGame", seek={"version": 1}).SerializeToString()
    opening = {"game_id": foe.target.long_game, "speed": 1_000.0, "wait_seconds_max": 0.0, "include_view": True}

    async def one() -> str:
        call = caller.stream("ReplayGame")
        await call.write(made("ReplayGame", open=opening).SerializeToString())
        steps = 0
        while foe.goes_on and await call.read() is not grpc.aio.EOF:
            steps += 1
            if steps % 200 == 0:
                await call.write(seek)
        foe.told["steps"] += steps
        if foe.goes_on:
            return str((await call.code()).name)
        call.cancel()
        return "OK"

    async with foe.channel() as caller:
        await foe.hammer(20, lambda _: one())


@attack
async def deaf_watchers(foe: Foe) -> None:
    """500 WatchGame streams of the victim's game and of a long one, from the first event on, that nobody reads."""
    async with foe.channel() as caller:
        games = (foe.target.live_game, foe.target.long_game)
        calls = [
            caller.stream("WatchGame", turn, game_id=games[turn % 2], after_version=0, include_game=True)
            for turn in range(500)
        ]
        await foe.rest()
        await ended(foe, calls)


async def ended(foe: Foe, calls: list[Any]) -> None:
    """Count which calls the server has ended, and cancel the others."""
    for call in calls:
        foe.told[(await call.code()).name if call.done() else "OPEN"] += 1
        call.cancel()


@attack
async def deaf_readers_over_http(foe: Foe) -> None:
    """200 fast replays with views, and streams of the victim's game, over connections that nobody reads."""
    game, live = foe.target.long_game, foe.target.live_game
    paths = (f"{game}/replay?speed=1000&wait_seconds_max=0&view=true", f"{live}/live?view=true")
    async with connected(foe, foe.target.http, 200, buffer=SMALL_BUFFER) as connections:
        for number, connection in enumerate(connections):
            await connection.send(f"GET /api/v1/games/{paths[number % 2]} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        await foe.rest()


@attack
async def a_thousand_watchers(foe: Foe) -> None:
    """1,000 WatchGame streams of the victim's game over one connection, all of them read."""

    async def one(turn: int) -> str:
        call = caller.stream("WatchGame", turn, game_id=foe.target.live_game, include_game=True)
        while await call.read() is not grpc.aio.EOF:
            foe.told["answers"] += 1
        return str((await call.code()).name)

    async with foe.channel() as caller:
        await foe.hammer(1_000, one)


@attack
async def watching_and_leaving(foe: Foe) -> None:
    """Play calls that begin and end to watch as fast as they can."""
    on = made("Play", watch={"game_id": foe.target.long_game, "after_version": 0}).SerializeToString()
    off = made("Play", unwatch={"game_id": foe.target.long_game}).SerializeToString()
    await talking(foe, 8, (on, off))


@attack
async def commands_without_end(foe: Foe) -> None:
    """Play calls that send commands for the victim's game as fast as they can."""
    bid = made("Play", place_bid={"game_id": foe.target.live_game, "request_id": "a", "quantity": 1, "face": 2})
    await talking(foe, 8, (bid.SerializeToString(),))


async def talking(foe: Foe, streams: int, requests: tuple[bytes, ...]) -> None:
    """Send requests on Play calls as fast as they are taken, and read what comes back."""

    async def heard(call: Any) -> None:
        while await call.read() is not grpc.aio.EOF:
            foe.told["answers"] += 1

    async def one(turn: int) -> str:
        call = caller.stream("Play", turn)
        hearing = asyncio.create_task(heard(call))
        try:
            while foe.goes_on and not call.done():
                for raw in requests:
                    await call.write(raw)
            return str((await call.code()).name) if call.done() else "OK"
        finally:
            call.cancel()
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)

    async with foe.channel() as caller:
        await foe.hammer(streams, one)


@attack
async def streams_that_come_and_go(foe: Foe) -> None:
    """WatchGame streams that are opened and cancelled as fast as they can, 32 at once."""

    async def one(turn: int) -> str:
        call = caller.stream("WatchGame", turn, game_id=foe.target.long_game, after_version=0)
        answer = await call.read()
        call.cancel()
        return "OK" if answer is not grpc.aio.EOF else str((await call.code()).name)

    async with foe.channel() as caller:
        await foe.hammer(32, one)
