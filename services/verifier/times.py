"""R15: the clock of a turn, and the moves that the server made because the time of a seat was up. Checked as `bids`.

Times are the server's word. But they must fit together: no event is earlier than the one before it (`events.py`), and
no time is up before the clock has run as long as the options of the table say.
"""

from .game import Game

MILLISECONDS = 1000


def start_clock(game: Game) -> None:
    """The clock of the next move starts with the event that was taken last: a call to roll, a deal or a bid."""
    game.clock_start = game.events.event.at


def check_timed_out(game: Game, waiting: list[int]) -> int:
    """A seat runs out of time. The table has a clock, the game waits for this seat, and the clock has run down."""
    events, seconds = game.events, game.table.options.turn_seconds
    seat: int = events.take("turn-timed-out")["seat"]
    events.need("bids", seconds is not None, "this table has no clock")
    events.need("bids", seat in waiting, f"the game does not wait for seat {seat}, so no clock runs for it")
    waited = events.event.at - game.clock_start
    early = (seconds or 0) * MILLISECONDS - waited
    events.need("bids", early <= 0, f"a turn has {seconds} seconds, and {early} milliseconds of them were left")
    game.note_timeout(seat, waited)
    return seat


def note_move(game: Game, move: str) -> None:
    """Write into the report which move the clock has made."""
    game.report.timeouts[-1].move = move
