"""A round, from its start to the event that ends it."""

from .challenge import check_challenge
from .chips import check_antes
from .commitments import opened_secret
from .cups import Deals
from .forfeits import check_early_end
from .game import Game, Opener
from .links import check_rolls, numbers_of_round
from .report import Round
from .times import start_clock
from .turns import Turns, check_bid, check_reroll_of_turn, check_time_is_up, is_turn_ahead


def check_round(game: Game, opener: Opener) -> Opener | None:
    """Check a round: it starts, all roll, dice are dealt, turns follow. Returns the opener of the next one, if any."""
    _check_started(game, opener)
    check_antes(game)
    call = check_rolls(game, game.standing.seats, numbers_of_round(game))
    if call.missing:
        return check_early_end(game, call.missing)
    game.events.expect("dice-dealt", "dice", {})
    start_clock(game)
    deals = Deals(call, opened_secret(game.events.event))
    return _check_turns(game, Turns(opener.seat, deals))


def _check_started(game: Game, opener: Opener) -> None:
    """The round starts with this opener and with the dice that are left from the round before."""
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
    """Check bids and rerolls, and then the challenge, or the early end of the round."""
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
