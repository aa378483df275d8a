"""Statistics as tables for a person."""

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from domain.statistics.answers import HeadToHead, Leaderboard, LeaderboardEntry, PlayerStatistics
from domain.statistics.intervals import Expectation, Mean, Rate
from services.cli.columns import columns, fold
from services.cli.terminal import printable

_BAR_WIDTH = 20
_MEASURES = {
    "rating": "rating",
    "wins": "games won",
    "challenges": "challenges won",
    "bids": "bids held",
    "decisions": "best decisions",
    "games": "games",
}


def player_tables(numbers: PlayerStatistics) -> Iterator[Table | Text]:
    """All numbers of a player."""
    yield from _heading(numbers)
    if not numbers.games:
        return
    yield _results(numbers)
    yield _ways(numbers)
    if any(one.held.out_of for one in numbers.calibration):
        yield _calibration(numbers)
    yield _times(numbers)


def board_table(board: Leaderboard) -> Table:
    """A leaderboard."""
    about = board.rulebook or "all books"
    if board.played != "ended":
        about += f", {board.played} games"
    table = columns(
        f"{_MEASURES[board.measure]}, {about}", "", "player", "", "games", _MEASURES[board.measure], "95 %", "of"
    )
    for entry in board.entries:
        name = Text.assemble(printable(entry.name), (f"  {printable(entry.player_id)}", "dim"))
        value, interval = _entry(board, entry)
        of = "" if board.measure in {"rating", "games"} else f"{entry.count:,}"
        table.add_row(str(entry.position), name, _kind(entry.kind), f"{entry.games:,}", value, interval, of)
    position, player = table.columns[:2]
    position.no_wrap = True
    fold(player)
    if board.measure == "rating":
        table.columns[5].header = "±3 sigma"
    return table


def comparison_table(compared: HeadToHead) -> Table:
    """Two players at the same tables."""
    table = columns(f"{compared.player_id} against {compared.other_id}", "", "", "95 %", "of")
    table.add_row("games together", f"{compared.games:,}")
    _add_rate(table, "ahead of the other", compared.ahead)
    table.add_row("same place", f"{compared.level:,}")
    table.add_row("behind the other", f"{compared.behind:,}")
    _add_rate(table, "challenges to the other won", compared.challenges_won)
    _add_rate(table, "own bids held against the other", compared.bids_held)
    return table


def _heading(numbers: PlayerStatistics) -> Iterator[Text]:
    name = numbers.name or "nobody has seen this player at a table"
    parts = [
        f"{numbers.ended_games:,} games",
        f"{numbers.practice_games:,} for practice",
        f"{numbers.abandoned_games:,} abandoned",
    ]
    if numbers.private_games:
        parts.append(f"{numbers.private_games:,} of them private, which only you see")
    book = numbers.rulebook or "all books"
    yield Text.assemble((name, "bold"), f"  {numbers.player_id}  {_kind(numbers.kind)}")
    yield Text(f"{book}: {', '.join(parts)}")


def _results(numbers: PlayerStatistics) -> Table:
    table = columns("Results", "", "", "95 %", "of")
    _add_rate(table, "games won", numbers.wins)
    table.add_row("  to be expected", f"{numbers.expected_wins:.1f} games")
    places = ", ".join(f"{one.place}. {one.games:,}x" for one in numbers.places)
    table.add_row("places", places or "-")
    if numbers.rating is not None:
        rating = numbers.rating
        table.add_row(
            "rating", f"{rating.mu:.1f}", f"±{3 * rating.sigma:.1f} (3 sigma)", f"{rating.games:,} rated games"
        )
    _add_rate(table, "challenges won", numbers.challenges_won)
    _add_rate(table, "own bids held", numbers.bids_held)
    _add_rate(table, "own bids exact", numbers.exact_bids)
    _add_rate(table, "games given up", numbers.forfeits)
    return table


def _ways(numbers: PlayerStatistics) -> Table:
    table = columns("Decisions and dice", "", "", "95 %", "of")
    _add_rate(table, "best decisions", numbers.best_decisions)
    _add_mean(table, "regret", numbers.regret)
    _add_mean(table, "risk of bids", numbers.risk)
    _add_rate(table, "bluffs", numbers.bluffs)
    _add_rate(table, "bluffs challenged", numbers.bluffs_challenged)
    _add_rate(table, "bluffs caught", numbers.bluffs_caught)
    _add_mean(table, "Brier score", numbers.brier, in_percent=False)
    _add_mean(table, "gain by rerolling", numbers.reroll_gain)
    _add_expectation(table, "challenges won beside own odds", numbers.challenge_outcomes)
    _add_expectation(table, "strength of hands (dice luck)", numbers.dice_luck)
    return table


def _calibration(numbers: PlayerStatistics) -> Table:
    table = columns("Calibration: challenged bids by their chance", "chance", "held", "95 %", "of", "")
    for one in numbers.calibration:
        if one.held.rate is not None and one.chance is not None:
            bar = Text("█" * round(one.held.rate * _BAR_WIDTH), "green")
            table.add_row(percent(one.chance), percent(one.held.rate), _interval(one.held), f"{one.held.out_of:,}", bar)
    return table


def _times(numbers: PlayerStatistics) -> Table:
    table = columns("Time per move", "", "", "95 %", "of")
    _add_seconds(table, "mean", numbers.move_seconds)
    for one in numbers.move_times:
        if one.moves:
            longest = one.below_milliseconds
            table.add_row("longer" if longest is None else f"below {longest / 1_000:g} s", f"{one.moves:,} moves")
    table.add_row("by the clock", f"{numbers.clock_moves:,} moves")
    return table


def _add_rate(table: Table, name: str, rate: Rate) -> None:
    share = "-" if rate.rate is None else percent(rate.rate)
    table.add_row(name, share, _interval(rate), f"{rate.count:,} of {rate.out_of:,}")


def _add_mean(table: Table, name: str, mean: Mean, *, in_percent: bool = True) -> None:
    shown = percent if in_percent else "{:.3f}".format
    middle = "-" if mean.mean is None else shown(mean.mean)
    interval = "" if mean.low is None or mean.high is None else f"{shown(mean.low)} to {shown(mean.high)}"
    table.add_row(name, middle, interval, f"{mean.count:,}")


def _add_seconds(table: Table, name: str, mean: Mean) -> None:
    middle = "-" if mean.mean is None else f"{mean.mean:.1f} s"
    interval = "" if mean.low is None or mean.high is None else f"{mean.low:.1f} to {mean.high:.1f} s"
    table.add_row(name, middle, interval, f"{mean.count:,}")


def _add_expectation(table: Table, name: str, found: Expectation) -> None:
    values = f"{found.actual:,} for {found.expected:.1f}"
    table.add_row(name, values, f"{found.low:.1f} to {found.high:.1f}", f"{found.count:,}")


def _entry(board: Leaderboard, entry: LeaderboardEntry) -> tuple[str, str]:
    if entry.low is None or entry.high is None:
        return f"{entry.value:,.0f}", ""
    shown = "{:.1f}".format if board.measure == "rating" else percent
    return shown(entry.value), f"{shown(entry.low)} to {shown(entry.high)}"


def _interval(rate: Rate) -> str:
    return "" if rate.low is None or rate.high is None else f"{percent(rate.low)} to {percent(rate.high)}"


def percent(share: float) -> str:
    """A share for people."""
    return f"{100 * share:.1f} %"


def _kind(kind: str | None) -> str:
    return "bot" if kind == "bot" else ""
