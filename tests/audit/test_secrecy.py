"""No secret appears before its reveal: not in the database, its files and its log, and not in the server's log."""

import asyncio
import logging
import os
import subprocess
from base64 import b64encode
from pathlib import Path
from typing import Any

import grpc
import pytest
from liarsdice.v1 import game_pb2

from domain.deciding.checks import Calling
from infra.embedded.host import program
from infra.embedded.postgres import EmbeddedPostgres
from infra.events.mapping import EventMapper, EventTranscoder
from infra.keys.key_ring import Key, KeyRing
from infra.keys.log_keys import SignerRing
from services.app.environment import migrate_database
from services.app.settings import Settings
from services.app.wiring import serving
from tests.infra.postgres.databases import folder_for_a_server
from tests.rpc.servers import Server, Told

_SALT_LENGTH = 32


def occurs(secret: bytes, where: bytes) -> bool:
    """Whether a text contains some bytes: plain, in hexadecimal, in base64, or in base64 in hexadecimal."""
    text = b64encode(secret)
    forms = [secret, secret.hex().encode(), secret.hex().upper().encode(), text, text.hex().encode()]
    return any(form in where for form in forms)


async def played(url: str, key: bytes, log_key: bytes) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Play into the second round; returns what is secret then, and what was secret before."""
    await migrate_database(url)
    keys = KeyRing([Key(key)])
    settings = Settings(sweep_seconds=0.05, grace_seconds=1.0)
    async with (
        asyncio.timeout(60),
        serving(url, keys, SignerRing("liarsdice", [log_key]), settings) as running,
        grpc.aio.insecure_channel(running.address) as channel,
    ):
        server = Server(running, channel)
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob], "bidding-track", options={"dice_each": 10})
        await ann.ask("PlaceBid", game_id=game_id, quantity=7, face=2)
        await bob.ask("Challenge", game_id=game_id)
        game = await ann.sees(
            game_id, lambda game: game.view.phase == game_pb2.PHASE_BIDDING and game.view.round.number == 2
        )
        for wrong in ({"quantity": 0, "face": 2}, {"quantity": 1, "face": 9}):
            with pytest.raises(Told):
                await (ann if game.view.waiting[0] == 0 else bob).ask("PlaceBid", game_id=game_id, **wrong)
        await ann.ask("GetAudit", game_id=game_id, round=1)
        await running.logbook.caught_up(5)
        table = await running.host.tables.load(game_id)
        state, _ = await running.host.games.load(game_id)
        assert isinstance(state, Calling)
        length = state.table.fairness.chain_length
        mapper = EventMapper(EventTranscoder(keys, must_open=True))
        stored = await running.host.games.stored(game_id)
        openings = [opening for event in stored if (opening := mapper.opening(event)) is not None]
        assert table.opened.seed is not None
        secret = {
            "the server's seed": table.opened.seed,
            "a link to come": table.server_link(state.link_number + 1, length),
            "the link of this round": table.server_link(state.call, length),
            "the salt": openings[-1][:_SALT_LENGTH],
            "the dice": openings[-1][_SALT_LENGTH:].rpartition(b'"hands":')[2],
            "the key that seals": key,
            "the key that signs": log_key,
            "a token": ann.token.encode(),
            **{f"the chain kept for {player}": seed for player, seed in table.seeds.items()},
        }
        return secret, {
            "a link of the round before": table.server_link(1, length),
            "what opens the round before": openings[0],
        }


def test_no_seed_link_salt_key_or_token_is_anywhere_while_a_round_is_on(caplog: Any) -> None:
    """Statements are logged with their parameters here, and the program logs whatever it can."""
    caplog.set_level(logging.DEBUG)
    settings = {"log_statement": "all", "log_parameter_max_length": "-1"}
    key, log_key = os.urandom(32), os.urandom(32)
    with folder_for_a_server() as folder, EmbeddedPostgres(Path(folder) / "data", settings) as server:
        secrets, revealed = asyncio.run(played(server.url, key, log_key))
        dump = subprocess.run([program("pg_dump"), "--inserts", server.url], check=True, capture_output=True).stdout
        files = b"".join(path.read_bytes() for path in Path(folder).rglob("*") if path.is_file())

    assert len(secrets) == 10
    for where in (dump, files, caplog.text.encode()):
        assert [name for name, secret in secrets.items() if occurs(secret, where)] == []
    assert all(occurs(secret, dump) and occurs(secret, files) for secret in revealed.values()), "or nothing is found"
