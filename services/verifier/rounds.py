"""A round, from its start to the event that ends it."""

from .challenge import check_challenge
from .chips import check_antes
from .commitments import opened_secret
from .cups import Deals
from .forfeits import check_early_end
from .game import Game, Opener
from .links import check_rolls, numbers_of_round
from .report import Round
from .turns import Turns, check_bid, check_reroll_of_turn, check_time_is_up, is_turn_ahead


def check_round(game: Game, opener: Opener) -> Opener | None:
    """A round: it starts, all roll, dice are dealt, and turns follow; who opens the next one, if any."""
    _check_started(game, opener)
    check_antes(game)
    call = check_rolls(game, game.standing.seats, numbers_of_round(game))
    if call.missing:
        return check_early_end(game, call.missing)
    game.events.expect("dice-dealt", "dice", {})
    deals = Deals(call, opened_secret(game.events.event))
    return _check_turns(game, Turns(opener.seat, deals))


def _check_started(game: Game, opener: Opener) -> None:
    """The next round starts, with the opener and the dice that the round before has left."""
    now = Round(game.round.number + 1, opener.seat, opener.palafico)
    game.round = now
    fields = {
        "number": now.number,
        "opener": now.opener,
        "palafico": now.palafico,
        "dice_counts": game.standing.dice_counts,
    }
    game.events.expect("round-started", "outcome", fields)


def _check_turns(game: Game, turns: Turns) -> Opener | None:
    """Bids and rerolls, up to a challenge or to what ends the round without one."""
    while is_turn_ahead(game):
        due = check_time_is_up(game, turns) if game.events.ahead == "turn-timed-out" else None
        match game.events.ahead:
            case "bid-placed":
                check_bid(game, turns, due)
            case "dice-rerolled":
                check_reroll_of_turn(game, turns, due)
            case _:
                return check_challenge(game, turns, due)
    return check_early_end(game, [turns.turn], turns.deals)
