"""Ids and fingerprints that the server makes of requests: always the same, and nobody without the keys can compute them."""

import asyncio
from hashlib import blake2b
from itertools import product

import asyncpg
import grpc

from domain.ids import digest
from infra.keys.key_ring import Key, KeyRing
from services.app.wiring import serving
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import Player, Server, on_server, request, server
from tests.servers import KEYS, LOG_KEYS, SETTINGS

ROTATED = KeyRing([Key(b"k" * 32), Key(b"n" * 32)])


def test_the_id_of_a_table_does_not_follow_from_its_owner_and_the_id_of_the_request() -> None:
    """A bot that counts its requests would otherwise tell everybody where its next private table is."""

    async def story(server: Server) -> None:
        ann = await server.player()
        game_id = (await ann.ask("CreateGame", rulebook="pirates", private=True, request_id="1")).game.view.game_id

        known = (ann.player_id, "1", "", "fork", "Ann")
        guesses = {digest(*parts)[:16] for count in (1, 2, 3) for parts in product(known, repeat=count)}
        assert game_id not in guesses

    on_server(story)


def test_the_same_request_gets_the_same_table_from_every_process_and_after_a_new_key() -> None:
    url = new_database(lanes=1)

    async def story() -> None:
        wanted = {"rulebook": "pirates", "request_id": "table-1"}
        async with server(url) as first, server(url) as second:
            ann = await first.player()
            also_ann = Player(second.channel, ann.token, ann.player_id)
            tables = {(await one.ask("CreateGame", **wanted)).game.view.game_id for one in (ann, also_ann, ann)}
        async with (
            serving(url, ROTATED, LOG_KEYS, SETTINGS) as later,
            grpc.aio.insecure_channel(later.address) as channel,
        ):
            again = Player(channel, ann.token, ann.player_id)
            tables.add((await again.ask("CreateGame", **wanted)).game.view.game_id)
            assert len((await again.ask("ListGames")).games) == 1
        assert len(tables) == 1

    asyncio.run(story())


def test_what_is_stored_of_a_request_lets_nobody_try_out_invitation_codes() -> None:
    url = new_database(lanes=1)

    async def story(server: Server) -> None:
        ann, ben = await server.players(2)
        game = (await ann.ask("CreateGame", rulebook="pirates", private=True)).game
        joined = {"game_id": game.view.game_id, "invitation_code": game.invitation_code, "request_id": "join"}
        await ben.ask("JoinGame", **joined)
        assert (await ben.ask("JoinGame", **joined)).seat == 1

        content = request("JoinGame", **joined).SerializeToString(deterministic=True)
        connection = await asyncpg.connect(url)
        stored = {row[0] for row in await connection.fetch("SELECT fingerprint FROM lane_0.requests")}
        await connection.close()
        keys = (b"", b"JoinGameRequest", *(key_id for key_id in KEYS.ids))
        assert stored > {b""}
        for key, prefix, size in product(keys, (b"", b"JoinGameRequest", b"JoinGameRequest\n"), (16, 32)):
            assert blake2b(prefix + content, digest_size=size, key=key).digest() not in stored

    on_server(story, url=url)
