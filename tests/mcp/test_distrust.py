"""A model does not have to trust the server: what does not fit is named, and its player can be forgotten."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from liarsdice.v1 import game_pb2

from services.client import Client, PastGames
from tests.client.liars import Liar
from tests.mcp.models import Model
from tests.mcp.sessions import in_process
from tests.servers import SECONDS_MAX, ServerProcess


def test_a_server_that_contradicts_itself_is_named_and_gets_no_link(server: ServerProcess, tmp_path: Path) -> None:
    def too_high(game: game_pb2.Game, _events: Any) -> None:
        game.link_number += 7

    async def story() -> dict[str, Any]:
        async with (
            asyncio.timeout(SECONDS_MAX),
            Liar.before(server.address) as liar,
            in_process(liar.address, tmp_path) as model,
        ):
            await model.call("rulebooks")
            liar.lie = too_high
            told = await model.call("create_table", rulebook="single-hand", bots=["cautious"])
            assert not liar.links
            return told

    told = asyncio.run(story())

    assert told["reason"] == "SERVER_FALSE"
    assert "it asks for link" in told["sentence"]


def test_a_player_whom_the_server_has_forgotten_becomes_a_new_one(server: ServerProcess) -> None:
    async def story() -> tuple[dict[str, Any], dict[str, Any]]:
        async with in_process(server.address) as model:
            await model.call("list_tables")
            async with Client.connect(server.address, (await model.session.client()).token) as same:
                await same.revoke_token(everything=True)
            return await model.call("list_tables"), await model.call("list_tables")

    refused, again = asyncio.run(story())

    assert refused["reason"] == "TOKEN_INVALID"
    assert again["you"] == "Model"


@pytest.fixture(scope="module")
def bundle(server: ServerProcess, shared: Model) -> tuple[str, str, bytes]:
    """The address of a server, a game there, and the proof of its first round."""
    game_id = shared.call("create_table", rulebook="pirates", bots=["cautious"], dice_each=1)["now"]["game_id"]
    shared.play(game_id)

    async def fetched() -> bytes:
        async with Client.connect(server.address) as client:
            await client.register("Bob")
            return await client.past.bundle(game_id, 1)

    return server.address, game_id, asyncio.run(fetched())


@pytest.mark.parametrize(
    ("damage", "asked", "check"),
    [(b"x", 1, "form"), (b"", None, "subject"), (b"", 2, "subject")],
    ids=["a damaged bundle", "a round in place of the game", "another round"],
)
def test_a_bundle_that_proves_nothing_or_something_else_is_not_verified(
    damage: bytes,
    asked: int | None,
    check: str,
    bundle: tuple[str, str, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address, game_id, proof = bundle

    async def sent(*_: Any) -> bytes:
        return proof + damage

    monkeypatch.setattr(PastGames, "bundle", sent)

    async def story() -> dict[str, Any]:
        async with in_process(address) as model:
            return await model.call("audit", game_id=game_id, round=asked)

    told = asyncio.run(story())

    assert told["verified"] is False
    assert told["failed_check"] == check
    assert "proven" not in told
