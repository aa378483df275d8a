"""Deciding what a command does: it returns the events that the command causes, or refuses. It changes nothing itself."""

from typing import assert_never, get_args

import msgspec

from domain.commands import (
    AbandonGame,
    AnyCommand,
    Challenge,
    CreateGame,
    Forfeit,
    JoinGame,
    LeaveGame,
    PlaceBid,
    Roll,
    ShowAndReroll,
    StartGame,
    TimeOut,
)
from domain.deciding.bidding import place_bid, show_and_reroll
from domain.deciding.checks import Calling
from domain.deciding.gathering import create_game, join_game, leave_game
from domain.deciding.leaving import abandon_game, forfeit, time_out
from domain.deciding.opening import start_game
from domain.deciding.rolling import roll
from domain.deciding.settling import challenge
from domain.events import AnyEvent
from domain.refusals import Malformed
from domain.state import State

_COMMANDS = frozenset(get_args(AnyCommand))


def decide(command: AnyCommand, state: State) -> tuple[AnyEvent, ...]:
    """The events that a command causes in a state; raises a `Refusal` if it may not happen."""
    command = _not_before(_well_typed(command), state)
    match command:
        case PlaceBid():
            return place_bid(command, state)
        case Roll():
            return roll(command, state)
        case Challenge():
            return challenge(command, state)
        case ShowAndReroll():
            return show_and_reroll(command, state)
        case Forfeit():
            return forfeit(command, state)
        case TimeOut():
            return time_out(command, state)
        case CreateGame():
            return create_game(command, state)
        case JoinGame():
            return join_game(command, state)
        case LeaveGame():
            return leave_game(command, state)
        case StartGame():
            return start_game(command, state)
        case AbandonGame():
            return abandon_game(command, state)
        case _:
            assert_never(command)


def _not_before(command: AnyCommand, state: State) -> AnyCommand:
    """R15: the command, no earlier than the state: otherwise a clock that is set back could cost a player the turn."""
    if isinstance(state, Calling) and command.at < state.since:
        return msgspec.structs.replace(command, at=state.since)
    return command


def _well_typed(command: AnyCommand) -> AnyCommand:
    """The command with every value of its declared type: a struct made by hand takes values of any type."""
    kind = type(command)
    if kind not in _COMMANDS:
        raise Malformed(what="command", problem=f"there is no command {kind.__name__}")
    try:
        plain = msgspec.to_builtins(command, builtin_types=(bytes,))
        return msgspec.convert(plain, kind, builtin_types=(bytes,))
    except (msgspec.ValidationError, TypeError, OverflowError, RecursionError, UnicodeError) as error:
        raise Malformed(what=f"{kind.__name__} command", problem=str(error)) from None
