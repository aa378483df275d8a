"""The course of a game as a whole: how long it was, and what opening it was worth."""

from collections.abc import Sequence

from domain.events import (
    AnyEvent,
    BidChallenged,
    BidPlaced,
    ChallengeResolved,
    DiceRerolled,
    GameEnded,
    GameStarted,
    PlayerForfeited,
    Rolled,
    RoundEnded,
    RoundStarted,
    TurnTimedOut,
)
from domain.statistics.facts import ONE
from domain.values import Value


class Course(Value, frozen=True, kw_only=True):
    """Whole numbers about a game that add up over games; times in milliseconds, expectations in billionths."""

    rounds: int = 0
    rounds_squares: int = 0
    moves: int = 0
    """Bids and challenges, those of the clock included."""
    moves_squares: int = 0
    time: int = 0
    """From the start of the game to its end; of a practice game from the first action of a round after the fork."""
    time_squares: int = 0
    won: int = 0
    """1 for a game that somebody won."""
    opener_wins: int = 0
    """1 for a game that the opener of its first round won."""
    opener_expected: int = 0
    """One divided by the number of players, for a game that somebody won."""
    challenges: int = 0
    """Rounds that a challenge decided."""
    opener_rounds_won: int = 0
    """Rounds in which the opener won the challenge."""
    opener_rounds_expected: int = 0
    """One divided by the number of players with dice, for each round that a challenge decided."""


COURSE = Course.__struct_fields__
_ACTIONS = (Rolled, BidPlaced, DiceRerolled, BidChallenged, TurnTimedOut, PlayerForfeited)
"""What records have as the actions of a round."""


def course_of(events: Sequence[AnyEvent], copied: int = 0) -> Course:
    """The course of a game, without the first `copied` events of a practice game."""
    own = events[copied:]
    rounds = sum(isinstance(event, RoundEnded) for event in own)
    moves = sum(isinstance(event, BidPlaced | BidChallenged) for event in own)
    time = max(own[-1].at - _began_at(events, copied), 0) if own else 0
    return Course(
        rounds=rounds,
        rounds_squares=rounds * rounds,
        moves=moves,
        moves_squares=moves * moves,
        time=time,
        time_squares=time * time,
        **_openings(events, copied),
    )


def _began_at(events: Sequence[AnyEvent], copied: int) -> int:
    """From when on the game counts: its start or, if that was copied, the first action of a round after the copy.

    Rolls for the opener don't count as actions, because records leave out those whose dice nobody saw.
    """
    rounds = False
    for version, event in enumerate(events, 1):
        rounds = rounds or isinstance(event, RoundStarted)
        if version > copied and (isinstance(event, GameStarted) or (rounds and isinstance(event, _ACTIONS))):
            return event.at
    return events[-1].at


def _openings(events: Sequence[AnyEvent], copied: int) -> dict[str, int]:
    found = {"challenges": 0, "opener_rounds_won": 0, "opener_rounds_expected": 0}
    first: RoundStarted | None = None
    current: RoundStarted | None = None
    for version, event in enumerate(events, 1):
        match event:
            case RoundStarted():
                first, current = first or event, event
            case ChallengeResolved(winner=winner) if current is not None and version > copied:
                found["challenges"] += 1
                found["opener_rounds_won"] += winner == current.opener
                found["opener_rounds_expected"] += ONE // sum(map(bool, current.dice_counts))
            case GameEnded(winner=winner) if first is not None:
                found |= {
                    "won": 1,
                    "opener_wins": int(winner == first.opener),
                    "opener_expected": ONE // len(first.dice_counts),
                }
            case _:
                pass
    return found
