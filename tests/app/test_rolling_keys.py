"""A new sealing key comes to servers one after the other, while people play at both."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from liarsdice.v1 import game_pb2

from infra.events.mapping import EventMapper, EventTranscoder
from infra.keys.key_ring import Key, KeyRing
from infra.postgres.event_reader import EventReader
from services.app.wiring import serving
from tests.infra.postgres.databases import new_database
from tests.rpc.clients import Client
from tests.rpc.servers import Player, Server, Told, channel_to
from tests.servers import LOG_KEYS, SETTINGS

OLD, NEW = Key(b"k" * 32), Key(b"n" * 32)
BEFORE, WAITING, AFTER = KeyRing([OLD]), KeyRing([OLD], [NEW]), KeyRing([OLD, NEW])


@asynccontextmanager
async def served(url: str, keys: KeyRing) -> AsyncIterator[Server]:
    async with serving(url, keys, LOG_KEYS, SETTINGS) as running, channel_to(running) as channel:
        yield Server(running, channel)


def at(server: Server, player: Player) -> Player:
    return Player(server.channel, player.token, player.player_id)


async def played_at_both(players: list[Player], one: Server, other: Server, game_id: str) -> None:
    """Play a game to its end, with one player at each server."""
    seats = [at(server, player) for server, player in zip((one, other), players, strict=True)]
    game = (await seats[0].ask("GetGame", game_id=game_id)).game
    playing = [asyncio.create_task(Client(seat, game_id, number).play()) for number, seat in enumerate(seats)]
    if game.view.phase == game_pb2.PHASE_GATHERING:
        await seats[0].ask("StartGame", game_id=game_id, opener=0)
    await asyncio.gather(*playing)


async def sealing_keys(url: str, game_ids: list[str]) -> set[str]:
    """The keys that sealed the secrets of some games; every one of these opens with all keys."""
    store = await EventReader.open(url)
    mapper = EventMapper(EventTranscoder(AFTER, must_open=True))
    alone = {key.id.hex(): EventMapper(EventTranscoder(KeyRing([key]))) for key in (OLD, NEW)}
    found = set[str]()
    for game_id in game_ids:
        for stored in await store.read_stream(game_id):
            event = mapper.to_domain_event(stored).event
            if type(event).SECRETS:
                found |= {name for name, one in alone.items() if one.to_domain_event(stored).event == event}
    await store.close()
    return found


def test_a_key_that_waits_first_comes_to_all_servers_without_a_command_that_fails() -> None:
    url = new_database(lanes=2)

    async def story() -> None:
        sealed = []
        async with served(url, BEFORE) as first:
            players = await first.players(2)
            under_way = await first.bidding(players)
        for older, newer in ((BEFORE, WAITING), (WAITING, AFTER)):
            async with served(url, older) as one, served(url, newer) as other:
                owners = [at(one, player) for player in players]
                fresh = await one.table(owners)
                going_on = await other.bidding([at(other, player) for player in players])
                for game_id in (under_way, fresh):
                    await played_at_both(players, one, other, game_id)
                sealed.append(await sealing_keys(url, [under_way, fresh]))
                under_way = going_on
        old, new = OLD.id.hex(), NEW.id.hex()
        assert sealed == [{old}, {old, new}]

    asyncio.run(story())


def test_a_key_that_does_not_wait_is_missed_by_a_server_without_it() -> None:
    url = new_database(lanes=2)

    async def story() -> None:
        async with served(url, BEFORE) as one, served(url, AFTER) as other:
            players = await one.players(2)
            game_id = await other.bidding([at(other, player) for player in players])
            with pytest.raises(Told) as told:
                await players[0].ask("GetGame", game_id=game_id)
            assert told.value.reason == "KEY_MISSING"

    asyncio.run(story())
