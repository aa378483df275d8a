"""Attacks by single calls: large, compressed, strange, or from nobody in particular."""

import asyncio
import gzip
import random
from typing import Any

import grpc

from services.access.identity import new_token
from tests.attacks.attack import Foe, attack
from tests.attacks.raw import PREFACE, SETTINGS, frame, headers, message, plugged

BOMB_BYTES = 64 * 1_024 * 1_024


@attack
async def garbage_for_health(foe: Foe) -> None:
    """Random bytes for the health checks, which no gate may guard."""
    await garbage(foe, "/grpc.health.v1.Health/Check", "/grpc.health.v1.Health/Watch")


@attack
async def garbage_for_reflection(foe: Foe) -> None:
    """Random bytes for the reflection of the services."""
    await garbage(foe, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")


async def garbage(foe: Foe, *paths: str) -> None:
    """Call with random bytes, 16 at once."""
    chance = random.Random(3)

    async def one(turn: int) -> str:
        call: Any = caller.channel.unary_unary(paths[turn % len(paths)])
        await call(b"\xff" + chance.randbytes(50), timeout=10)
        return "OK"

    async with foe.channel() as caller:
        await foe.hammer(16, one)


@attack
async def watchers_of_health(foe: Foe) -> None:
    """1,000 Watch calls of the health service over one connection."""

    async def one() -> str:
        call: Any = caller.channel.unary_stream("/grpc.health.v1.Health/Watch")
        stream = call(b"")
        while await stream.read() is not grpc.aio.EOF:
            pass
        return str((await stream.code()).name)

    async with foe.channel() as caller:
        await foe.hammer(1_000, lambda _: one())


@attack
async def huge_metadata(foe: Foe) -> None:
    """Calls with metadata of 12 KiB, just what is allowed, 16 at once."""
    more = tuple((f"x-{number}", "a" * 1_000) for number in range(12))

    async def one() -> str:
        call: Any = caller.channel.unary_unary("/liarsdice.v1.GameService/ListRulebooks")
        await call(b"", metadata=more, timeout=10)
        return "OK"

    async with foe.channel() as caller:
        await foe.hammer(16, lambda _: one())


@attack
async def large_messages(foe: Foe) -> None:
    """Requests just below and far above the largest size, 16 at once."""

    async def one(turn: int) -> str:
        return await caller.told("ListGames", turn, page_token="a" * (65_000 if turn % 2 else 4_000_000))

    async with foe.channel() as caller:
        await foe.hammer(16, one)


@attack
async def compressed_bombs(foe: Foe) -> None:
    """Messages of 64 KiB on the wire that are 64 MiB once they are unpacked."""
    bomb = gzip.compress(bytes(BOMB_BYTES))

    async def one() -> str:
        connection = await plugged(foe, foe.target.rpc)
        if connection is None:
            return "no connection"
        await connection.send(PREFACE + frame(SETTINGS, 0, 0))
        stream = 1
        while foe.goes_on and connection.alive:
            begin = headers(stream, "ListRulebooks", ("grpc-encoding", "gzip"))
            pieces = [bomb[at : at + 16_000] for at in range(0, len(bomb), 16_000)]
            prefix = b"\x01" + len(bomb).to_bytes(4, "big")
            body = [frame(0, 0, stream, piece) for piece in (prefix + pieces[0], *pieces[1:-1])]
            await connection.send(b"".join((begin, *body, frame(0, 1, stream, pieces[-1]))))
            connection.drop_answers()
            stream += 2
            foe.told["bombs"] += 1
        connection.plug.close()
        return "closed"

    await foe.hammer(2, lambda _: one())


@attack
async def wrong_compression(foe: Foe) -> None:
    """Calls that say their message is packed, and it isn't."""

    async def one() -> str:
        connection = await plugged(foe, foe.target.rpc)
        if connection is None:
            return "no connection"
        await connection.send(PREFACE + frame(SETTINGS, 0, 0))
        for stream in range(1, 200, 2):
            begin = headers(stream, "ListRulebooks", ("grpc-encoding", "gzip"))
            await connection.send(begin + message(stream, b"not packed", compressed=True))
            await asyncio.sleep(0.001)
        connection.drop_answers()
        connection.plug.close()
        return "closed"

    await foe.hammer(4, lambda _: one())


@attack
async def calls_that_nobody_waits_for(foe: Foe) -> None:
    """Calls by the hundred on connections that are gone before the first answer: the cheapest flood that there is."""
    calls = [headers(stream, "ListRulebooks") + message(stream, b"") for stream in range(1, 200, 2)]
    greeting = PREFACE + frame(SETTINGS, 0, 0) + b"".join(calls)

    async def one() -> str:
        connection = await plugged(foe, foe.target.rpc)
        if connection is None:
            return "no connection"
        await connection.send(greeting)
        connection.plug.close()
        return "closed"

    await foe.hammer(4, lambda _: one())


@attack
async def registrations(foe: Foe) -> None:
    """New players as fast as they are let in, 16 at once."""
    async with foe.channel() as caller:
        await foe.hammer(16, lambda turn: caller.told("Register", name=f"Foe {turn}"))


@attack
async def guessed_tokens(foe: Foe) -> None:
    """Calls with tokens that nobody has, 32 at once: each has to be looked up."""

    async def one() -> str:
        call: Any = caller.channel.unary_unary("/liarsdice.v1.PlayerService/GetPlayer")
        await call(b"", metadata=(("authorization", f"Bearer {new_token()}"),), timeout=10)
        return "OK"

    async with foe.channel() as caller:
        await foe.hammer(32, lambda _: one())


@attack
async def guessed_tokens_over_http(foe: Foe) -> None:
    """HTTP requests with tokens that nobody has, 32 at once."""
    async with foe.reader() as client:

        async def one() -> str:
            answer = await client.get("/api/v1/rulebooks", headers={"Authorization": f"Bearer {new_token()}"})
            return str(answer.status_code)

        await foe.hammer(32, lambda _: one())


@attack
async def requests_without_end(foe: Foe) -> None:
    """`GET /api/v1/games` as fast as it is answered, 32 at once."""
    async with foe.reader() as client:

        async def one() -> str:
            return str((await client.get("/api/v1/games")).status_code)

        await foe.hammer(32, lambda _: one())


@attack
async def calls_without_end(foe: Foe) -> None:
    """GetGame of the victim's game as one player, as fast as it is answered, 64 at once."""
    async with foe.channel() as caller:
        await foe.hammer(64, lambda _: caller.told("GetGame", 0, game_id=foe.target.live_game))


@attack
async def paths_without_end(foe: Foe) -> None:
    """Paths, methods and metrics that need no admission, 32 at once."""
    paths = ("/metrics", "/schema/openapi.json", "/", "/nothing", "/health/ready", "/api/v1/" + "a" * 2_000)
    async with foe.reader() as client:

        async def one(turn: int) -> str:
            return str((await client.get(paths[turn % len(paths)])).status_code)

        await foe.hammer(32, one)
