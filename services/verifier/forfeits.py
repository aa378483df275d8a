"""Rounds that end without a challenge: by a forfeit, by the clock, or with an abandoned game (R10, R14, R15, R17)."""

from .cups import Deals, check_cups, report_dice
from .game import Game, Opener
from .round_end import check_abandoned, check_eliminated, check_round_end
from .times import check_timed_out, note_move


def check_early_end(game: Game, waiting: list[int], deals: Deals | None = None) -> Opener | None:
    """The round ends while the game waits for some seats. If dice were dealt, the cups are lifted."""
    late = check_timed_out(game, waiting) if game.events.ahead == "turn-timed-out" else None
    if deals is not None:
        report_dice(game, check_cups(game, deals), {}, "was not counted")
    if late is None and game.events.ahead != "player-forfeited":
        check_abandoned(game)
        return None
    return _check_forfeit(game, late)


def _check_forfeit(game: Game, late: int | None) -> Opener | None:
    """R10: a seat forfeits and loses all its dice; the player to the left opens a plain round."""
    fields = game.events.take("player-forfeited")
    seat, reason, counts = fields["seat"], fields["reason"], game.standing.dice_counts
    if late is None:
        game.events.need("bids", reason == "resigned", "its reason is time, but no time was up")
    else:
        is_due = (reason, seat) == ("time", late)
        game.events.need("bids", is_due, f"the time of seat {late} was up, so seat {late} forfeits for the reason time")
        note_move(game, "forfeit")
    game.events.need("bids", counts[seat] > 0, f"seat {seat} has no dice, so it can't forfeit")
    lost = f"seat {seat} has {counts[seat]} dice and loses all of them, not {fields['lost']}"
    game.events.need("outcome", fields["lost"] == counts[seat], lost)
    counts[seat] = 0
    game.round.ending, game.round.forfeit = "forfeit", {"seat": seat, "reason": reason}
    game.round.clauses = ["R10"]
    check_eliminated(game, [seat])
    return check_round_end(game, seat)
