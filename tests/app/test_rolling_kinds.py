"""A server of an older kind meets events that only newer ones know, as in a rolling upgrade."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, get_args
from unittest.mock import patch

import pytest
from liarsdice.v1 import game_pb2

from domain.events import AnyEvent, PlayerForfeited
from infra.events.mapping import EventTranscoder
from infra.events.upcasting import UPCASTS, Topics
from services.app import wiring
from services.app.settings import Settings
from tests.infra.postgres.databases import new_database
from tests.rpc.clients import Client
from tests.rpc.servers import Player, Server, Told, server

OLD = Topics([kind for kind in get_args(AnyEvent) if kind is not PlayerForfeited], UPCASTS)
"""What a program knew that was written before players could give up."""
SETTINGS = Settings(sweep_seconds=0.05, grace_seconds=1.0, projects=False)
ENDED = game_pb2.PHASE_ENDED


def on_an_old_and_a_new_server(story: Callable[[Server, Server], Awaitable[None]]) -> None:
    """The old one runs first and keeps all lanes; then the new one comes."""
    url = new_database(lanes=2)

    async def told() -> None:
        with patch.object(wiring, "EventTranscoder", partial(EventTranscoder, topics=OLD)):
            older = server(url, SETTINGS)
            old = await older.__aenter__()
        try:
            async with server(url, SETTINGS) as new:
                await story(old, new)
        finally:
            await older.__aexit__(None, None, None)

    asyncio.run(told())


def at(server: Server, player: Player) -> Player:
    return Player(server.channel, player.token, player.player_id)


def test_an_old_server_stores_nothing_on_what_it_cannot_read_and_hands_its_work_to_a_new_one() -> None:
    async def story(old: Server, new: Server) -> None:
        ann, bob, cid = await old.players(3)
        game_id = await old.bidding([ann, bob, cid])
        watching = ann.watch(game_id, include_game=True)
        await watching.next("snapshot")
        await at(new, cid).ask("Forfeit", game_id=game_id)
        # The next round begins with it, and the server rolls for all.
        game = await at(new, ann).sees(game_id, lambda game: game.view.phase == game_pb2.PHASE_BIDDING)
        bidder = (ann, bob)[game.view.waiting[0]]

        for method, fields in (("PlaceBid", {"quantity": 1, "face": 2}), ("GetGame", {})):
            with pytest.raises(Told) as told:
                await bidder.ask(method, game_id=game_id, **fields)
            assert (told.value.code.name, told.value.reason) == ("UNAVAILABLE", "EVENT_TOO_NEW")
        with pytest.raises(Told) as told:
            async for _ in watching:
                pass
        assert told.value.reason == "SERVER_DRAINING", "its watchers look for another server"

        assert (await at(new, ann).ask("GetGame", game_id=game_id)).game.version == game.version
        await at(new, bidder).ask("PlaceBid", game_id=game_id, quantity=1, face=2)
        await at(new, bob).ask("Forfeit", game_id=game_id)
        await at(new, ann).sees(game_id, lambda game: game.view.phase == ENDED)
        listed = await until_listed_as_ended(at(new, ann), game_id)
        assert listed.freshness.complete

    on_an_old_and_a_new_server(story)


async def until_listed_as_ended(player: Player, game_id: str) -> Any:
    """The list, once it has the end of the game: whoever keeps the lane then must have read it."""
    while True:
        listed = await player.ask("ListGames", mine=True)
        if [table.phase for table in listed.games if table.game_id == game_id] == [ENDED]:
            return listed
        await asyncio.sleep(0.1)


def test_other_games_go_on_at_the_old_server_meanwhile() -> None:
    async def story(old: Server, new: Server) -> None:
        pairs = [await old.players(2) for _ in range(3)]
        lost = await old.bidding(pairs[0])
        await at(new, pairs[0][0]).ask("Forfeit", game_id=lost)
        for players in pairs[1:]:
            game_id = await old.table(players)
            seats = [at(one, player) for one, player in zip((old, new), players, strict=True)]
            playing = [asyncio.create_task(Client(seat, game_id, n).play()) for n, seat in enumerate(seats)]
            await players[0].ask("StartGame", game_id=game_id, opener=0)
            await asyncio.gather(*playing)
            assert (await at(new, players[0]).ask("GetAudit", game_id=game_id)).bundle

    on_an_old_and_a_new_server(story)
