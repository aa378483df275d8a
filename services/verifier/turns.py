"""The turns of a round: bids, rerolls, and the move that must follow when time is up. Checked as `bids`."""

from dataclasses import dataclass

from .bids import Bid, BidRules, more_of_the_same_face, track_place
from .cups import Deals
from .game import Game
from .rerolls import check_reroll
from .times import check_timed_out, note_move, start_clock


@dataclass
class Turns:
    """The seat that has the turn, the standing bid, and the deals under the cups."""

    turn: int
    deals: Deals
    bid: Bid | None = None
    may_reroll: bool = False


@dataclass(frozen=True, slots=True)
class Due:
    """R15: the move that must come when time is up: this bid, or a challenge if `bid` is None."""

    bid: Bid | None


def is_turn_ahead(game: Game) -> bool:
    """Whether a turn comes next. If a timeout means a forfeit, it is not a turn: it ends the round."""
    turns = {"bid-placed", "dice-rerolled", "bid-challenged"}
    if game.table.options.on_timeout != "forfeit":
        turns.add("turn-timed-out")
    return game.events.ahead in turns


def check_bid(game: Game, turns: Turns, due: Due | None) -> None:
    """A player bids in turn and as the book allows. Then the turn passes to the left."""
    fields = game.events.take("bid-placed")
    check_turn(game, fields["seat"], turns.turn)
    bid = Bid(turns.turn, fields["quantity"], fields["face"])
    before = "no bid" if turns.bid is None else str(turns.bid)
    game.events.need("bids", bid_rules(game).allow(bid, turns.bid), f"{bid} is no legal bid after {before}")
    if due is not None:
        due_now = "a challenge" if due.bid is None else str(due.bid)
        game.events.need("bids", due.bid == bid, f"time was up, and then {due_now} is due, not {bid}")
        note_move(game, f"bid {bid}")
    turns.bid, turns.may_reroll = bid, game.table.book.has_rerolls
    turns.turn = game.standing.left_of(turns.turn)
    start_clock(game)


def check_turn(game: Game, seat: int, turn: int) -> None:
    """The seat that acts has the turn."""
    game.events.need("bids", seat == turn, f"seat {seat} acts, but seat {turn} has the turn")


def check_reroll_of_turn(game: Game, turns: Turns, due: Due | None) -> None:
    """R7: right after a bid the bidder may reroll, once. Nobody rerolls when time is up."""
    may_reroll = turns.may_reroll and due is None
    reroll = check_reroll(game, turns.bid if may_reroll else None, turns.deals.next_number, turns.deals.rerolls)
    turns.deals.rerolls.append(reroll)
    turns.may_reroll = False


def check_time_is_up(game: Game, turns: Turns) -> Due:
    """R15: the seat that has the turn runs out of time. Returns the bid or the challenge that is due by the options."""
    check_timed_out(game, [turns.turn])
    if turns.bid is not None and game.table.options.on_timeout == "challenge":
        return Due(None)
    height = track_place if game.table.book.is_track else _quantity
    return Due(bid_rules(game).lowest(turns.turn, turns.bid, height))


def _quantity(bid: Bid) -> int:
    """The height of a bid in a book without a track."""
    return bid.quantity


def bid_rules(game: Game) -> BidRules:
    """The bids that are allowed in this round. In a Palafico round ones may open, and the face stays (PA-13, PA-14)."""
    if game.round.palafico:
        return BidRules(more_of_the_same_face, wild_may_open=True, wild_may_raise=True)
    book = game.table.book
    return BidRules(game.table.raises, book.wild_may_open, book.wild_may_raise)
