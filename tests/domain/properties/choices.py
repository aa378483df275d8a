"""Random but legal play for properties: a machine that can take any step a player could take."""

from collections.abc import Iterator

from domain.commands import (
    AbandonGame,
    AnyCommand,
    Challenge,
    Forfeit,
    PlaceBid,
    Roll,
    ShowAndReroll,
    StartGame,
    TimeOut,
)
from domain.moves import legal_moves
from domain.state import Bidding, ChoosingOpener, Gathering, Rolling, State
from domain.values import QUANTITY_MAX
from tests.made_tables import Chains


def legal_commands(state: State, chains: Chains, at: int) -> Iterator[AnyCommand]:
    """Some command of every kind that the legal moves of some seat allow."""
    if isinstance(state, Gathering):
        yield StartGame(at=at)
        return
    assert isinstance(state, ChoosingOpener | Rolling | Bidding)
    for seat in range(len(state.table.players)):
        yield from _commands_of(state, seat, chains, at)
    yield AbandonGame(at=at, reason="the table was closed")


def _commands_of(state: ChoosingOpener | Rolling | Bidding, seat: int, chains: Chains, at: int) -> Iterator[AnyCommand]:
    moves = legal_moves(state, seat)
    link, server_link = chains.link(state, seat), chains.server_link(state)
    if moves.roll:
        yield Roll(at=at, seat=seat, link=link, server_link=server_link)
    for lowest in moves.lowest_bids:
        for quantity in {lowest.quantity, min(lowest.quantity + 2, QUANTITY_MAX)}:
            yield PlaceBid(at=at, seat=seat, quantity=quantity, face=lowest.face)
    if isinstance(state, Bidding) and moves.show_max:
        hidden = state.cups[seat].hidden or ()
        for shown in {hidden[:1], hidden[: moves.show_max]}:
            reroll = chains.reroll(state, seat, " ".join(map(str, shown)))
            if moves.show_now:
                yield ShowAndReroll(at=at, seat=seat, reroll=reroll)
            for lowest in moves.lowest_bids[:2]:
                yield PlaceBid(at=at, seat=seat, quantity=lowest.quantity, face=lowest.face, reroll=reroll)
    if moves.challenge:
        yield Challenge(at=at, seat=seat)
    if moves.forfeit:
        yield Forfeit(at=at, seat=seat)
    if state.table.options.turn_seconds and seat in state.waiting:
        yield TimeOut(at=state.since + state.table.options.turn_seconds * 1_000, seat=seat)
