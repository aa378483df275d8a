"""A model gets no more than its seat may see, and no secret ever leaves the program."""

import asyncio
from base64 import b64encode
from typing import Any

import msgspec

from services.client import Kept, TokenFile
from tests.infra.postgres.databases import new_database
from tests.mcp.models import Model
from tests.mcp.sessions import InProcess, in_process
from tests.rpc.servers import Player, Server, server
from tests.rpc.test_non_interference import NOW, begun, copied
from tests.servers import ServerProcess


def test_with_other_dice_under_the_other_cups_a_model_is_told_the_same() -> None:
    """The same game at two servers: all dice are the same but the hidden ones of the others."""
    one, other = new_database(), new_database()

    async def story() -> tuple[list[bytes], list[bytes], bool]:
        async with server(one) as running:
            running.running.host.now = lambda: NOW
            players, game_id = await begun(running, "bidding-track")
            seat = (await players[0].ask("GetGame", game_id=game_id)).game.view.waiting[0]
            changed = await copied(one, other, game_id, seat, players)
            first = await told(running, players, game_id, seat)
        async with server(other) as running:
            running.running.host.now = lambda: NOW
            again = [Player(running.channel, player.token) for player in players]
            second = await told(running, again, game_id, seat)
        return first, second, changed

    first, second, changed = asyncio.run(story())

    assert changed
    assert len(first) > 10
    assert first == second


async def told(running: Server, players: list[Player], game_id: str, seat: int) -> list[bytes]:
    """All that a model on a seat is told when it looks, moves and is refused, while others move."""
    async with in_process(running.running.address, token=players[seat].token) as model:
        now = await model.call("observe", game_id=game_id)
        assert now["my_turn"]
        for tool, arguments in questions(now):
            await model.call(tool, game_id=game_id, **arguments)
        lowest = now["moves"]["bid"][-1]
        bid = {"action": "bid", "quantity": lowest["quantity"], "face": lowest["face"], "version": now["version"]}
        await model.call("act", game_id=game_id, **bid)
        await others_move(players, game_id)
        await seen_up_to(model, game_id, (await players[seat].ask("GetGame", game_id=game_id)).game.version)
        await model.call("wait_for_my_turn", game_id=game_id, seconds=0, since_version=0)
        return model.told


def questions(now: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """What a curious model asks, and tries, on its turn."""
    version, played = now["version"], now["round"]
    refused: list[dict[str, Any]] = [
        {"action": "bid", "quantity": 1, "face": 2, "show": [6, 6, 6, 6]},
        {"action": "show_and_reroll", "show": [1]},
        {"action": "roll"},
    ]
    return [
        ("wait_for_my_turn", {"seconds": 0, "since_version": 0}),
        *(("act", {**move, "version": version}) for move in refused),
        ("look_back", {"what": "game"}),
        ("look_back", {"what": "round", "round": played}),
        ("look_back", {"what": "round", "round": played - 1}),
        ("look_back", {"what": "step", "version": version}),
        *(("look_back", {"what": "step", "version": version, "seat": seat}) for seat in range(3)),
        ("audit", {"round": played}),
    ]


async def others_move(players: list[Player], game_id: str) -> None:
    view = (await players[0].ask("GetGame", game_id=game_id)).game.view
    following = players[view.waiting[0]]
    lowest = (await following.ask("GetGame", game_id=game_id)).game.view.moves.lowest_bids[-1]
    await following.ask("PlaceBid", game_id=game_id, quantity=lowest.quantity, face=lowest.face, request_id="next")


async def seen_up_to(model: InProcess, game_id: str, version: int) -> None:
    """Wait until the model has seen a version, however many looks it takes."""
    followed = await model.session.followed(game_id)
    assert await followed.until(lambda game: game.version >= version, 10)


def test_neither_tokens_nor_seeds_nor_keys_are_in_an_answer_or_in_the_log(server: ServerProcess, shared: Model) -> None:
    secrets = secrets_of_a_game(server, shared)

    outputs = [*shared.told, shared.logged]
    assert len(outputs) > 10
    for secret in secrets:
        assert not [output for output in outputs if secret in output]


def secrets_of_a_game(server: ServerProcess, playing: Model) -> set[str]:
    """Play a game and use every tool; returns the secrets, in every form in which they could be written."""
    game_id = playing.call("create_table", rulebook="bidding-track", bots=["cautious"], dice_each=2)["now"]["game_id"]
    token = TokenFile(playing.folder / "tokens.json").token(server.address)
    assert token is not None
    seats = [msgspec.json.decode(file.read_bytes(), type=Kept) for file in (playing.folder / "seats").glob("*.seat")]
    (kept,) = [seat for seat in seats if seat.game_id == game_id]
    assert kept.signing_key is not None
    playing.call("list_tables")
    playing.call("rulebooks", rulebook="bidding-track")
    playing.refused("join_table", game_id="nowhere")
    playing.play(game_id)
    playing.call("join_table", game_id=game_id, rematch=True)
    for what in ("games", "game", "step"):
        playing.call("look_back", what=what, game_id=game_id)
    playing.call("look_back", what="round", game_id=game_id, round=1)
    playing.call("audit", game_id=game_id)
    raw = (kept.seed, kept.signing_key)
    return {token, *(secret.hex() for secret in raw), *(b64encode(secret).decode() for secret in raw)}
