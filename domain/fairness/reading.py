"""Reading the events of a game that somebody else has written down: is it an event, can it come here, on what terms."""

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
"""Which events that matter to the dice can come at each stage of a game, and to which stage they lead."""

FOLLOWED = frozenset(kind for kinds in ORDER.values() for kind in kinds)

_KINDS: frozenset[type] = frozenset(get_args(AnyEvent))


def read(event: Any) -> AnyEvent | None:
    """An event whose fields have the types they should; a struct takes anything when it is made by hand."""
    if type(event) not in _KINDS:
        return None
    try:
        well_typed: AnyEvent = msgspec.msgpack.decode(msgspec.msgpack.encode(event), type=type(event))
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError):
        return None
    return well_typed


def terms(event: GameCreated) -> Rules | str:
    """The rules of a game, or why its dice can't be checked by them."""
    fairness, options = event.fairness, event.options
    if fairness.version != VERSION:
        return f"Version {fairness.version} of the derivation is not known"
    if len(fairness.server_anchor) != LINK_LENGTH or not is_id(event.game_id):
        return "The game id or the server's anchor can't be one"
    try:
        rules = rules_of(event.rulebook, event.rulebook_version, options)
    except KeyError:
        return f"Version {event.rulebook_version} of the book {event.rulebook} is not known"
    if rules.book.players_min <= event.seats <= rules.book.players_max and 1 <= options.dice_each <= DICE_EACH_MAX:
        return rules
    return f"The book has no table with {event.seats} seats and {options.dice_each} dice each"
