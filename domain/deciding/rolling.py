"""Rolling the dice of a round: each player reveals a link, and the last one makes all dice fall."""

from domain.commands import Roll
from domain.deciding.checks import in_play, players_link, playing, servers_link
from domain.deciding.opening import roll_for_opener
from domain.events import AnyEvent, DiceDealt, Rolled
from domain.evolve import evolve
from domain.fairness.derivation import deal_key, hand
from domain.refusals import AlreadyRolled, NothingToRoll
from domain.state import Bidding, ChoosingOpener, Rolling, Settling, State


def roll(command: Roll, state: State) -> tuple[AnyEvent, ...]:
    """Roll for the opener or for the round, whichever is on."""
    running = playing(state)
    in_play(running, command.seat)
    match running:
        case ChoosingOpener():
            return roll_for_opener(command, running)
        case Rolling():
            return _roll_for_round(command, running)
        case Bidding() | Settling():
            raise NothingToRoll(running.table.rules.book.cites.rolling)


def _roll_for_round(command: Roll, state: Rolling) -> tuple[AnyEvent, ...]:
    waiting = state.waiting
    if command.seat not in waiting:
        raise AlreadyRolled(state.table.rules.book.cites.rolling, seat=command.seat, waiting=waiting)
    players_link(state, command.seat, command.link)
    rolled = Rolled(at=command.at, seat=command.seat, link=command.link)
    if len(waiting) > 1:
        return (rolled,)
    servers_link(state, command.server_link)
    after = evolve(state, rolled)
    assert isinstance(after, Rolling)
    key = deal_key(after.standing.transcript, after.call, command.server_link, after.links)
    hands = tuple(hand(key, seat, count) for seat, count in enumerate(after.standing.dice_counts))
    return (rolled, DiceDealt(at=command.at, server_link=command.server_link, hands=hands))
