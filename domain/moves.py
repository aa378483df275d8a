"""What a seat may do now. It follows from what the seat may see, and from nothing else."""

from domain.state import Bidding, ChoosingOpener, Gathering, Rolling, State
from domain.values import Bid, Value


class LegalMoves(Value, frozen=True, kw_only=True):
    """The commands that would be accepted from a seat."""

    leave: bool = False
    start: bool = False
    roll: bool = False
    lowest_bids: tuple[Bid, ...] = ()
    """The lowest legal bid of each face; any higher quantity of that face is legal too."""
    challenge: bool = False
    show_max: int = 0
    """How many hidden dice the seat may show at most, with its bid or right after it."""
    show_now: bool = False
    """Whether the seat may show and reroll now, as a step of its own after its bid."""
    forfeit: bool = False


NO_MOVES = LegalMoves()


def legal_moves(state: State, seat: int) -> LegalMoves:
    """What a seat may do in a state."""
    match state:
        case Gathering() if 0 <= seat < len(state.table.players):
            enough = len(state.table.players) >= state.table.rules.book.players_min
            return LegalMoves(leave=True, start=enough)
        case ChoosingOpener() | Rolling() | Bidding() if _has_dice(state, seat):
            return _moves_in_play(state, seat)
        case _:
            return NO_MOVES


def _has_dice(state: ChoosingOpener | Rolling | Bidding, seat: int) -> bool:
    return 0 <= seat < len(state.table.players) and state.standing.dice_counts[seat] > 0


def _moves_in_play(state: ChoosingOpener | Rolling | Bidding, seat: int) -> LegalMoves:
    if not isinstance(state, Bidding):
        return LegalMoves(roll=seat in state.waiting, forfeit=True)
    if seat == state.turn:
        return LegalMoves(
            lowest_bids=state.round_rules.lowest_bids(state.standing_bid),
            challenge=bool(state.bids),
            show_max=_show_max(state, seat),
            forfeit=True,
        )
    may_show = bool(state.bids) and state.bids[-1].seat == seat and not state.rerolled
    show_max = _show_max(state, seat) if may_show else 0
    return LegalMoves(show_max=show_max, show_now=show_max > 0, forfeit=True)


def _show_max(state: Bidding, seat: int) -> int:
    """BT-19: one hidden die must be left to reroll."""
    return state.cups[seat].hidden_count - 1 if state.table.rules.book.show_and_reroll else 0
