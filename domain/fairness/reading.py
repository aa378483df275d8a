"""Reading events that somebody else wrote down: what an event is, which one can come when, and the rules of the game."""

from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from domain.events import (
    AnyEvent,
    BidPlaced,
    CupsLifted,
    DiceDealt,
    DiceLost,
    DiceRerolled,
    GameAbandoned,
    GameCreated,
    GameEnded,
    GameStarted,
    OpenerChosen,
    OpeningDiceRolled,
    PlayerForfeited,
    PlayerJoined,
    PlayerLeft,
    RollCalled,
    Rolled,
    RoundEnded,
    RoundStarted,
)
from domain.fairness.chain import LINK_LENGTH
from domain.fairness.derivation import VERSION
from domain.naming import is_id
from domain.options import DICE_EACH_MAX
from domain.rulebooks import Rules, rules_of

ORDER: Mapping[str, Mapping[type, str]] = {
    "nothing": {GameCreated: "gathering"},
    "gathering": {PlayerJoined: "gathering", PlayerLeft: "gathering", GameStarted: "started", GameAbandoned: "over"},
    "started": {RollCalled: "choosing", OpenerChosen: "chosen"},
    "choosing": {Rolled: "choosing", OpeningDiceRolled: "opened", PlayerForfeited: "between", GameAbandoned: "over"},
    "opened": {RollCalled: "choosing", OpenerChosen: "chosen"},
    "chosen": {RoundStarted: "begun"},
    "begun": {RollCalled: "rolling"},
    "rolling": {Rolled: "rolling", DiceDealt: "bidding", PlayerForfeited: "settling", RoundEnded: "between"},
    "bidding": {BidPlaced: "bidding", DiceRerolled: "bidding", CupsLifted: "settling"},
    "settling": {DiceLost: "settling", PlayerForfeited: "settling", RoundEnded: "between"},
    "between": {RoundStarted: "begun", GameEnded: "over", GameAbandoned: "over"},
    "over": {},
    "unreadable": {},
}
"""The events that can come at each stage of a game and matter to the dice, and the stage that each leads to."""

FOLLOWED = frozenset(kind for kinds in ORDER.values() for kind in kinds)

_KINDS: frozenset[type] = frozenset(get_args(AnyEvent))


def read(event: Any) -> AnyEvent | None:
    """The event, or None if its fields don't have their declared types: a struct made by hand takes any value."""
    if type(event) not in _KINDS:
        return None
    try:
        well_typed: AnyEvent = msgspec.msgpack.decode(msgspec.msgpack.encode(event), type=type(event))
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError):
        return None
    return well_typed


def terms(event: GameCreated) -> Rules | str:
    """The rules of a game, or why nobody can check its dice by them."""
    fairness, options = event.fairness, event.options
    if fairness.version != VERSION:
        return f"This check does not know version {fairness.version} of the derivation"
    if len(fairness.server_anchor) != LINK_LENGTH or not is_id(event.game_id):
        return "The game id or the server's anchor is not valid"
    try:
        rules = rules_of(event.rulebook, event.rulebook_version, options)
    except KeyError:
        return f"This check does not know version {event.rulebook_version} of the book {event.rulebook}"
    if rules.book.players_min <= event.seats <= rules.book.players_max and 1 <= options.dice_each <= DICE_EACH_MAX:
        return rules
    return f"The book has no table with {event.seats} seats and {options.dice_each} dice each"
