"""The end of a round: the seats that are out, and the next opener or the winner. Checked as part of `outcome`."""

from collections.abc import Sequence

from .chips import check_all_pots
from .game import Game, Opener

TWO_PLAYERS = 2


def check_eliminated(game: Game, seats: list[int]) -> None:
    """Seats without dice are out; those who go out in the same round share the place."""
    if not seats:
        return
    standing = game.standing
    standing.seats = [seat for seat in standing.seats if seat not in seats]
    game.events.expect("players-eliminated", "outcome", {"seats": seats, "place": len(standing.seats) + 1})
    standing.places.insert(0, seats)
    game.round.eliminated = seats
    game.cite(game.table.book.clauses.eliminated)


def check_round_end(game: Game, opener: int, losers: Sequence[int] = ()) -> Opener | None:
    """The round ends. Returns the opener of the next one: this seat if it has dice; None if the game is over."""
    _check_round_ended(game)
    if len(game.standing.seats) > 1:
        return _next_opener(game, opener, losers)
    _check_game_ended(game)
    return None


def check_abandoned(game: Game) -> None:
    """R17: a game that is abandoned ends without a winner."""
    _check_round_ended(game)
    game.round.clauses = ["R17"]
    game.report.abandoned = game.events.take("game-abandoned")["reason"]


def _check_round_ended(game: Game) -> None:
    """The round ends, if there was one."""
    if game.round.number:
        game.events.expect("round-ended", "outcome", {"number": game.round.number})
        game.report.rounds.append(game.round)


def _next_opener(game: Game, opener: int, losers: Sequence[int]) -> Opener:
    """The opener of the next round: this seat, or the next one to the left if it is out."""
    clauses, is_in = game.table.book.clauses, opener in game.standing.seats
    seat = game.standing.from_seat(opener)
    game.round.next_opener = seat
    game.cite(clauses.next_opener if is_in else clauses.opener_is_out)
    return Opener(seat, palafico=_is_palafico(game, seat, losers))


def _is_palafico(game: Game, opener: int, losers: Sequence[int]) -> bool:
    """PA-12, PA-15: the opener came down to one die by this round's loss, and more than two players are left."""
    came_down = opener in losers and game.standing.dice_counts[opener] == 1
    return game.table.book.has_palafico and came_down and len(game.standing.seats) > TWO_PLAYERS


def _check_game_ended(game: Game) -> None:
    """The last player with dice wins, and takes the pots."""
    standing, (winner,) = game.standing, game.standing.seats
    game.cite(game.table.book.clauses.won)
    game.report.places = [[winner], *standing.places]
    check_all_pots(game, winner)
    chips = standing.chips if game.table.options.chips else None
    fields = {"winner": winner, "places": game.report.places, "chips": chips}
    game.events.expect("game-ended", "outcome", fields)
