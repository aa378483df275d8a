"""Non-interference over time: while the clock stands still, no move of a late table changes what anybody else reads."""

import asyncio
from typing import Any

from liarsdice.v1 import game_pb2

from tests.http.readers import API, Site, on_site
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import Player, Told
from tests.servers import projected

NOW = 1_900_000_000_000
DELAY_SECONDS = 60
ROUTES = ("", "/record", "/record?format=notation", "/steps", "/steps/4", "/rounds", "/audit", "/rounds/1/audit")


async def known(site: Site, eve: Player, game_id: str) -> list[Any]:
    """Everything that a stranger can find out about a game, over gRPC and over HTTP."""
    calls: list[tuple[str, dict[str, Any]]] = [
        ("GetGame", {"game_id": game_id}),
        ("ListGames", {}),
        ("ListPastGames", {}),
        ("GetFreshness", {}),
        ("GetRecord", {"game_id": game_id}),
        ("ListSteps", {"game_id": game_id}),
        ("GetStep", {"game_id": game_id, "version": 4}),
        ("GetAudit", {"game_id": game_id}),
        ("GetAudit", {"game_id": game_id, "round": 1}),
        ("ListDisputes", {"game_id": game_id}),
        ("JoinGame", {"game_id": game_id, "request_id": "join"}),
        ("ForkGame", {"game_id": game_id, "request_id": "fork", "version": 4}),
        ("WatchGame", {"game_id": game_id, "after_version": 99}),
    ]
    found: list[Any] = [await answer(eve, method, fields) for method, fields in calls]
    stream = eve.watch(game_id)
    found.append((await stream.next("snapshot")).SerializeToString(deterministic=True))
    stream.call.cancel()
    for path in ("/games", *(f"/games/{game_id}{route}" for route in ROUTES)):
        read = await site.get(f"{API}{path}")
        found.append((path, read.status_code, read.headers.get("etag"), read.text))
    async with site.stream(f"/games/{game_id}/live?view=true") as events:
        found.append(await anext(event async for event in events if event.kind))
    return found


async def answer(eve: Player, method: str, fields: dict[str, Any]) -> tuple[str, object]:
    try:
        if method == "WatchGame":
            return method, await eve.watch(**fields).next("snapshot")
        return method, (await eve.ask(method, **fields)).SerializeToString(deterministic=True)
    except Told as told:
        return method, (told.reason, told.raw)


def test_while_the_clock_stands_still_a_late_game_looks_the_same_to_strangers_whatever_happens_in_it() -> None:
    async def story(site: Site) -> tuple[list[list[Any]], list[Any]]:
        server = site.server
        clock = [NOW]
        server.running.host.now = lambda: clock[0]
        ann, bob, eve = await server.players(3)
        game_id = await server.table([ann, bob], spectator_delay_seconds=DELAY_SECONDS)
        await ann.ask("StartGame", game_id=game_id, opener=0)
        await ann.sees(game_id, lambda game: any(seat.hidden_count for seat in game.view.seats))
        clock[0] += DELAY_SECONDS * 1_000
        # The lists may be a moment behind the start of the game, which is no secret.
        await site.eventually("/games", lambda found: [game["result"] for game in found["games"]] == ["running"])
        told = [await known(site, eve, game_id)]
        while (game := (await ann.ask("GetGame", game_id=game_id)).game).view.phase != game_pb2.PHASE_ENDED:
            mover = (ann, bob)[game.view.waiting[0]]
            await move(mover, game_id, last=game.version > 20)
            told.append(await known(site, eve, game_id))
        await projected(server.running, game_id)
        told.append(await known(site, eve, game_id))
        clock[0] += DELAY_SECONDS * 1_000
        return told, await known(site, eve, game_id)

    told, later = on_site(story, url=new_database())

    assert len(told) > 4
    for one in told[1:]:
        assert one == told[0]
    assert later != told[0]


async def move(player: Player, game_id: str, *, last: bool) -> None:
    """Bid, then doubt, and give up in the end; rolls are made by the server."""
    while True:
        view = (await player.ask("GetGame", game_id=game_id)).game.view
        if view.phase == game_pb2.PHASE_ENDED or view.viewer not in view.waiting:
            return
        if last:
            await player.ask("Forfeit", game_id=game_id)
        elif len(view.bids) > 1:
            await player.ask("Challenge", game_id=game_id)
        elif view.moves.lowest_bids:
            lowest = view.moves.lowest_bids[0]
            await player.ask("PlaceBid", game_id=game_id, quantity=lowest.quantity, face=lowest.face)
        else:
            await asyncio.sleep(0.01)
            continue
        return
