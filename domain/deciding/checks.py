"""Checks that several commands share: on the phase of the game, on the seat and on the revealed link."""

from base64 import b64encode

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

Calling = ChoosingOpener | Rolling | Bidding
Playing = Calling | Settling
_NEAR = 16
"""How far from the expected link a refusal looks for the one that was sent."""


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
    """Refuse a seat that does not exist."""
    if not 0 <= seat < len(table.players):
        raise NoSuchSeat(seat=seat, players=len(table.players))


def in_play(state: Playing, seat: int) -> None:
    """Refuse a seat that does not exist or has no dice."""
    seated(state.table, seat)
    if not state.standing.dice_counts[seat]:
        raise SeatOut(state.table.rules.book.cites.out, seat=seat)


def players_link(state: Calling, seat: int, link: bytes) -> None:
    """Refuse a link that is not the one of the seat's chain that the game asked for."""
    head = state.standing.heads[seat]
    if not _follows(state, head, link):
        raise LinkInvalid(seat=seat, number=state.link_number, problem=_problem_of_link(state, head, link))


def servers_link(state: Calling, link: bytes) -> None:
    """Refuse a link that is not the one of the server's chain that the game asked for."""
    if not _follows(state, state.standing.server_head, link):
        raise ServerLinkInvalid(number=state.link_number)


def _follows(state: Calling, head: Head, link: bytes) -> bool:
    number, length = state.link_number, state.table.fairness.chain_length
    if number > length:
        raise ChainExhausted(number=number, length=length)
    return len(link) == LINK_LENGTH and hashed(link, state.table.game_id, number - head.number) == head.link


def _problem_of_link(state: Calling, head: Head, link: bytes) -> str:
    """The reason why a player's link is wrong. It depends on public links alone, so it reveals nothing."""
    if len(link) != LINK_LENGTH:
        return f"has {len(link)} bytes, and a link has {LINK_LENGTH}"
    number = _number_of(state, head, link)
    if number is not None:
        return f"is its link {number}"
    steps, public = state.link_number - head.number, b64encode(head.link).decode()
    return f"is no link of that chain: hashed {steps} times for this game, it must give {public} (base64)"


def _number_of(state: Calling, head: Head, link: bytes) -> int | None:
    """The number of a link that is near the head of its chain; None for any other link."""
    # Only near the head: to hash a whole chain for each wrong link would cost the server more than the caller.
    game_id, walked = state.table.game_id, link
    for number in range(head.number, state.link_number + _NEAR):
        if walked == head.link:
            return number
        walked = hashed(walked, game_id)
    walked = head.link
    for number in range(head.number, max(head.number - _NEAR, -1), -1):
        if walked == link:
            return number
        walked = hashed(walked, game_id)
    return None


def whole(hand: Hand | None) -> Hand:
    """The hand; the server knows every hand."""
    assert hand is not None, "only the server's own state can decide"
    return hand
