"""Groups, decisions and pairs as tables for a person."""

from rich.table import Table

from domain.freshness import Freshness
from domain.statistics.answers import DecisionMade, GameStatistics, Grouping, Matrix, PlayerGroup
from domain.statistics.intervals import Expectation
from domain.values import Bid, Value
from services.cli.columns import columns
from services.cli.statistics.screen import percent
from services.cli.terminal import printable


class Groups(Value, frozen=True, kw_only=True):
    """All groups of a player's numbers."""

    player_id: str
    by: Grouping
    groups: tuple[PlayerGroup, ...]
    freshness: Freshness


class DecisionList(Value, frozen=True, kw_only=True):
    """Some decisions of a player."""

    player_id: str
    decisions: tuple[DecisionMade, ...]
    freshness: Freshness


def groups_table(found: Groups) -> Table:
    """A line for each group."""
    title = f"{printable(found.player_id)} by {found.by.replace('_', ' ')}"
    whole = any(one.dice_luck.count for one in found.groups)
    table = columns(
        title,
        found.by.replace("_", " "),
        "games",
        "won",
        "decisions",
        "best",
        "regret",
        "doubted",
        "doubts",
        "held",
        *(("luck",) if whole else ()),
    )
    for one in found.groups:
        rates = (one.best_decisions.rate, one.regret.mean, one.doubted.rate, one.doubts.rate, one.bids_held.rate)
        numbers = (f"{one.games:,}", _share(one.wins.rate), f"{one.decisions:,}")
        luck = (f"{one.dice_luck.actual - one.dice_luck.expected:+,.1f}",) if whole else ()
        table.add_row(printable(one.group), *numbers, *(_share(rate) for rate in rates), *luck)
    return table


def games_table(found: GameStatistics) -> Table:
    """A line for each group of games; what the opener won stands beside an even share."""
    by = found.by
    headers = (by, "games", "rounds", "moves", "minutes", "opener won", "even share", "opener's rounds", "even share")
    table = columns(f"Games by {by}", *headers)
    for one in found.groups:
        minutes = None if one.game_seconds.mean is None else one.game_seconds.mean / 60
        means = (_number(one.rounds.mean), _number(one.moves.mean), _number(minutes))
        table.add_row(
            printable(one.group), f"{one.games:,}", *means, *_shares(one.opener_wins), *_shares(one.opener_rounds)
        )
    return table


def _shares(one: Expectation) -> tuple[str, str]:
    return (percent(one.actual / one.count), percent(one.expected / one.count)) if one.count else ("-", "-")


def _number(number: float | None) -> str:
    return "-" if number is None else f"{number:,.1f}"


def decisions_table(found: DecisionList) -> Table:
    """A line for each decision."""
    title = f"Decisions of {printable(found.player_id)}"
    table = columns(
        title, "game", "step", "round", "dice", "standing", "decision", "chance", "best", "chance", "regret", ""
    )
    for one in found.decisions:
        dice = " ".join(map(str, (*one.shown, *one.hidden)))
        best = _bid(one.best_bid) if one.best_action == "bid" else "challenge"
        done = _bid(one.bid) if one.action == "bid" else "challenge"
        table.add_row(
            printable(one.game_id),
            *(str(one.version), str(one.round), dice, _bid(one.standing), done, percent(one.chance)),
            *(best, percent(one.best_chance), percent(one.regret), _outcome(one)),
        )
    return table


def matrix_table(found: Matrix) -> Table:
    """For every two players, how often the one of the line came before the one of the column."""
    of_pairs = {(one.player_id, one.other_id): one for one in found.pairs}
    table = columns("ahead of the other, and of how many games", "", *map(printable, found.player_ids))
    for player in found.player_ids:
        cells = []
        for other in found.player_ids:
            pair = of_pairs.get((player, other))
            cells.append("" if pair is None else f"{_share(pair.ahead.rate)} of {pair.ahead.out_of:,}")
        table.add_row(printable(player), *cells)
    return table


def _share(share: float | None) -> str:
    return "-" if share is None else percent(share)


def _bid(bid: Bid | None) -> str:
    return "" if bid is None else f"{bid.quantity}x{bid.face}"


def _outcome(one: DecisionMade) -> str:
    if one.won is None:
        return ""
    return "right" if one.won else "wrong"
