"""Attacks by reading: what is old, long or large, again and again."""

import asyncio
from typing import Any

import grpc
import httpx

from tests.attacks.attack import Foe, attack, made

REPLAYS = 150
HTTP_REPLAYS = 60
STREAMS_OF_A_CONNECTION = 1_000


async def paused(foe: Foe, streams: int) -> None:
    """Open paused replays over one connection and keep them."""
    async with foe.channel() as caller:
        opening = made("ReplayGame", open={"game_id": foe.target.long_game, "paused": True}).SerializeToString()
        calls: list[Any] = []

        async def opened() -> str:
            call = caller.stream("ReplayGame")
            calls.append(call)
            await call.write(opening)
            answer = await call.read()
            return "OK" if answer is not grpc.aio.EOF else str((await call.code()).name)

        await asyncio.wait([asyncio.create_task(foe.outcome(opened())) for _ in range(streams)], timeout=20)
        await foe.rest()
        for call in calls:
            call.cancel()


@attack
async def paused_replays(foe: Foe) -> None:
    """150 paused ReplayGame streams of a long game, without a token: each may hold a decoded game."""
    await paused(foe, REPLAYS)


@attack
async def a_thousand_replays(foe: Foe) -> None:
    """1,000 paused ReplayGame streams over one connection."""
    await paused(foe, STREAMS_OF_A_CONNECTION)


@attack
async def slow_replays_over_http(foe: Foe) -> None:
    """60 replays over HTTP at the lowest speed: each may hold a decoded game."""
    path = f"/api/v1/games/{foe.target.long_game}/replay?speed=0.1"

    async def one(client: httpx.AsyncClient) -> str:
        async with client.stream("GET", path) as answer:
            if answer.status_code != 200:
                return str(answer.status_code)
            foe.told["opened"] += 1
            await foe.rest()
            return "200"

    async with foe.reader() as client:
        await foe.hammer(HTTP_REPLAYS, lambda _: one(client))


async def got(foe: Foe, client: httpx.AsyncClient, path: str, **headers: str) -> str:
    """The status of an answer, which is read to its end as far as there is time."""
    async with client.stream("GET", path, headers=headers) as answer:
        async for _ in answer.aiter_raw():
            if not foe.goes_on:
                break
        return str(answer.status_code)


@attack
async def notation_of_a_long_game(foe: Foe) -> None:
    """`record?format=notation` of a long game, four at once."""
    async with foe.reader() as client:
        path = f"/api/v1/games/{foe.target.long_game}/record?format=notation"
        await foe.hammer(4, lambda _: got(foe, client, path))


@attack
async def records_of_a_long_game(foe: Foe) -> None:
    """GetRecord of a long game, four at once."""
    async with foe.channel() as caller:
        await foe.hammer(4, lambda _: caller.told("GetRecord", game_id=foe.target.long_game))


@attack
async def steps_of_a_long_game(foe: Foe) -> None:
    """GetStep at the end of a long game, four at once, without a token."""
    async with foe.channel() as caller:
        fields: dict[str, Any] = {"game_id": foe.target.long_game, "viewpoint": {"everything": {}}}
        await foe.hammer(4, lambda turn: caller.told("GetStep", version=foe.target.long_versions - turn % 50, **fields))


@attack
async def steps_over_http(foe: Foe) -> None:
    """`steps/{version}` at the end of a long game through every pair of eyes, four at once."""
    async with foe.reader() as client:
        path = f"/api/v1/games/{foe.target.long_game}/steps"
        last = foe.target.long_versions
        await foe.hammer(4, lambda turn: got(foe, client, f"{path}/{last - turn % 50}?seat={turn % 20}"))


@attack
async def pages_of_steps(foe: Foe) -> None:
    """ListSteps of a long game, page by page, four at once."""
    async with foe.channel() as caller:
        last = foe.target.long_versions
        await foe.hammer(
            4,
            lambda turn: caller.told(
                "ListSteps", game_id=foe.target.long_game, after_version=turn * 97 % last, page_size=500
            ),
        )


@attack
async def audits_of_a_long_game(foe: Foe) -> None:
    """GetAudit of a long game, two at once: the server makes a bundle and verifies it."""
    async with foe.channel() as caller:
        await foe.hammer(2, lambda turn: caller.told("GetAudit", turn, game_id=foe.target.long_game))


@attack
async def audits_over_http(foe: Foe) -> None:
    """`audit` of a long game and of its rounds, without a token, four at once."""
    async with foe.reader() as client:
        path = f"/api/v1/games/{foe.target.long_game}"
        paths = (f"{path}/audit", f"{path}/rounds/1/audit", f"{path}/rounds/40/audit")
        await foe.hammer(4, lambda turn: got(foe, client, paths[turn % 3]))


@attack
async def exports_in_csv(foe: Foe) -> None:
    """The export of all games as CSV, two at once."""
    async with foe.reader() as client:
        await foe.hammer(2, lambda _: got(foe, client, "/api/v1/export?format=csv"))


@attack
async def exports_in_notation(foe: Foe) -> None:
    """The export of all games as notation, two at once."""
    async with foe.reader() as client:
        await foe.hammer(2, lambda _: got(foe, client, "/api/v1/export?format=notation"))


@attack
async def exports_of_decisions(foe: Foe) -> None:
    """All decisions of a player, the worst first, as CSV and as Parquet, four at once."""
    path = "/api/v1/players/sim.cautious/decisions/export?order=worst&format="
    async with foe.reader() as client:
        await foe.hammer(4, lambda turn: got(foe, client, path + ("parquet" if turn % 2 else "csv")))


@attack
async def exports_in_parallel(foe: Foe) -> None:
    """30 ExportRecords calls at once."""

    async def one() -> str:
        call = caller.stream("ExportRecords")
        while await call.read() is not grpc.aio.EOF:
            pass
        return str((await call.code()).name)

    async with foe.channel() as caller:
        await foe.hammer(30, lambda _: one())


@attack
async def lists_with_all_filters(foe: Foe) -> None:
    """ListPastGames and ListGames with all filters, 16 at once."""
    every = {"player_id": "sim.cautious", "rulebook": "single-hand", "result": 3, "include_practice": True}

    async with foe.channel() as caller:

        async def one(turn: int) -> str:
            if turn % 2:
                return await caller.told("ListGames", turn, page_size=100, rulebook="single-hand", phases=range(1, 7))
            return await caller.told("ListPastGames", filter=every, page_size=100)

        await foe.hammer(16, one)


@attack
async def deep_pages(foe: Foe) -> None:
    """Every page of every list, from the first to the last, eight at once."""

    async def one(turn: int) -> str:
        token = ""
        while foe.goes_on:
            if turn % 2:
                answer = await caller.ask("ListPastGames", page_size=1, page_token=token)
            else:
                answer = await caller.ask("ListGames", turn, page_size=1, page_token=token)
            foe.told["pages"] += 1
            token = answer.next_page_token
            if not token:
                break
        return "OK"

    async with foe.channel() as caller:
        await foe.hammer(8, one)


@attack
async def statistics_floods(foe: Foe) -> None:
    """Statistics of everybody in every span, 16 at once."""
    async with foe.reader() as client:
        paths = [
            "leaderboards?measure=rating&page_size=100",
            "leaderboards?measure=bids&since=2020-01-01",
            "players/sim.cautious/statistics",
            "players/sim.calculating/ratings?page_size=100",
            "head-to-head?player=sim.cautious&other=sim.calculating",
        ]
        await foe.hammer(16, lambda turn: got(foe, client, f"/api/v1/{paths[turn % len(paths)]}"))


@attack
async def conditional_requests(foe: Foe) -> None:
    """The record of a long game with an `If-None-Match` that never fits: the tag may cost as much as the answer."""
    async with foe.reader() as client:
        path = f"/api/v1/games/{foe.target.long_game}/record"
        wrong = ", ".join(f'"{number}"' for number in range(400))
        await foe.hammer(4, lambda _: got(foe, client, path, **{"If-None-Match": wrong, "Accept-Encoding": "gzip"}))
