"""Lies of a server about a game, what a client says when it has found them out, and what a liar was sent."""

from typing import Any

from liarsdice.v1 import game_pb2

from domain.events import AnyEvent, GameCreated, PlayerJoined, RollCalled
from domain.fairness.chain import hashed
from tests.client.liars import Liar, Lie

OTHER = b"\x01" * 32
LINKS_MAX = 70


def told(events: Any, kind: str) -> list[Any]:
    return [getattr(event, kind) for event in events if event.WhichOneof("event") == kind]


def number_too_high(game: game_pb2.Game, events: Any) -> None:
    for called in told(events, "roll_called"):
        called.call += 1
    game.link_number += 1 if game.link_number else 0


def number_too_high_from_the_second_call_on(game: game_pb2.Game, events: Any) -> None:
    for called in told(events, "roll_called"):
        called.call += 1 if called.call > 1 else 0
    game.link_number += 1 if game.link_number > 1 else 0


def number_too_low(game: game_pb2.Game, events: Any) -> None:
    for called in told(events, "roll_called"):
        called.call = 1
    game.link_number = 1 if game.link_number else 0


def more_numbers_set_aside(_game: game_pb2.Game, events: Any) -> None:
    for called in told(events, "roll_called"):
        called.calls += 3


def another_number_than_the_events_have(game: game_pb2.Game, _events: Any) -> None:
    game.link_number += 5


def dice_other_than_dealt(game: game_pb2.Game, events: Any) -> None:
    for dealt in told(events, "dice_dealt"):
        for hand in dealt.hands:
            hand.dice[:] = [7 - die for die in hand.dice]
    for seat in game.view.seats:
        if seat.HasField("hidden"):
            seat.hidden.dice[:] = [7 - die for die in seat.hidden.dice]


def dice_shown_other_than_told(game: game_pb2.Game, _events: Any) -> None:
    for seat in game.view.seats:
        if seat.HasField("hidden"):
            seat.hidden.dice[:] = [7 - die for die in seat.hidden.dice]


def dice_shown_as_if_of_another_version(game: game_pb2.Game, events: Any) -> None:
    if events:
        dice_shown_other_than_told(game, events)
        game.version -= 1


def chain_of_the_servers(game: game_pb2.Game, events: Any) -> None:
    for joined in told(events, "player_joined"):
        if joined.name == "Ann":
            joined.anchor, joined.chain_held_by = OTHER, game_pb2.CHAIN_HELD_BY_SERVER
    for seat in game.view.seats:
        if seat.name == "Ann":
            seat.chain_held_by = game_pb2.CHAIN_HELD_BY_SERVER


def no_signing_key(_game: game_pb2.Game, events: Any) -> None:
    for joined in told(events, "player_joined"):
        joined.ClearField("signing_key")


def another_game(_game: game_pb2.Game, events: Any) -> None:
    for created in told(events, "game_created"):
        created.game_id = "another"


def another_anchor_of_the_server(_game: game_pb2.Game, events: Any) -> None:
    for created in told(events, "game_created"):
        created.fairness.server_anchor = OTHER


def another_die_at_the_reveal(_game: game_pb2.Game, events: Any) -> None:
    for lifted in told(events, "cups_lifted"):
        lifted.deals[0].hands[1].dice[0] = 7 - lifted.deals[0].hands[1].dice[0]


def sent_and_due(liar: Liar, events: tuple[AnyEvent, ...]) -> tuple[list[int], set[int]]:
    """The numbers of the links that a liar was sent, and those that the true server has called for."""
    (created,) = (event for event in events if isinstance(event, GameCreated))
    (anchor,) = (event.anchor for event in events if isinstance(event, PlayerJoined) and event.name == "Ann")
    numbers = [_number(link, anchor, created.game_id) for link in liar.links]
    return numbers, {event.call for event in events if isinstance(event, RollCalled)}


def _number(link: bytes, anchor: bytes, game_id: str) -> int:
    """How many steps lead from a link to the anchor."""
    for number in range(1, LINKS_MAX + 1):
        link = hashed(link, game_id)
        if link == anchor:
            return number
    raise AssertionError("a link of no chain")


LIES: tuple[tuple[Lie, str], ...] = (
    (number_too_high, "The next call has the number 1"),
    (number_too_high_from_the_second_call_on, "The next call has the number"),
    (number_too_low, "The next call has the number"),
    (more_numbers_set_aside, "sets aside the numbers of 1 calls"),
    (another_number_than_the_events_have, "it asks for link"),
    (dice_other_than_dealt, "The deal itself showed something else"),
    (dice_shown_other_than_told, "it shows the table otherwise"),
    (dice_shown_as_if_of_another_version, "it shows version"),
    (chain_of_the_servers, "your seat does not have the chain"),
    (no_signing_key, "your seat does not have the chain and the key"),
    (another_game, "it sends events of the game another"),
    (another_anchor_of_the_server, "The link does not lead"),
    (another_die_at_the_reveal, "The links make"),
)
"""What a server may change, and a part of the sentence about it."""
