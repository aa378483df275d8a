"""The first opener: named, drawn, or found by a roll (PI-2, PT-2, R2 to R4, R14)."""

from .fair_dice import drawn_position
from .forfeits import check_early_end
from .form import spelled
from .game import Game, Opener
from .links import Call, check_rolls, deal_key


def check_first_opener(game: Game) -> Opener | None:
    """The opener of the first round; None if the game ends before it."""
    is_named = game.table.options.opener is not None or game.events.ahead == "opener-chosen"
    return _check_named(game) if is_named else _check_found(game)


def _check_named(game: Game) -> Opener:
    """R2: a seat was named as the opener, by the options or at the start. Books in which all roll for it don't allow this."""
    named = game.events.take("opener-chosen")
    seat, may_name = named["seat"], named["how"] == "named" and not game.table.opening_dice
    game.events.need("outcome", may_name, "nobody was called to roll, so no opener can be rolled for or drawn")
    game.events.need("outcome", seat in game.standing.seats, f"nobody sits on seat {seat}")
    return Opener(seat)


def _check_found(game: Game) -> Opener | None:
    """R2 to R4: all roll, and only those who tie roll again, until one is left; or the opener is drawn."""
    seats = game.standing.seats
    while len(seats) > 1:
        call = check_rolls(game, seats, 1)
        if call.missing:
            return check_early_end(game, call.missing)  # R14
        seats = _best(game, call)
    how = "rolled" if game.table.opening_dice else "drawn"
    game.events.expect("opener-chosen", "outcome", {"seat": seats[0], "how": how})
    return Opener(seats[0])


def _best(game: Game, call: Call) -> list[int]:
    """The seats with the best roll or, in a book without such a roll, the one that was drawn."""
    fields = game.events.take("opening-dice-rolled")
    key = deal_key(game, call.number, fields["server_link"], call.in_seat_order())
    rolls = _rolls(game, call, key)
    expected = [{"seat": seat, "dice": dice} for seat, dice in rolls.items()]
    game.events.need(
        "dice", spelled(fields["rolls"]) == spelled(expected), f"it shows other rolls than the links make, {expected}"
    )
    if not rolls:
        return [drawn_position(key, len(call.seats))]
    ranks = {seat: _rank(game, dice) for seat, dice in rolls.items()}
    best = max(ranks.values())
    return [seat for seat, rank in ranks.items() if rank == best]


def _rolls(game: Game, call: Call, key: bytes) -> dict[int, list[int]]:
    """The dice of each seat that rolls for the opener; empty in a book in which the opener is drawn."""
    count = game.table.opening_dice
    return {seat: game.dice.hand(key, seat, count) for seat in call.seats} if count else {}


def _rank(game: Game, dice: list[int]) -> tuple[int, int]:
    """The rank of a roll: in pirates its one die (R3), in prediction-track first its wheels, then the sum (PT-2).

    The sum may count each wheel as one, because it is only compared between rolls with the same number of wheels.
    """
    wheels = dice.count(1) if game.table.book.opening_roll == "all dice" else 0
    return wheels, sum(dice)
