"""The lines of a game, one function for each kind; the writer writes them and the reader expects them."""

from typing import assert_never

from msgspec import UNSET, UnsetType

from domain.events import Ante, ForfeitReason, Hand
from domain.history.record import (
    Action,
    BidAction,
    ChallengeAction,
    ForfeitAction,
    ForfeitRecord,
    OpeningRollRecord,
    RollAction,
    RoundRecord,
    SeatRecord,
    ShowAndRerollAction,
    TimeoutAction,
)
from domain.notation.moments import write_offset
from domain.notation.words import write_bid, write_dice, write_text
from domain.options import Options
from domain.rulebooks import Rules
from domain.state import Loss

FIRST_WORD = "liarsdice"
FIRST_LINE = f"{FIRST_WORD} notation 1"
FIRST_LINE_TIMED = f"{FIRST_WORD} notation 2"
"""The second version has times, and is the first one otherwise."""
Stamped = Action | OpeningRollRecord | ForfeitRecord
"""What has a time and a version."""
OPTION_WORDS = {"yes": True, "no": False, "none": None}


def legend(rules: Rules) -> str:
    """A comment for readers who have never seen the notation."""
    star = f"; * is the {rules.book.wild_name}, which counts for every face" if rules.plain.wild else ""
    plain = "; in a palafico round it is a plain 1" if rules.palafico is not None else ""
    return f"# 4x3 is a bid of four 3s{star}{plain}"


def option(options: Options, name: str) -> str:
    """An option and its value."""
    value = getattr(options, name)
    # By identity: 1 equals True, but is a number.
    word = next((word for word, meaning in OPTION_WORDS.items() if meaning is value), str(value))
    return f"option {name} {word}"


def player(seat: SeatRecord) -> str:
    """Who sits on a seat."""
    return f"seat {seat.seat} {write_text(seat.name)}, {seat.kind} {seat.player_id}, chain held by {seat.chain_held_by}"


def opens(played: RoundRecord) -> str:
    """The first line of a round, with a comment on who has how many dice."""
    kind = "palafico round" if played.palafico else "round"
    counts = " ".join(str(count) for count in played.dice_counts)
    return f"{kind} {played.number}, seat {played.opener} opens  # dice {counts}"


def pays(ante: Ante) -> str:
    """What a seat paid into the pots."""
    return f"seat {ante.seat} pays {ante.round_pot} to the round pot, {ante.game_pot} to the game pot"


def acts(action: Action, dealt: tuple[Hand, ...], reasons: dict[int, ForfeitReason], *, wild: bool) -> str:
    """What a seat did; a roll with the dice it gave, if all had rolled; a forfeit with its reason."""
    match action:
        case RollAction(seat):
            return rolls(seat, dealt[seat], wild=wild)
        case BidAction(seat, quantity, face):
            return f"seat {seat} bids {write_bid(quantity, face, wild=wild)}"
        case ShowAndRerollAction(seat, shown, _, hand):
            return f"seat {seat} shows {write_dice(shown, wild=wild)} and rerolls to {write_dice(hand, wild=wild)}"
        case ChallengeAction(seat):
            return f"seat {seat} challenges"
        case TimeoutAction(seat):
            return f"seat {seat} runs out of time"
        case ForfeitAction(seat):
            return forfeits(seat, reasons[seat])
        case _:
            assert_never(action)


def stamped(line: str, action: Stamped, created_at: int | UnsetType) -> str:
    """The line of an action with its version and its time, if they are known and the game has times."""
    if created_at is UNSET or action.at is UNSET or action.version is UNSET:
        return line
    return f"{line}  @{action.version} {write_offset(action.at - created_at)}"


def rolls(seat: int, dice: Hand, *, wild: bool) -> str:
    """A roll of a seat."""
    return f"seat {seat} rolls {write_dice(dice, wild=wild)}".rstrip()


def forfeits(seat: int, reason: ForfeitReason) -> str:
    """A forfeit of a seat."""
    return f"seat {seat} forfeits, {reason}"


def has(seat: int, dice: Hand, *, wild: bool) -> str:
    """The dice of a seat at the end of a round, the shown ones first."""
    return f"seat {seat} has {write_dice(dice, wild=wild)}"


def counted(actual: int) -> str:
    """How many dice really counted towards the challenged bid."""
    return f"actual count {actual}"


def loses(loss: Loss, *, out: bool) -> str:
    """The dice that a seat lost; also the penalty, where the seat had too few for it."""
    dice = "die" if loss.penalty == 1 else "dice"
    end = " and is out" if out else ""
    if loss.lost == loss.penalty:
        return f"seat {loss.seat} loses {loss.lost} {dice}{end}"
    return f"seat {loss.seat} owes {loss.penalty} {dice}, loses {loss.lost}{end}"


def wins_challenge(seat: int) -> str:
    """Who won the challenge."""
    return f"seat {seat} wins the challenge"


def wins_game(seat: int) -> str:
    """Who won the game."""
    return f"seat {seat} wins the game"


def ranks(places: tuple[tuple[int, ...], ...]) -> str:
    """The seats, best first, with an equals sign between seats that share a place."""
    return "places " + " > ".join(" = ".join(str(seat) for seat in place) for place in places)
