"""A game as a seat sees it, in a compact form: made from the view that the server sent to this seat, and nothing else."""

import time
from fractions import Fraction

from msgspec.structs import asdict

from domain.history.odds import chance_of_bid
from domain.options import DEFAULT_OPTIONS, Options
from domain.rulebooks import rules_of
from domain.rulebooks.rulebook import RoundRules
from domain.state import Reveal
from domain.values import Bid
from domain.views import GameView, SeatView
from services.client import Game
from services.mcp.answers import (
    BidSeen,
    GameResult,
    Gathering,
    LowestBid,
    MovesSeen,
    Observation,
    RoundResult,
    SeatLoss,
    SeatSeen,
    StandingBid,
)
from services.mcp.foreign_text import name_shown, text_shown

_CHANCE_DIGITS = 4


def observed(game: Game, remarks: tuple[str, ...] = (), *, rolls_itself: bool = False) -> Observation:
    """A game as it stands; a seat that rolls by itself is not asked to roll."""
    view = game.view
    gathering = None
    if view.phase == "gathering":
        gathering = Gathering(
            free_seats=game.seats_max - len(view.seats),
            private=game.private,
            invitation_code=game.invitation_code or None,
        )
    return _observation(
        view,
        game.version,
        moves=_moves(view, rolls_itself=rolls_itself),
        seats=tuple(_seat(seat, view, away=seat.seat not in game.connected) for seat in view.seats),
        seconds_left=None if game.due is None else max(0, round(game.due / 1000 - time.time())),
        gathering=gathering,
        result=_result(view, game.rematch_id),
        practice_of=game.forked_from,
        remarks=remarks,
    )


def observed_in_the_past(view: GameView, version: int) -> Observation:
    """A game as a viewer saw it after a version; nobody can act there any more."""
    eyes = "spectators" if view.viewer is None else f"seat {view.viewer}; `my` and `you` mean that seat"
    return _observation(
        view,
        version,
        seats=tuple(_seat(seat, view) for seat in view.seats),
        result=_result(view),
        remarks=(f"This is the past, through the eyes of {eyes}.",),
    )


def is_my_turn(view: GameView) -> bool:
    """Whether the game waits for a bid or a challenge of the viewer."""
    return view.phase == "bidding" and view.viewer in view.waiting


def lowest_bids(view: GameView) -> tuple[LowestBid, ...]:
    """The lowest legal bid of each face, with its chance."""
    return tuple(
        LowestBid(quantity=bid.quantity, face=bid.face, chance=_chance(view, bid)) for bid in view.moves.lowest_bids
    )


def chance_shown(chance: Fraction | float) -> float:
    """A chance with as many digits as anybody needs."""
    return round(float(chance), _CHANCE_DIGITS)


def _observation(view: GameView, version: int, **of_the_moment: object) -> Observation:
    own = None if view.viewer is None else view.seats[view.viewer]
    rules = _round_rules(view)
    return Observation(
        game_id=view.game_id,
        version=version,
        rulebook=view.rulebook,
        phase=view.phase,
        my_turn=is_my_turn(view),
        my_seat=view.viewer,
        my_dice=() if own is None else own.hidden or (),
        my_shown_dice=() if own is None else own.shown,
        round=None if view.round is None else view.round.number,
        palafico=view.round is not None and view.round.palafico,
        dice_in_play=sum(seat.dice_count for seat in view.seats),
        wild_name=view.wild_name,
        wild=rules is not None and rules.wild,
        waiting_for=view.waiting,
        bids=tuple(BidSeen(seat=bid.seat, quantity=bid.quantity, face=bid.face) for bid in view.bids),
        standing_bid=_standing_bid(view),
        last_round=None if view.last_round is None else _last_round(view.last_round),
        round_pot=view.round_pot,
        game_pot=view.game_pot,
        options=_chosen_options(view.options),
        **of_the_moment,  # type: ignore[arg-type]  # the callers give fields of the struct
    )


def _seat(seat: SeatView, view: GameView, *, away: bool = False) -> SeatSeen:
    return SeatSeen(
        seat=seat.seat,
        name=name_shown(seat.name),
        kind=seat.kind,
        dice=seat.dice_count,
        shown=seat.shown,
        chips=seat.chips,
        you=seat.seat == view.viewer,
        out=seat.out,
        away=away and seat.kind == "human" and seat.seat != view.viewer,
    )


def _moves(view: GameView, *, rolls_itself: bool) -> MovesSeen | None:
    moves = view.moves
    seen = MovesSeen(
        bid=lowest_bids(view),
        challenge=moves.challenge,
        show_max=moves.show_max,
        show_and_reroll=moves.show_now,
        roll=moves.roll and not rolls_itself,
        start=moves.start,
        leave=moves.leave,
        forfeit=moves.forfeit,
    )
    return None if seen == MovesSeen() else seen


def _standing_bid(view: GameView) -> StandingBid | None:
    if not view.bids:
        return None
    bid = view.bids[-1]
    return StandingBid(seat=bid.seat, quantity=bid.quantity, face=bid.face, chance=_chance(view, bid.bid))


def _chance(view: GameView, bid: Bid) -> float | None:
    """The chance of a bid; None in a book that this program does not know."""
    return None if _round_rules(view) is None else chance_shown(chance_of_bid(view, bid))


def _round_rules(view: GameView) -> RoundRules | None:
    try:
        rules = rules_of(view.rulebook, view.rulebook_version, view.options)
    except KeyError:
        return None
    return rules.of_round(palafico=view.round is not None and view.round.palafico)


def _last_round(reveal: Reveal) -> RoundResult:
    settled = reveal.settlement
    if settled is None:
        return RoundResult(number=reveal.number, dice=reveal.dice)
    bid = settled.bid
    return RoundResult(
        number=reveal.number,
        dice=reveal.dice,
        bid=BidSeen(seat=bid.seat, quantity=bid.quantity, face=bid.face),
        challenger=settled.challenger,
        actual=settled.actual,
        winner=settled.winner,
        losses=tuple(SeatLoss(seat=loss.seat, lost=loss.lost) for loss in settled.losses),
    )


def _result(view: GameView, rematch_id: str | None = None) -> GameResult | None:
    if view.phase != "ended":
        return None
    abandoned = None if view.abandoned is None else text_shown(view.abandoned)
    return GameResult(winner=view.winner, places=view.places, abandoned=abandoned, rematch_id=rematch_id)


def _chosen_options(options: Options) -> dict[str, bool | int | str]:
    default = asdict(DEFAULT_OPTIONS)
    return {name: value for name, value in asdict(options).items() if value != default[name]}
