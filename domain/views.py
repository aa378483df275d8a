"""What a viewer may see: a seat sees its own dice, everybody sees what is open, nobody sees the server's links early.

This is the one place that decides it. Everything that leaves the game for a player, a spectator or a reader without
the key goes through here: states as a `GameView`, events through `seen_by`.
"""

from typing import Literal

from msgspec.structs import replace

from domain.commands import ChainHolder, Kind
from domain.events import AnyEvent, DiceDealt, DiceRerolled, Hand
from domain.moves import NO_MOVES, LegalMoves, legal_moves
from domain.options import Options
from domain.state import (
    Bidding,
    ChoosingOpener,
    Cup,
    Ended,
    Gathering,
    Nothing,
    Reveal,
    Rolling,
    Round,
    Settling,
    Standing,
    State,
    Table,
)
from domain.values import PlacedBid, Value

Viewer = int | None
"""A seat, or None for a spectator."""

Phase = Literal["gathering", "choosing_opener", "rolling", "bidding", "settling", "ended"]

_PHASES: dict[type, Phase] = {
    Gathering: "gathering",
    ChoosingOpener: "choosing_opener",
    Rolling: "rolling",
    Bidding: "bidding",
    Settling: "settling",
    Ended: "ended",
}

_NO_CUP = Cup(0, None)


class SeatView(Value, frozen=True, kw_only=True):
    """A seat as the viewer sees it."""

    seat: int
    player_id: str
    name: str
    kind: Kind
    chain_held_by: ChainHolder
    dice_count: int
    hidden_count: int = 0
    """How many dice lie under the cup."""
    hidden: Hand | None = None
    """The dice under the cup, if they are the viewer's own."""
    shown: Hand = ()
    chips: int | None = None
    out: bool = False


class GameView(Value, frozen=True, kw_only=True):
    """A game as the viewer sees it, with what the viewer may do."""

    viewer: Viewer
    game_id: str
    rulebook: str
    rulebook_version: int
    options: Options
    wild_name: str
    """R11: what the book calls face 1."""
    phase: Phase
    seats: tuple[SeatView, ...]
    round: Round | None = None
    bids: tuple[PlacedBid, ...] = ()
    """The bids of the running round; the last one stands."""
    waiting: tuple[int, ...] = ()
    """The seats that the game waits for: the one that bids or challenges next, or those that have not rolled yet."""
    since: int | None = None
    """When the game began to wait for them."""
    rerolled: bool = False
    round_pot: int = 0
    game_pot: int = 0
    last_round: Reveal | None = None
    """How the round before ended, with all its dice, for everybody."""
    winner: int | None = None
    places: tuple[tuple[int, ...], ...] = ()
    abandoned: str | None = None
    moves: LegalMoves = NO_MOVES


def phase_of(state: State) -> Phase | None:
    """Where a game stands; None where there is no game."""
    return _PHASES.get(type(state))


def view(state: State, viewer: Viewer) -> GameView | None:
    """A game as a viewer sees it; None where there is no game."""
    match state:
        case Nothing():
            return None
        case Gathering():
            standing = None
        case _:
            standing = state.standing
    return GameView(
        viewer=viewer,
        game_id=state.table.game_id,
        rulebook=state.table.rulebook,
        rulebook_version=state.table.rulebook_version,
        options=state.table.options,
        wild_name=state.table.rules.book.wild_name,
        phase=_PHASES[type(state)],
        seats=_seats(state, state.table, standing, viewer),
        round=state.round if isinstance(state, Rolling | Bidding | Settling) else None,
        bids=state.bids if isinstance(state, Bidding) else (),
        waiting=state.waiting if isinstance(state, ChoosingOpener | Rolling | Bidding) else (),
        since=state.since if isinstance(state, ChoosingOpener | Rolling | Bidding) else None,
        rerolled=isinstance(state, Bidding) and state.rerolled,
        round_pot=0 if standing is None else standing.round_pot,
        game_pot=0 if standing is None else standing.game_pot,
        last_round=None if standing is None else standing.last_round,
        winner=state.winner if isinstance(state, Ended) else None,
        places=state.places if isinstance(state, Ended) else (),
        abandoned=state.abandoned if isinstance(state, Ended) else None,
        moves=NO_MOVES if viewer is None else legal_moves(state, viewer),
    )


def view_of_all(state: State) -> GameView | None:
    """A game with every die that the state holds: for readers of rounds whose cups have been lifted since."""
    seen = view(state, None)
    if seen is None or not isinstance(state, Bidding):
        return seen
    cups = zip(seen.seats, state.cups, strict=True)
    return replace(seen, seats=tuple(replace(seat, hidden=cup.hidden) for seat, cup in cups))


def seen_by(event: AnyEvent, viewer: Viewer) -> AnyEvent:
    """An event as a viewer may see it: what is secret to the viewer is None."""
    match event:
        case DiceDealt(hands=hands):
            own = hands and tuple(hand if seat == viewer else None for seat, hand in enumerate(hands))
            return replace(event, server_link=None, hands=own)
        case DiceRerolled(seat=seat, hand=hand):
            return replace(event, server_link=None, hand=hand if seat == viewer else None)
        case _:
            return event


def _seats(state: State, table: Table, standing: Standing | None, viewer: Viewer) -> tuple[SeatView, ...]:
    cups = state.cups if isinstance(state, Bidding) else (_NO_CUP,) * len(table.players)
    return tuple(
        SeatView(
            seat=seat,
            player_id=player.player_id,
            name=player.name,
            kind=player.kind,
            chain_held_by=player.chain_held_by,
            dice_count=table.options.dice_each if standing is None else standing.dice_counts[seat],
            hidden_count=cups[seat].hidden_count,
            hidden=cups[seat].hidden if seat == viewer else None,
            shown=cups[seat].shown,
            chips=None if standing is None or standing.chips is None else standing.chips[seat],
            out=standing is not None and not standing.dice_counts[seat],
        )
        for seat, player in enumerate(table.players)
    )
