"""Bids, and what a bidder may do right after one: show dice and reroll the others."""

from domain.commands import PlaceBid, Reroll, ShowAndReroll
from domain.deciding.checks import bidding, in_play, players_link, servers_link, whole
from domain.events import AnyEvent, BidPlaced, DiceRerolled, Hand
from domain.evolve import evolve
from domain.fairness.derivation import deal_key, hand
from domain.refusals import (
    AlreadyRerolled,
    BidNotHigher,
    DiceNotInCup,
    FaceOutOfRange,
    NothingShown,
    NotYourBid,
    NotYourTurn,
    QuantityOutOfRange,
    ShowAndRerollNotInRulebook,
    TooFewHiddenDice,
    WildCannotOpen,
    WildNotBiddable,
)
from domain.rulebooks import clauses_on
from domain.state import Bidding, State
from domain.values import FACES, QUANTITY_MAX, WILD, Bid


def place_bid(command: PlaceBid, state: State) -> tuple[AnyEvent, ...]:
    """Open or raise and, if asked for, show and reroll in the same step: both happen or neither."""
    running = bidding(state)
    check_turn(running, command.seat)
    _check_bid(running, Bid(command.quantity, command.face))
    placed = BidPlaced(at=command.at, seat=command.seat, quantity=command.quantity, face=command.face)
    if command.reroll is None:
        return (placed,)
    after = evolve(running, placed)
    assert isinstance(after, Bidding)
    return (placed, _reroll(command.at, command.seat, command.reroll, after))


def show_and_reroll(command: ShowAndReroll, state: State) -> tuple[AnyEvent, ...]:
    """R7: show and reroll as a step of its own, until the next player acts."""
    running = bidding(state)
    in_play(running, command.seat)
    return (_reroll(command.at, command.seat, command.reroll, running),)


def check_turn(state: Bidding, seat: int) -> None:
    """Only the seat whose turn it is may bid or challenge."""
    in_play(state, seat)
    if seat != state.turn:
        raise NotYourTurn(state.table.rules.book.cites.turn, turn=state.turn, seat=seat)


def _check_bid(state: Bidding, bid: Bid) -> None:
    if not 1 <= bid.quantity <= QUANTITY_MAX:
        raise QuantityOutOfRange("R9", quantity=bid.quantity, quantity_max=QUANTITY_MAX)
    if bid.face not in FACES:
        raise FaceOutOfRange("R11", face=bid.face)
    rules, standing = state.round_rules, state.standing_bid
    lowest = rules.lowest_quantity(standing, bid.face)
    if lowest is None or bid.quantity < lowest:
        raise _why_not(state, bid)


def _why_not(state: Bidding, bid: Bid) -> BidNotHigher | WildCannotOpen | WildNotBiddable:
    """Why a bid is not legal, and which bids would be."""
    rules, book = state.round_rules, state.table.rules.book
    lowest = rules.lowest_bids(state.standing_bid)
    cited = (book.cites.wild_bid,) if book.cites.wild_bid else ()
    if bid.face == WILD and WILD not in rules.raising_faces:
        return WildNotBiddable(*cited, wild_name=book.wild_name, lowest=lowest)
    if state.standing_bid is None:
        return WildCannotOpen(*cited, wild_name=book.wild_name, lowest=lowest)
    named = {"wild_name": book.wild_name} if rules.wild else {}
    return BidNotHigher(*rules.raising.clauses, bid=bid, standing=state.standing_bid, lowest=lowest, **named)


def _reroll(at: int, seat: int, asked: Reroll, state: Bidding) -> DiceRerolled:
    _check_may_reroll(state, seat)
    left = _left_hidden(state, seat, asked.shown)
    players_link(state, seat, asked.link)
    servers_link(state, asked.server_link)
    key = deal_key(state.standing.transcript, state.link_number, asked.server_link, ((seat, asked.link),))
    return DiceRerolled(
        at=at,
        seat=seat,
        shown=asked.shown,
        rerolled=left,
        link=asked.link,
        server_link=asked.server_link,
        hand=hand(key, seat, left),
    )


def _check_may_reroll(state: Bidding, seat: int) -> None:
    book = state.table.rules.book
    if not book.show_and_reroll:
        raise ShowAndRerollNotInRulebook(rulebook=book.id)
    if not state.bids or state.bids[-1].seat != seat:
        raise NotYourBid(*clauses_on("show_and_reroll"), "R7", seat=seat)
    if state.rerolled:
        raise AlreadyRerolled("R7", seat=seat)


def _left_hidden(state: Bidding, seat: int, shown: Hand) -> int:
    """How many hidden dice are left to reroll once some are shown."""
    hidden, cited = whole(state.cups[seat].hidden), clauses_on("show_and_reroll")
    if not shown:
        raise NothingShown(*cited)
    if len(shown) >= len(hidden):
        raise TooFewHiddenDice(*cited, hidden=len(hidden), shown=len(shown))
    if any(shown.count(face) > hidden.count(face) for face in shown):
        raise DiceNotInCup(*cited, shown=shown, seat=seat)
    return len(hidden) - len(shown)
