"""Ways out of a running game: forfeiting, running out of time, and abandoning it."""

from domain.commands import AbandonGame, Forfeit, TimeOut
from domain.deciding.checks import Playing, in_play, playing
from domain.deciding.rounds import elimination, game_ends, round_begins
from domain.deciding.settling import challenged, lift_cups
from domain.events import (
    AnyEvent,
    BidPlaced,
    ForfeitReason,
    GameAbandoned,
    PlayerForfeited,
    RoundEnded,
    TurnTimedOut,
)
from domain.evolve import fold
from domain.naming import is_reason
from domain.refusals import (
    GameOver,
    NoSuchGame,
    NotOnTheClock,
    NoTurnClock,
    ReasonInvalid,
    TimeNotUp,
)
from domain.state import Bidding, ChoosingOpener, Ended, Gathering, Nothing, Settling, State


def forfeit(command: Forfeit, state: State) -> tuple[AnyEvent, ...]:
    """R10: give up; the round has no loser, and the player to the left opens the next."""
    running = playing(state)
    in_play(running, command.seat)
    return _forfeited(command.at, command.seat, "resigned", running)


def time_out(command: TimeOut, state: State) -> tuple[AnyEvent, ...]:
    """R15: act for a player whose time is up, as the game's options say."""
    running = playing(state)
    in_play(running, command.seat)
    _check_clock(command, running)
    timed_out = TurnTimedOut(at=command.at, seat=command.seat)
    if not isinstance(running, Bidding) or running.table.options.on_timeout == "forfeit":
        return (timed_out, *_forfeited(command.at, command.seat, "time", running))
    return (timed_out, *_acted(command.at, command.seat, running))


def abandon_game(command: AbandonGame, state: State) -> tuple[AnyEvent, ...]:
    """R17: end the game without a winner and lay open what was rolled."""
    if isinstance(state, Nothing):
        raise NoSuchGame
    if isinstance(state, Ended):
        raise GameOver
    if not is_reason(command.reason):
        raise ReasonInvalid(reason=command.reason)
    abandoned = GameAbandoned(at=command.at, reason=command.reason)
    if isinstance(state, Gathering | ChoosingOpener):
        return (abandoned,)
    return (*_cups_up(command.at, state), RoundEnded(at=command.at, number=state.round.number), abandoned)


def _check_clock(command: TimeOut, state: Playing) -> None:
    seconds = state.table.options.turn_seconds
    if seconds is None:
        raise NoTurnClock
    waiting = () if isinstance(state, Settling) else state.waiting
    if command.seat not in waiting or isinstance(state, Settling):
        raise NotOnTheClock("R15", seat=command.seat, waiting=waiting)
    left = state.since + seconds * 1000 - command.at
    if left > 0:
        raise TimeNotUp("R15", seat=command.seat, milliseconds=left)


def _acted(at: int, seat: int, state: Bidding) -> tuple[AnyEvent, ...]:
    """A challenge or the lowest bid, as the options say and the rules allow."""
    lowest = state.round_rules.lowest_bids(state.standing_bid)
    prefers_challenge = state.table.options.on_timeout == "challenge"
    if state.bids and (prefers_challenge or not lowest):
        return challenged(at, seat, state)
    bid = min(lowest, key=state.round_rules.raising.height)
    return (BidPlaced(at=at, seat=seat, quantity=bid.quantity, face=bid.face),)


def _forfeited(at: int, seat: int, reason: ForfeitReason, state: Playing) -> tuple[AnyEvent, ...]:
    lost = state.standing.dice_counts[seat]
    first = (*_cups_up(at, state), PlayerForfeited(at=at, seat=seat, reason=reason, lost=lost))
    after = fold(first, state)
    assert isinstance(after, Playing)
    gone = elimination(at, after.standing, (seat,))
    ended = () if isinstance(after, ChoosingOpener) else (RoundEnded(at=at, number=after.round.number),)
    settled = fold((*gone, *ended), after)
    assert isinstance(settled, Playing)
    standing = settled.standing
    if len(standing.in_play) == 1:
        return (*first, *gone, *ended, *game_ends(at, standing))
    number = 1 if isinstance(settled, ChoosingOpener) else settled.round.number + 1
    return (*first, *gone, *ended, *round_begins(at, state.table.rules, standing, number, standing.left_of(seat)))


def _cups_up(at: int, state: Playing) -> tuple[AnyEvent, ...]:
    """A round that ends early reveals its dice like any other, if it has any."""
    return (lift_cups(at, state),) if isinstance(state, Bidding) else ()
