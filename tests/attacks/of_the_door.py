"""Attacks over the door for browsers: calls, streams and bodies over HTTP."""

import gzip
import json

from tests.attacks.attack import Foe, attack
from tests.attacks.raw import connected, plugged
from tests.connect.channels import enveloped

GAMES = "/liarsdice.v1.GameService"
_BOMB = gzip.compress(bytes(16 * 1024 * 1024))


def posted(path: str, body: bytes, *lines: str) -> bytes:
    """The bytes of a request."""
    head = (f"POST {path} HTTP/1.1", "host: a", *lines, f"content-length: {len(body)}")
    return "\r\n".join((*head, "", "")).encode() + body


@attack
async def calls_over_the_door(foe: Foe) -> None:
    """`GetGame` of the victim's game over Connect, as fast as it is answered, 32 at once."""
    headers = {"authorization": f"Bearer {foe.target.tokens[0]}", "content-type": "application/json"}
    async with foe.reader() as client:

        async def one() -> str:
            body = {"gameId": foe.target.live_game}
            return str((await client.post(f"{GAMES}/GetGame", json=body, headers=headers)).status_code)

        await foe.hammer(32, lambda _: one())


@attack
async def watchers_over_the_door(foe: Foe) -> None:
    """300 streams over Connect that watch the victim's game, of which nobody takes anything."""
    body = enveloped(json.dumps({"gameId": foe.target.live_game, "includeGame": True}).encode())
    lines = ("content-type: application/connect+json", f"authorization: Bearer {foe.target.tokens[0]}")
    async with connected(foe, foe.target.http, 300, buffer=4_096) as connections:
        for connection in connections:
            await connection.send(posted(f"{GAMES}/WatchGame", body, *lines))
        await foe.rest()


@attack
async def replays_over_the_door(foe: Foe) -> None:
    """100 replays of the long game over Connect, without a token and without a pause, of which nobody takes anything."""
    opening = {"open": {"gameId": foe.target.long_game, "speed": 1_000, "waitSecondsMax": 0, "includeView": True}}
    body = enveloped(json.dumps(opening).encode())
    async with connected(foe, foe.target.http, 100, buffer=4_096) as connections:
        for connection in connections:
            request = posted("/liarsdice.v1.ReplayService/ReplayGame", body, "content-type: application/connect+json")
            await connection.send(request)
        await foe.rest()


@attack
async def bombs_over_the_door(foe: Foe) -> None:
    """Bodies of 16 KiB that are 16 MiB once they are unpacked, over Connect, 16 at once."""
    bomb = posted(f"{GAMES}/ListRulebooks", _BOMB, "content-type: application/json", "content-encoding: gzip")

    async def one() -> str:
        connection = await plugged(foe, foe.target.http)
        if connection is None:
            return "no connection"
        while foe.goes_on and connection.alive:
            await connection.send(bomb)
            connection.drop_answers()
            foe.told["bombs"] += 1
        connection.plug.close()
        return "closed"

    await foe.hammer(16, lambda _: one())


@attack
async def half_calls_over_the_door(foe: Foe) -> None:
    """190 calls over Connect whose body stops in the middle."""
    half = posted(f"{GAMES}/PlaceBid", b"{" + b" " * 60_000, "content-type: application/json")[:30_000]
    async with connected(foe, foe.target.http, 190) as connections:
        for connection in connections:
            await connection.send(half)
        await foe.rest()
