"""Reading how a challenge ended. What follows from the dice and the bid must agree with them."""

from domain.events import Hand
from domain.history.record import Action, BidAction, ChallengeAction, Result
from domain.notation import phrases
from domain.notation.lines import Lines, Unexpected, Words, words_of
from domain.notation.table import Table
from domain.notation.words import read_number
from domain.rulebooks.losing import Outcome
from domain.rulebooks.rulebook import RoundRules
from domain.state import Loss
from domain.values import QUANTITY_MAX, PlacedBid


def read_result(
    lines: Lines, table: Table, actions: tuple[Action, ...], dice: tuple[Hand, ...], rules: RoundRules
) -> Result | None:
    """The result of a round that ended with a challenge; None for one that did not."""
    if not actions or not isinstance(actions[-1], ChallengeAction):
        return None
    challenger = actions[-1].seat
    bid = [PlacedBid(made.seat, made.quantity, made.face) for made in actions if isinstance(made, BidAction)][-1]
    actual = sum(hand.count(face) for hand in dice for face in rules.counting_faces(bid.face))
    winner = Outcome(bid.seat, challenger, bid.quantity, actual, table.in_play).winner
    lines.expect(phrases.counted(actual))
    losses = _losses(lines, table)
    lines.expect(phrases.wins_challenge(winner))
    return Result(
        bid=bid, challenger=challenger, actual=actual, penalties=losses, winner=winner, eliminated=table.lose(losses)
    )


def _losses(lines: Lines, table: Table) -> tuple[Loss, ...]:
    losses: list[Loss] = []
    while lines.ahead[2:3] in {("loses",), ("owes",)}:
        words = lines.take()
        loss = _loss(words, table)
        if any(loss.seat == other.seat for other in losses):
            raise Unexpected("each seat to lose dice once", *words)
        losses.append(loss)
    return tuple(losses)


def _loss(words: Words, table: Table) -> Loss:
    match words:
        case ["seat", seat, "loses" | "owes", penalty, *_]:
            loser = table.seat(seat)
            count = table.dice_counts[loser]
            due = read_number(penalty, "a penalty", 1, QUANTITY_MAX)
            loss = Loss(loser, due, min(due, count))
            line = phrases.loses(loss, out=loss.lost == count)
            if words == words_of(line):
                return loss
            raise Unexpected(f"`{line}`", *words)
        case _:
            raise Unexpected("a loss like `seat 0 loses 1 die`", *words)
