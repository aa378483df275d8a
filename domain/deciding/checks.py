"""Checks that several commands share: is the game in the right phase, is the seat in the game, is the link the next."""

from domain.events import Hand
from domain.fairness.chain import LINK_LENGTH, hashed
from domain.refusals import (
    ChainExhausted,
    DiceNotRolled,
    GameAlreadyStarted,
    GameNotStarted,
    GameOver,
    LinkInvalid,
    NoSuchGame,
    NoSuchSeat,
    SeatOut,
    ServerLinkInvalid,
)
from domain.state import (
    Bidding,
    ChoosingOpener,
    Ended,
    Gathering,
    Head,
    Nothing,
    Rolling,
    Settling,
    State,
    Table,
)

Playing = ChoosingOpener | Rolling | Bidding | Settling


def gathering(state: State) -> Gathering:
    """The state, if players may still join."""
    match state:
        case Gathering():
            return state
        case Nothing():
            raise NoSuchGame
        case Ended():
            raise GameOver
        case _:
            raise GameAlreadyStarted


def playing(state: State) -> Playing:
    """The state, if the game has started and is not over."""
    match state:
        case Nothing():
            raise NoSuchGame
        case Gathering():
            raise GameNotStarted
        case Ended():
            raise GameOver
        case _:
            return state


def bidding(state: State) -> Bidding:
    """The state, if dice lie under the cups."""
    running = playing(state)
    if isinstance(running, Bidding):
        return running
    waiting = running.waiting if isinstance(running, ChoosingOpener | Rolling) else ()
    raise DiceNotRolled(running.table.rules.book.cites.rolling, waiting=waiting)


def seated(table: Table, seat: int) -> None:
    """The seat must exist."""
    if not 0 <= seat < len(table.players):
        raise NoSuchSeat(seat=seat, seat_max=len(table.players) - 1)


def in_play(state: Playing, seat: int) -> None:
    """The seat must exist and have dice."""
    seated(state.table, seat)
    if not state.standing.dice_counts[seat]:
        raise SeatOut(state.table.rules.book.cites.out, seat=seat)


def players_link(state: Playing, seat: int, link: bytes) -> None:
    """The link must be the next one of the seat's chain."""
    head = state.standing.heads[seat]
    if not _follows(state.table, head, link, f"seat {seat}"):
        raise LinkInvalid(seat=seat, index=head.index + 1)


def servers_link(state: Playing, link: bytes) -> None:
    """The link must be the next one of the server's chain, those of the running round included."""
    head = server_head(state)
    if not _follows(state.table, head, link, "the server"):
        raise ServerLinkInvalid(index=head.index + 1)


def server_head(state: Playing) -> Head:
    """How far the server's chain has been used, also by deals that are still secret."""
    head = state.standing.server_head
    if not isinstance(state, Bidding):
        return head
    last = state.deals[-1].server_link
    assert last is not None, "a viewer's state decides nothing"
    return Head(last, head.index + len(state.deals))


def _follows(table: Table, head: Head, link: bytes, party: str) -> bool:
    length = table.fairness.chain_length
    if head.index >= length:
        raise ChainExhausted(party=party, length=length)
    return len(link) == LINK_LENGTH and hashed(link) == head.link


def whole(hand: Hand | None) -> Hand:
    """A hand that the server knows, as it knows all."""
    assert hand is not None, "a viewer's state decides nothing"
    return hand
