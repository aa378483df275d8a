"""Watchers at one server of what is played at another: nothing is missing, doubled or out of order."""

import asyncio

from liarsdice.v1 import game_pb2

from tests.infra.postgres.databases import new_database
from tests.rpc.clients import Client
from tests.rpc.servers import Player, Stream, server


async def versions(stream: Stream) -> list[int]:
    """The versions of all events on a stream until the game is over."""
    found: list[int] = []
    async for answer in stream:
        if answer.HasField("update"):
            found += [event.version for event in answer.update.events]
            if answer.update.game.view.phase == game_pb2.PHASE_ENDED:
                break
    stream.call.cancel()
    return found


def test_players_at_two_servers_and_watchers_at_both_see_every_event_once() -> None:
    url = new_database(lanes=2)

    async def story() -> tuple[list[list[int]], int]:
        async with server(url) as one, server(url) as other:
            ann, bob, eve = await one.players(3)
            bob = Player(other.channel, bob.token, bob.player_id)
            far = Player(other.channel, eve.token, eve.player_id)
            game_id = await one.table([ann, bob])
            watching = [
                asyncio.create_task(versions(player.watch(game_id, after_version=0, include_game=True)))
                for player in (ann, bob, eve, far)
            ]
            clients = [Client(player, game_id, seed) for seed, player in enumerate((ann, bob))]
            playing = [asyncio.create_task(client.play()) for client in clients]
            await ann.ask("StartGame", game_id=game_id, opener=0)
            await asyncio.gather(*playing)
            seen = await asyncio.gather(*watching)
            return list(seen), (await one.running.host.games.load(game_id))[1]

    seen, last = asyncio.run(story())

    assert seen == [list(range(1, last + 1))] * 4
