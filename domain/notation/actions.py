"""Reading what the players did in a round."""

from domain.events import ForfeitReason
from domain.history.record import (
    Action,
    BidAction,
    ChallengeAction,
    ForfeitAction,
    RollAction,
    ShowAndRerollAction,
    TimeoutAction,
)
from domain.notation.lines import Lines, Unexpected, Words
from domain.notation.table import Cups, Stamp, Table
from domain.notation.words import read_bid, read_choice, read_dice


def read_actions(lines: Lines, table: Table, cups: Cups) -> tuple[Action, ...]:
    """The actions of a round; a challenge or a forfeit is the last one."""
    actions: list[Action] = []
    while lines.begins("seat") and lines.ahead[2:3] != ("has",):
        words = lines.take()
        action = _action(words, table, cups)
        if isinstance(action, ChallengeAction | ShowAndRerollAction) and not _has_bid(actions):
            raise Unexpected("a bid before this", *words)
        actions.append(action)
        if isinstance(action, ChallengeAction | ForfeitAction):
            break
    cups.check_whole()
    return tuple(actions)


def _action(words: Words, table: Table, cups: Cups) -> Action:
    words, stamp = table.stamp(words)
    match words:
        case ["seat", seat, "rolls", *dice]:
            return _roll(table.seat(seat), dice, cups, stamp)
        case ["seat", seat, "bids", bid]:
            return _bid(table.seat(seat), bid, cups, stamp)
        case ["seat", seat, "shows", *dice] if "and" in dice:
            return _show_and_reroll(table.seat(seat), words, cups, stamp)
        case ["seat", seat, "challenges"]:
            return ChallengeAction(table.seat(seat), *stamp)
        case ["seat", seat, "runs", "out", "of", "time"]:
            return TimeoutAction(table.seat(seat), *stamp)
        case ["seat", seat, "forfeits", ",", reason]:
            return _forfeit(table.seat(seat), reason, table, stamp)
        case _:
            raise Unexpected("an action like `seat 0 bids 4x3`", *words)


def _roll(seat: int, dice: list[str], cups: Cups, stamp: Stamp) -> RollAction:
    """A roll shows its dice, if they fell."""
    cups.roll(seat, read_dice(dice, cups.dice_counts[seat]) if dice else ())
    return RollAction(seat, *stamp)


def _bid(seat: int, word: str, cups: Cups, stamp: Stamp) -> BidAction:
    cups.check_fallen()
    bid = read_bid(word)
    return BidAction(seat, bid.quantity, bid.face, *stamp)


def _show_and_reroll(seat: int, words: Words, cups: Cups, stamp: Stamp) -> ShowAndRerollAction:
    middle = words.index("and")
    if words[middle : middle + 3] != ("and", "rerolls", "to"):
        raise Unexpected("`and rerolls to` with the new dice", *words[middle:])
    shown, rerolled = words[3:middle], words[middle + 3 :]
    hand = read_dice(rerolled, len(rerolled))
    action = ShowAndRerollAction(seat, read_dice(shown, len(shown)), len(rerolled), hand, *stamp)
    cups.show(seat, action.shown, action.hand)
    return action


def _forfeit(seat: int, reason: str, table: Table, stamp: Stamp) -> ForfeitAction:
    table.forfeit(seat, read_choice(reason, ForfeitReason), stamp)
    return ForfeitAction(seat, *stamp)


def _has_bid(actions: list[Action]) -> bool:
    return any(isinstance(action, BidAction) for action in actions)
