"""For any bytes that a client sends, the answer fits the contract, and nothing wrong is stored."""

import asyncio
from random import Random
from typing import Any

import grpc
import pytest

from domain.evolve import fold
from services.rpc.server import MESSAGE_BYTES_MAX
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import METHODS, Player, Server, Told, on_server
from tests.rpc.strange_requests import BROKEN, anything, damaged

UNARY = [name for name, (_, method) in METHODS.items() if not method.server_streaming]
ROUNDS = 12


async def outcome(call: Any) -> grpc.StatusCode:
    try:
        await call
    except Told as told:
        assert told.status.code in {0, told.code.value[0]}  # noqa: PT017 - what comes along says the same
        return told.code
    except StopAsyncIteration:
        pass
    return grpc.StatusCode.OK


async def known_to(server: Server, players: list[Player]) -> dict[str, Any]:
    """What makes sense in a request: a game in which a round is being played."""
    return {
        "game_id": await server.bidding(players, "single-hand"),
        "rulebook": "single-hand",
        "reason": "why not",
        "player_id": players[0].player_id,
        "other_id": players[1].player_id,
        "played": 1,
        "page_token": "",
        # A request for decisions has so many fields that one of them would always be wrong.
        "action": 1,
        "order": 2,
        "regret_min": 0.25,
        "dice_left": 5,
        "players_left": 2,
    }


@pytest.mark.parametrize("method", UNARY)
def test_no_request_however_strange_breaks_a_call(method: str) -> None:
    async def story(server: Server) -> None:
        chance = Random(method)
        ann, bob = await server.players(2)
        root = await server.player("Root", scopes=("player", "admin"))
        known = await known_to(server, [ann, bob])
        codes = []
        for number in range(ROUNDS * 4):
            request = anything(METHODS[method][1].input_type, chance, known)
            raw = request.SerializeToString()
            caller = chance.choice((ann, bob, root, server.stranger))
            codes.append(await outcome(caller.send(method, damaged(raw, chance) if number % 2 else raw)))
            if method in {"RevokeToken", "RotateToken"}:
                ann, bob = await server.players(2)
        assert not [code for code in codes if code in BROKEN]
        assert len(set(codes)) > 1
        await sound(server, known["game_id"])

    on_server(story)


async def sound(server: Server, game_id: str) -> None:
    """Check that the events of the game still follow each other, and that the server still serves."""
    events = await server.running.host.games.events(game_id)
    state, version = await server.running.host.games.load(game_id)
    assert fold(events) == state
    assert len(events) == version
    eve = await server.player("Eve")
    assert (await eve.ask("GetGame", game_id=game_id)).game.version == version
    await eve.ask("ListGames")


@pytest.mark.parametrize("method", ["WatchGame", "ExportRecords"])
def test_no_request_however_strange_breaks_a_stream(method: str) -> None:
    async def story(server: Server) -> None:
        chance = Random(7)
        players = await server.players(2)
        known = await known_to(server, players)
        codes = []
        for number in range(ROUNDS * 2):
            raw = anything(METHODS[method][1].input_type, chance, known).SerializeToString()
            call: Any = server.channel.unary_stream(METHODS[method][0])
            stream = call(damaged(raw, chance) if number % 2 else raw, metadata=players[0].credentials)
            try:
                await stream.read()
                stream.cancel()
            except grpc.aio.AioRpcError as error:
                codes.append(error.code())
        assert codes
        assert not [code for code in codes if code in BROKEN]
        await sound(server, known["game_id"])

    on_server(story)


def test_no_request_however_strange_breaks_a_play_call() -> None:
    async def story(server: Server) -> None:
        chance = Random(8)
        players = await server.players(2)
        known = await known_to(server, players)
        codes: list[int] = []
        for _ in range(ROUNDS):
            stream = players[0].play()
            for _ in range(10):
                await stream.call.write(anything(METHODS["Play"][1].input_type, chance, known).SerializeToString())
            await stream.call.done_writing()
            codes += [answer.refused.code async for answer in stream if answer.HasField("refused")]
            broken = players[0].play()
            await broken.call.write(damaged(b"aaaaaaaaaa", chance))
            await broken.call.done_writing()
            codes.append((await outcome(drained(broken))).value[0])
        assert len(codes) > ROUNDS * 2
        assert not {code.value[0] for code in BROKEN} & set(codes)
        await sound(server, known["game_id"])

    on_server(story)


async def drained(stream: Any) -> None:
    async for _ in stream:
        pass


def test_no_request_however_strange_breaks_a_replay() -> None:
    async def story(server: Server) -> None:
        chance = Random(9)
        players = await server.players(2)
        known = await known_to(server, players)
        codes = []
        for number in range(ROUNDS * 2):
            stream = await players[0].replay(known["game_id"], wait_seconds_max=0)
            strange = anything(METHODS["ReplayGame"][1].input_type, chance, known).SerializeToString()
            await stream.call.write(damaged(strange, chance) if number % 2 else strange)
            await stream.call.done_writing()
            codes.append(await outcome(drained(stream)))
        assert len(set(codes)) > 1
        assert not [code for code in codes if code in BROKEN]
        await sound(server, known["game_id"])

    on_server(story)


def test_a_request_as_large_as_is_allowed_is_answered() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        codes = [
            await outcome(ann.ask(method, **{field: value}))
            for method, field in (("JoinGame", "invitation_code"), ("ListGames", "page_token"), ("AddBot", "strategy"))
            for value in ("🎲" * (MESSAGE_BYTES_MAX // 4 - 100), "x" * MESSAGE_BYTES_MAX)
        ]
        assert not [code for code in codes if code in BROKEN]
        assert grpc.StatusCode.RESOURCE_EXHAUSTED in codes

    on_server(story)


def test_what_is_refused_is_not_stored() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        refused: list[dict[str, Any]] = [
            {"rulebook": "go"},
            {"rulebook": "pirates", "seats_max": 99},
            {"rulebook": "pirates", "seats_max": -1},
            {"rulebook": "pirates", "options": {"dice_each": 99}},
            {"rulebook": "pirates", "options": {"chips": True}},
            {"rulebook": "pirates", "options": {"opener": 0}},
            {"rulebook": "pirates", "options": {"turn_seconds": -1}},
            {"rulebook": "pirates", "options": {"on_timeout": 77}},
            {"rulebook": "pirates", "spectator_delay_seconds": -1},
            {"rulebook": "pirates", "request_id": "two words"},
        ]
        codes = [await outcome(ann.ask("CreateGame", **fields)) for fields in refused]
        store = server.running.host.games._store  # noqa: SLF001 - whether anything is stored
        positions = await asyncio.gather(*(store.position(lane) for lane in range(store.lanes)))

        assert set(codes) == {grpc.StatusCode.INVALID_ARGUMENT}
        assert not any(positions)

    on_server(story, url=new_database())
