"""A challenge: the dice that count, the winner, and the dice that are lost. Checked as part of `outcome`."""

from dataclasses import dataclass

from .bids import WILD, Bid
from .chips import check_round_pot
from .cups import Cups, check_cups, report_dice
from .form import Json
from .game import Game, Opener
from .round_end import check_eliminated, check_round_end
from .times import note_move
from .turns import Due, Turns, check_turn


@dataclass(frozen=True, slots=True)
class Ruling:
    """The result of a challenge: the bid, the challenger, and how many dice count."""

    bid: Bid
    challenger: int
    actual: int

    @property
    def holds(self) -> bool:
        """Whether at least as many dice count as the bid says."""
        return self.actual >= self.bid.quantity

    @property
    def difference(self) -> int:
        """The difference between the bid and the dice that count."""
        return abs(self.actual - self.bid.quantity)

    @property
    def winner(self) -> int:
        """The winner of the challenge; of an exact bid it is the bidder."""
        return self.bid.seat if self.holds else self.challenger

    @property
    def loser(self) -> int:
        """The loser of the challenge."""
        return self.challenger if self.holds else self.bid.seat


def check_challenge(game: Game, turns: Turns, due: Due | None) -> Opener | None:
    """Check a challenge up to the end of its round; returns the opener of the next round, if any."""
    bid = _check_called(game, turns, due)
    cups = check_cups(game, turns.deals)
    report_dice(game, cups, _counting_faces(game, bid), "does not count")
    ruling = Ruling(bid, turns.turn, sum(die["counts"] for die in game.round.dice))
    resolved = _check_resolved(game, ruling, cups)
    losers = _losers(game, ruling)
    penalties = [_check_loss(game, seat, _penalty(game, ruling)) for seat in losers]
    game.round.ending = "challenge"
    game.round.result = resolved | {"loser": ruling.loser, "penalties": penalties}
    check_eliminated(game, [seat for seat in losers if not game.standing.dice_counts[seat]])
    check_round_pot(game, ruling.winner)
    return check_round_end(game, _opener(game, ruling), losers)


def _check_called(game: Game, turns: Turns, due: Due | None) -> Bid:
    """A player challenges in turn, there is a bid to challenge, and the clock did not ask for a bid instead."""
    fields = game.events.take("bid-challenged")
    bid, turn = turns.bid, turns.turn
    check_turn(game, fields["seat"], turn)
    game.events.need("bids", bid is not None, "there is no bid to challenge")
    assert bid is not None
    game.events.need(
        "bids", fields["bid"] == bid.fields(), f"it names another bid than the last one, {bid} of seat {bid.seat}"
    )
    if due is not None:
        game.events.need("bids", due.bid is None, f"time was up, and then the bid {due.bid} is due, not a challenge")
        note_move(game, "challenge")
    return bid


def _counting_faces(game: Game, bid: Bid) -> dict[int, str]:
    """The faces that count towards a bid, and why. Only wilds count towards a bid on wilds."""
    wild = {WILD: "wild"} if game.has_wild else {}
    return wild | {bid.face: "matches the bid's face"}


def _check_resolved(game: Game, ruling: Ruling, cups: Cups) -> Json:
    """The count of each seat that has dice, their sum, and the winner of the challenge."""
    bid, clauses = ruling.bid, game.table.book.clauses
    resolved = {
        "bid": bid.fields(),
        "challenger": ruling.challenger,
        "actual": ruling.actual,
        "counts": [_count(game, bid, seat, dice) for seat, dice in enumerate(cups.dice()) if dice],
        "winner": ruling.winner,
    }
    game.events.expect("challenge-resolved", "outcome", resolved)
    game.cite(clauses.challenge, _clause_of_bid(game, bid))
    game.cite(_clause_of_count(game, ruling))
    return resolved


def _count(game: Game, bid: Bid, seat: int, dice: list[int]) -> Json:
    """How many dice of a seat show the face of the bid, and how many count because they are wild."""
    wild = dice.count(WILD) if game.has_wild and bid.face != WILD else 0
    return {"seat": seat, "natural": dice.count(bid.face), "wild": wild}


def _clause_of_bid(game: Game, bid: Bid) -> str:
    """The clause that says what counts towards such a bid."""
    clauses = game.table.book.clauses
    if not game.has_wild:
        return clauses.plain_bid
    return clauses.wild_bid if bid.face == WILD else clauses.number_bid


def _clause_of_count(game: Game, ruling: Ruling) -> str:
    """The clause that says what such a count costs."""
    clauses = game.table.book.clauses
    if not ruling.holds:
        return clauses.fewer
    return clauses.more if ruling.difference else clauses.exact


def _losers(game: Game, ruling: Ruling) -> list[int]:
    """The loser of the challenge; by BT-16 everyone except the bidder if the bid is exact."""
    if ruling.difference or not game.table.book.exact_costs_all_others:
        return [ruling.loser]
    return [seat for seat in game.standing.seats if seat != ruling.bid.seat]


def _penalty(game: Game, ruling: Ruling) -> int:
    """How many dice a loser loses: one or, where the book says so, the difference, but at least one."""
    return max(1, ruling.difference) if game.table.book.loses_difference else 1


def _check_loss(game: Game, seat: int, penalty: int) -> Json:
    """A seat loses dice, but never more than it has."""
    counts = game.standing.dice_counts
    loss = {"seat": seat, "penalty": penalty, "lost": min(penalty, counts[seat])}
    game.events.expect("dice-lost", "outcome", loss)
    counts[seat] -= loss["lost"]
    return loss


def _opener(game: Game, ruling: Ruling) -> int:
    """The seat that opens the next round, if it still has dice."""
    match game.table.book.next_opener:
        case "winner":
            return ruling.winner
        case "loser":
            return ruling.loser
        case "challenger":
            return ruling.challenger
