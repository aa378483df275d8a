"""Whole games over real channels: they end, they can be proven, and nobody sees the dice under another cup."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from liarsdice.v1 import event_pb2, game_pb2

from domain.events import AnyEvent, CupsLifted, DiceDealt, DiceRerolled, Hand
from domain.evolve import fold
from domain.fairness.verification import verify
from domain.history.recording import record_of
from domain.rulebooks import BOOKS
from domain.values import Value
from domain.views import seen_by, view
from services.bots import BOTS
from services.wire.translation import event_of, view_of
from tests.rpc.clients import Client
from tests.rpc.servers import Player, Server, on_server

OWN_CHAINS = {"server's chains": (False, False, False), "own chains": (True, False, True)}
HAND_TELLING = 7
"""A hand of so many dice does not turn up somewhere else by chance."""


class Played(Value, frozen=True, eq=False):
    """A game that was played, what is stored of it, and who heard what."""

    game_id: str
    events: tuple[AnyEvent, ...]
    seeds: tuple[bytes, ...]
    clients: list[Client]
    spectator: Client
    final: Any


async def play(server: Server, rulebook: str, own_chains: tuple[bool, ...], **options: Any) -> Played:
    """A game between clients, with a spectator who follows it."""
    players = await server.players(len(own_chains))
    created = await players[0].ask("CreateGame", rulebook=rulebook, without_seat=True, options=options)
    game_id = created.game.view.game_id
    strategies = list(BOTS)
    clients = [Client(player, game_id, seed, strategies[seed % 3]) for seed, player in enumerate(players)]
    for client, own_chain in zip(clients, own_chains, strict=True):
        await client.join(own_chain=own_chain)
    spectator = Client(await server.player("Eve"), game_id, seed=99)
    following = [asyncio.create_task(client.play()) for client in (*clients, spectator)]
    await players[0].ask("StartGame", game_id=game_id)
    await asyncio.gather(*following)
    host = server.running.host
    table = await host.tables.load(game_id)
    assert table.opened.seed is not None
    final = (await players[0].ask("GetGame", game_id=game_id)).game
    stored = await host.games.events(game_id)
    return Played(game_id, stored, (table.opened.seed, *table.seeds.values()), clients, spectator, final)


@pytest.mark.parametrize("own_chains", OWN_CHAINS.values(), ids=OWN_CHAINS)
@pytest.mark.parametrize("rulebook", [book.id for book in BOOKS])
def test_a_whole_game_of_clients_is_the_game_that_is_stored_and_its_dice_are_proven(
    rulebook: str, own_chains: tuple[bool, ...]
) -> None:
    played = on_server(lambda server: play(server, rulebook, own_chains))

    record = record_of(played.events)
    assert record.winner is not None
    assert view_of(played.final.view) == view(fold(played.events), 0)
    for seat, client in enumerate((*played.clients, played.spectator)):
        viewer = seat if client is not played.spectator else None
        assert client.events == [seen_by(event, viewer) for event in played.events]
        assert record_of(client.events) == record
        findings = verify(client.events)
        assert findings.holds
        assert findings.dice
        assert findings.held_by_server == tuple(seat for seat, own in enumerate(own_chains) if not own)


@pytest.mark.parametrize("rulebook", [book.id for book in BOOKS])
def test_no_byte_to_anyone_ever_tells_another_hand_or_a_link_of_the_server_before_the_cups_are_lifted(
    rulebook: str,
) -> None:
    """With ten dice each a hand is long enough to be looked for in the bytes themselves."""
    played = on_server(lambda server: play(server, rulebook, (True, False), dice_each=10))

    secrets = list(secrets_of(played.events))
    assert len(secrets) > 2
    for seat, client in enumerate((*played.clients, played.spectator)):
        viewer = seat if client is not played.spectator else None
        assert len(client.player.heard) > 10
        check_heard(client.player, viewer, secrets, played.seeds)


class Secret(Value, frozen=True):
    """A secret that nobody, or no other seat, may learn before a version of the game."""

    seat: int | None
    told_from: int
    raw: bytes


def secrets_of(events: tuple[AnyEvent, ...]) -> Iterator[Secret]:
    """The hands and the server's links of a game."""
    for version, event in enumerate(events, 1):
        if isinstance(event, DiceDealt | DiceRerolled):
            lifted = next(
                later
                for later, candidate in enumerate(events[version:], version + 1)
                if isinstance(candidate, CupsLifted)
            )
            assert event.server_link is not None
            yield Secret(None, lifted, event.server_link)
            for seat, hand in hands_of(event):
                if len(hand) >= HAND_TELLING:
                    yield Secret(seat, lifted, bytes(hand))


def hands_of(event: DiceDealt | DiceRerolled) -> list[tuple[int, Hand]]:
    if isinstance(event, DiceRerolled):
        return [(event.seat, event.hand or ())]
    return [(seat, hand or ()) for seat, hand in enumerate(event.hands or ())]


def check_heard(player: Player, viewer: int | None, secrets: list[Secret], seeds: tuple[bytes, ...]) -> None:
    for raw, message in player.heard:
        assert not [seed for seed in seeds if seed in raw]
        version = 0 if message is None else version_of(message)
        hidden = [
            secret for secret in secrets if secret.told_from > version and (viewer is None or secret.seat != viewer)
        ]
        assert not [secret for secret in hidden if secret.raw in raw]
        for view_told in () if message is None else views_in(message):
            assert not [seat for seat in view_told.seats if seat.hidden.dice and seat.seat != viewer]


def version_of(message: Any) -> int:
    """The highest version that a message tells anything of."""
    versions = [event.version for event in parts(message, event_pb2.GameEvent)]
    return max([*versions, *(game.version for game in parts(message, game_pb2.Game))], default=0)


def views_in(message: Any) -> list[Any]:
    return [game.view for game in parts(message, game_pb2.Game)]


def parts(message: Any, kind: type[Any]) -> list[Any]:
    """All messages of a kind inside of a message."""
    if isinstance(message, kind):
        return [message]
    found: list[Any] = []
    for field, value in message.ListFields():
        if field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for inner in value if field.is_repeated else (value,):
                found += parts(inner, kind)
    return found


def test_the_check_for_secrets_would_find_one() -> None:
    """What is looked for is really there once the cups are lifted, and would be found if it came too early."""
    played = on_server(lambda server: play(server, "bidding-track", (True, False), dice_each=10))
    spectator = played.spectator.player
    late = [Secret(secret.seat, secret.told_from + 1_000, secret.raw) for secret in secrets_of(played.events)]

    for secret in late:
        with pytest.raises(AssertionError):
            check_heard(spectator, None, [secret], ())
    assert event_of(parts(spectator.heard[-1].message, event_pb2.GameEvent)[-1]) == played.events[-1]
