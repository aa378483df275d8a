"""No byte that the server sends to a seat depends on dice that are hidden from it.

Only digests do: they include the commitments to hidden dice, each with a random salt, so they differ even if the dice
are the same (`tests/infra/events/test_evidence.py`). The comparison leaves them out.
"""

import asyncio
from typing import Any

import pytest
from google.protobuf.message import Message
from liarsdice.v1 import game_pb2
from msgspec.structs import replace

from domain.events import AnyEvent, CupsLifted, DiceDealt, DiceRerolled, Hand
from infra.events.mapping import EventMapper, EventTranscoder, GameEvent
from infra.log.receipts import read_receipt
from infra.postgres.players import PlayerStore
from infra.postgres.store import EventStore
from services.access.identity import token_hash
from services.access.table_events import table_stream
from tests.connect.channels import PROTOCOLS, DoorChannel
from tests.infra.postgres.databases import new_database
from tests.rpc.clients import Client
from tests.rpc.servers import Player, Server, Told, server
from tests.servers import KEYS

NOW = 1_900_000_000_000
BOOKS = ("bidding-track", "single-hand", "pirates", "prediction-track", "palafico")


@pytest.mark.parametrize(
    ("rulebook", "protocol"),
    [*((book, "grpc") for book in BOOKS), *(("bidding-track", one) for one in (PROTOCOLS[0], PROTOCOLS[-1]))],
)
def test_with_other_dice_under_the_other_cups_a_seat_is_told_the_same_bytes(rulebook: str, protocol: str) -> None:
    one, other = new_database(), new_database()

    async def story() -> tuple[list[bytes], list[bytes], bool]:
        async with server(one, protocol=protocol) as running:
            running.running.host.now = lambda: NOW
            players, game_id = await begun(running, rulebook)
            seat = (await players[0].ask("GetGame", game_id=game_id)).game.view.waiting[0]
            changed = await copied(one, other, game_id, seat, players)
            first = await told(players, game_id, seat)
        async with server(other, protocol=protocol) as running:
            running.running.host.now = lambda: NOW
            second = await told([Player(running.channel, player.token) for player in players], game_id, seat)
        return first, second, changed

    first, second, changed = asyncio.run(story())

    assert changed
    assert len(first) > 10
    assert first == second


async def begun(running: Server, rulebook: str) -> tuple[list[Player], str]:
    """A game in its second round, in which the dice lie under the cups."""
    players = await running.players(3)
    game_id = await running.table(players, rulebook)
    clients = [Client(player, game_id, seed) for seed, player in enumerate(players)]
    await players[0].ask("StartGame", game_id=game_id)
    while True:
        game = await players[0].sees(game_id, lambda game: game.view.phase == game_pb2.PHASE_BIDDING)
        if game.view.round.number > 1:
            return players, game_id
        seat = game.view.waiting[0]
        await clients[seat]._move((await players[seat].ask("GetGame", game_id=game_id)).game)  # noqa: SLF001 - one move


async def copied(one: str, other: str, game_id: str, seat: int, players: list[Player]) -> bool:
    """Copy a game to another database, with other dice under the other cups; returns whether any die differs."""
    mapper = EventMapper(EventTranscoder(KEYS, must_open=True))
    source, target = await EventStore.open(one), await EventStore.open(other)
    try:
        table = await source.read_stream(table_stream(game_id))
        await target.append(list(table), "table")
        events = [mapper.to_domain_event(stored).event for stored in await source.read_stream(game_id)]
        last_reveal = max(index for index, event in enumerate(events) if isinstance(event, CupsLifted))
        twisted = [event if index < last_reveal else twist(event, seat) for index, event in enumerate(events)]
        numbered = enumerate(twisted, 1)
        await target.append(
            [mapper.to_stored_event(GameEvent(game_id, number, event)) for number, event in numbered], "game"
        )
        known = await PlayerStore.open(other)
        for index, player in enumerate(players):  # The same players with the same tokens.
            await known.add(player.player_id, f"Player {index}", token_hash(player.token), ("player",))
        await known.close()
        return twisted != events
    finally:
        await source.close()
        await target.close()


def twist(event: AnyEvent, seat: int) -> AnyEvent:
    """The same event with other dice in the hands of others."""
    if isinstance(event, DiceDealt) and event.hands is not None:
        hands = tuple(hand if of == seat else turned(hand) for of, hand in enumerate(event.hands))
        return replace(event, hands=hands)
    if isinstance(event, DiceRerolled) and event.seat != seat:
        return replace(event, hand=turned(event.hand))
    return event


def turned(hand: Hand | None) -> Hand | None:
    return None if hand is None else tuple(die % 6 + 1 for die in hand)


async def told(players: list[Player], game_id: str, seat: int) -> list[bytes]:
    """Every byte that a seat gets when it looks, moves and is refused, while others move."""
    player = players[seat]
    player.heard.clear()
    stream, play = player.watch(game_id, after_version=0, include_game=True), player.play()
    both = player.watch_all({"game_id": game_id, "include_game": True})
    await stream.next("update")
    await play.send(watch={"game_id": game_id, "include_game": True})
    await play.next("snapshot")
    await both.next("snapshot")
    game = (await player.ask("GetGame", game_id=game_id)).game
    lowest = game.view.moves.lowest_bids[-1]
    tries: list[tuple[str, dict[str, Any]]] = [
        ("PlaceBid", {"quantity": 99, "face": 2}),
        ("PlaceBid", {"quantity": 1, "face": 0}),
        ("ShowAndReroll", {"reroll": {"shown": [1]}}),
        ("PlaceBid", {"quantity": lowest.quantity, "face": lowest.face, "reroll": {"shown": [6, 6, 6, 6, 6]}}),
        ("Roll", {}),
        ("Challenge", {}),
        ("PlaceBid", {"quantity": lowest.quantity, "face": lowest.face, "include_game": True}),
        ("PlaceBid", {"quantity": lowest.quantity + 1, "face": lowest.face}),
    ]
    for number, (method, fields) in enumerate(tries):
        if method == "Challenge" and game.view.bids:
            continue  # It would lift the cups.
        try:
            await player.ask(method, game_id=game_id, request_id=f"try-{number}", **fields)
        except Told:
            continue
    await stream.next("update")
    await both.next("update")
    if not isinstance(player.channel, DoorChannel):  # Over HTTP nobody watches on a Play call.
        await play.next("update")
    after = (await player.ask("GetGame", game_id=game_id)).game
    following = players[after.view.waiting[0]]
    seen = (await following.ask("GetGame", game_id=game_id)).game.view.moves.lowest_bids[-1]
    await following.ask("PlaceBid", game_id=game_id, quantity=seen.quantity, face=seen.face, request_id="next")
    await stream.next("update")
    await both.next("update")
    if not isinstance(player.channel, DoorChannel):  # Over HTTP nobody watches on a Play call.
        await play.next("update")
    return [raw if message is None else without_digests(message) for raw, message in player.heard]


def without_digests(message: Message) -> bytes:
    """A message without its digests."""
    for field, value in message.ListFields():
        if field.name == "receipt":
            message.receipt = without_random(message.receipt)  # type: ignore[attr-defined]  # it has one
        elif field.name == "digest":
            message.ClearField(field.name)
        elif field.message_type is not None:
            for inner in value if field.is_repeated else (value,):
                without_digests(inner)
    return message.SerializeToString(deterministic=True)


def without_random(receipt: bytes) -> bytes:
    """A receipt without its digest and what follows from that and from its salt: the rest must be the same."""
    known = read_receipt(receipt)
    return bytes(replace(known, digest=bytes(32), salt=bytes(16), signature=bytes(64), path=()))
