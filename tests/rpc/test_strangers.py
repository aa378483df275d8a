"""Non-interference over refusals: to a stranger, a private or a late game looks the same whatever happens in it."""

from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from liarsdice.v1 import game_pb2

from tests.connect.channels import PROTOCOLS
from tests.extent import extent
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import METHODS, Player, Server, Told, on_server

NOW = 1_900_000_000_000
DELAY_SECONDS = 60
PUBLIC = Ed25519PrivateKey.from_private_bytes(b"e" * 32).public_key().public_bytes_raw()
SIGNATURE = {"after_version": 3, "signature": b"1" * 64}
STREAMS = {"WatchGame", "ReplayGame", "Play"}
TRIES: dict[str, list[dict[str, Any]]] = {
    "JoinGame": [{}, {"anchor": b"a" * 32, "signing_key": PUBLIC}, {"anchor": b"short"}],
    "LeaveGame": [{}, {"bot_seat": 1}, {"bot_seat": 9}],
    "AddBot": [{}, {"strategy": "bluffing"}],
    "AbandonGame": [{"reason": "because"}],
    "StartGame": [{}, {"opener": 0}],
    "Roll": [{}, {"link": b"l" * 32}, {"signature": SIGNATURE}],
    "PlaceBid": [{"quantity": 1, "face": 2}, {"quantity": 1, "face": 2, "reroll": {"shown": [1], "link": b"l" * 32}}],
    "ShowAndReroll": [{"reroll": {"shown": [1]}}, {"reroll": {"shown": [1]}, "signature": SIGNATURE}],
    "Challenge": [{}, {"signature": SIGNATURE}],
    "Forfeit": [{}, {"signature": SIGNATURE}],
    "CreateRematch": [{}, {"without_seat": True}],
    "ForkGame": [{"version": 1}, {"version": 5, "seat": 1}, {"version": 99}],
    "GetGame": [{}, {"invitation_code": "wrong"}],
    "GetRecord": [{}],
    "ListSteps": [{}, {"after_version": 3}, {"after_version": 99}],
    "GetStep": [{}, {"version": 1}, {"version": 5}, {"version": 99}],
    "ListGameDecisions": [{}],
    "GetAudit": [{}, {"round": 1}, {"round": 99}],
    "ListDisputes": [{}],
    "OpenDispute": [{"round": 1, "reason": "because"}],
    "AnnotateDispute": [{"round": 1, "text": "a remark"}],
    "CloseDispute": [{"round": 1, "text": "a remark"}],
}
"""Every call about one game, with requests that a stranger may send."""
VERSIONS = (None, 3, 99)
CASES: list[tuple[dict[str, Any], str]] = [
    *(({"private": True}, protocol) for protocol in ("grpc", *PROTOCOLS[::2])),
    *(({"spectator_delay_seconds": DELAY_SECONDS}, protocol) for protocol in ("grpc", *PROTOCOLS[1::2])),
]
"""Every other one of them has both tables, and a protocol of each kind."""


async def answers(eve: Player, game_id: str) -> list[tuple[str, object]]:
    """What a stranger gets for every command and every read, the bytes of refusals included."""
    found: list[tuple[str, object]] = []
    for method, tries in TRIES.items():
        has_version = "expected_version" in METHODS[method][1].input_type.fields_by_name
        for fields in tries:
            for version in VERSIONS if has_version else (None,):
                asked = fields if version is None else {**fields, "expected_version": version}
                found.append((method, await answer(eve, method, {"game_id": game_id, **asked})))
    for fields in ({}, {"after_version": 0}, {"after_version": 99}):
        stream = eve.watch(game_id, **fields)
        found.append(("WatchGame", await first(stream)))
    several = eve.watch_all({"game_id": game_id}, {"game_id": game_id.upper(), "after_version": 3})
    found.append(("WatchGames", await first(several)))
    found.append(("ReplayGame", await first(await eve.replay(game_id, wait_seconds_max=0))))
    play = eve.play()
    for version in VERSIONS:
        bid = {
            "game_id": game_id,
            "request_id": f"bid-{version}",
            "quantity": 1,
            "face": 2,
            "expected_version": version,
        }
        await play.send(place_bid=bid)
        found.append(("Play", (await play.next("refused")).SerializeToString(deterministic=True)))
    play.call.cancel()
    return found


async def answer(eve: Player, method: str, fields: dict[str, Any]) -> object:
    if "request_id" in METHODS[method][1].input_type.fields_by_name:
        fields = {**fields, "request_id": "the-same-each-time"}
    try:
        return (await eve.ask(method, **fields)).SerializeToString(deterministic=True)
    except Told as told:
        return told.reason, told.raw


async def first(stream: Any) -> object:
    try:
        return (await anext(stream)).SerializeToString(deterministic=True)
    except Told as told:
        return told.reason, told.raw
    finally:
        stream.call.cancel()


def test_every_call_about_a_game_is_tried() -> None:
    about_games = {name for name, (_, method) in METHODS.items() if "game_id" in method.input_type.fields_by_name}

    assert about_games - STREAMS == TRIES.keys()


@pytest.mark.at_length
@pytest.mark.parametrize(("table", "protocol"), CASES[:: extent(2, 1)])
def test_whatever_happens_at_a_private_or_late_table_a_stranger_gets_the_same_answers(
    table: dict[str, Any], protocol: str
) -> None:
    async def story(server: Server) -> list[list[tuple[str, object]]]:
        server.running.host.now = lambda: NOW  # The time of a step is no secret, and would differ.
        ann, bob, eve = await server.players(3)
        game_id = await server.table([ann, bob], options={"dice_each": 1}, **table)
        found = []
        if "private" in table:  # Who joins a late table before its start is no secret.
            found.append(await answers(eve, game_id))
        await ann.ask("StartGame", game_id=game_id, opener=0)
        await ann.sees(game_id, lambda game: game.view.phase == game_pb2.PHASE_BIDDING)
        found.append(await answers(eve, game_id))
        await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2)
        found.append(await answers(eve, game_id))
        await bob.ask("Challenge", game_id=game_id)
        await ann.sees(game_id, lambda game: game.view.phase == game_pb2.PHASE_ENDED)
        await bob.ask("OpenDispute", game_id=game_id, round=1, reason="no way")
        await bob.ask("CreateRematch", game_id=game_id)
        found.append(await answers(eve, game_id))
        return found

    found = on_server(story, url=new_database(), protocol=protocol)

    for later in found[1:]:
        assert later == found[0]
