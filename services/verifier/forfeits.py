"""Rounds that end without a challenge: by a forfeit, by the clock, or with an abandoned game (R10, R14, R15, R17)."""

from .cups import Deals, check_cups, report_dice
from .game import Game, Opener
from .round_end import check_abandoned, check_eliminated, check_round_end


def check_early_end(game: Game, waiting: list[int], deals: Deals | None = None) -> Opener | None:
    """The round ends while the game waits for some seats. If dice were dealt, the cups are lifted."""
    late = _check_timed_out(game, waiting)
    if deals is not None:
        report_dice(game, check_cups(game, deals), {}, "was not counted")
    if late is None and game.events.ahead != "player-forfeited":
        check_abandoned(game)
        return None
    return _check_forfeit(game, late)


def _check_timed_out(game: Game, waiting: list[int]) -> int | None:
    """R15: the seat that ran out of time, if any. The game must have a clock and wait for this seat."""
    if game.events.ahead != "turn-timed-out":
        return None
    seat: int = game.events.take("turn-timed-out", "seat")["seat"]
    runs = seat in waiting and game.table.options.turn_seconds is not None
    game.events.need("bids", runs, "no clock runs for this seat")
    return seat


def _check_forfeit(game: Game, late: int | None) -> Opener | None:
    """R10: a seat forfeits and loses all its dice; the player to the left opens a plain round."""
    fields = game.events.take("player-forfeited", "seat", "reason", "lost")
    seat, counts = fields["seat"], game.standing.dice_counts
    has_reason = fields["reason"] == "resigned" if late is None else (fields["reason"], seat) == ("time", late)
    game.events.need("bids", has_reason, "it has another reason")
    game.events.need("outcome", fields["lost"] == counts[seat] > 0, "the seat loses all its dice")
    counts[seat] = 0
    game.round.clauses = ["R10"]
    check_eliminated(game, [seat])
    return check_round_end(game, seat)
