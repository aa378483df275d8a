"""The key numbers of a player, each with its interval, what was counted, and what it means."""

from collections.abc import Iterator

from domain.statistics.answers import PlayerStatistics, Rating
from domain.statistics.intervals import Expectation, Mean, Rate
from domain.values import Value
from services.cli.report.markup import Markup, element

NOTHING = "–"  # noqa: RUF001 - the sign for nothing, as on the page


class Number(Value, frozen=True, kw_only=True):
    """A number and all that it takes to read it."""

    name: str
    value: str
    interval: str = ""
    basis: str
    told: str
    """Its definition; docs/reference/statistics.md has it in full."""


DEFINITIONS = {
    "rating": (
        "Rating",
        "The estimated strength, 25 for a new player, by the Plackett-Luce model of openskill. Only the places of public games with a winner count. The range is three times the uncertainty to both sides; its low end is a strength that the player very likely has at least.",
    ),
    "wins": (
        "Games won",
        "Games won, of those that have a winner. Expected is what a player would win who is as good as the others at the table: one divided by the number of players, added up over all games.",
    ),
    "best_decisions": (
        "Best decisions",
        "Bids and challenges with the highest chance to be right of all that the player could have done in that turn. It looks at a single turn only: a player who raises early to put others in trouble may do well and still score low here.",
    ),
    "regret": (
        "Regret",
        "By how many points of per cent the chance to be right was below the best one; the mean of all decisions. Less is better.",
    ),
    "challenges_won": ("Challenges won", "Challenges won, of those that the player made."),
    "bids_held": ("Bids that held", "Own bids that held when they were challenged."),
    "bluffs": ("Bluffs", "Bids towards which none of the bidder's own dice counted, of all bids."),
    "bluffs_caught": (
        "Bluffs caught",
        "Bluffs that were challenged and failed, of all bluffs. A bluff that was challenged and held was lucky, not caught.",
    ),
    "risk": (
        "Risk of a bid",
        "The chance that a bid fails, as the bidder saw it when making it; the mean of all bids.",
    ),
    "brier": (
        "Brier score",
        "The mean of the squared difference between the chance that the bidder saw and what happened, 1 or 0. A coin gets 0.25, and less is better.",
    ),
    "dice_luck": (
        "Strength of the hands",
        "How many dice of each hand count towards its best face, added up, beside the exact mean for so many dice. Only dice that fell at the beginning of a round count, since players choose their rerolls. Outside of the range it is luck and nothing else.",
    ),
    "move_seconds": (
        "Time per move",
        "From the beginning of a turn to the bid or challenge that ended it; the mean of all moves. More than a day counts as a day.",
    ),
}
"""The name and the definition of each number, in the words of the page in a browser."""


def numbers_of(player: PlayerStatistics) -> Iterator[Number]:
    """The key numbers of a player, in the order in which one reads them."""
    yield _rating(player.rating)
    yield _rate("wins", player.wins, f", expected {player.expected_wins:.1f}")
    yield _rate("best_decisions", player.best_decisions)
    yield _mean("regret", player.regret, "decisions")
    yield _rate("challenges_won", player.challenges_won)
    yield _rate("bids_held", player.bids_held)
    yield _rate("bluffs", player.bluffs)
    yield _rate("bluffs_caught", player.bluffs_caught)
    yield _mean("risk", player.risk, "bids")
    yield _brier(player.brier)
    yield _luck(player.dice_luck)
    yield _seconds(player.move_seconds)


def numbers_list(player: PlayerStatistics) -> Markup:
    """The numbers with their definitions beside them."""
    return element("dl", {"class": "numbers"}, map(_item, numbers_of(player)))


def _item(number: Number) -> Markup:
    small = [element("small", None, text) for text in (number.interval, number.basis) if text]
    return element(
        "div",
        {"class": "number"},
        element("dt", None, number.name),
        element("dd", {"class": "number-value"}, element("strong", None, number.value), small),
        element("dd", {"class": "number-told"}, number.told),
    )


def _number(key: str, value: str, interval: str, basis: str) -> Number:
    name, told = DEFINITIONS[key]
    return Number(name=name, value=value, interval=interval, basis=basis, told=told)


def _rating(rating: Rating | None) -> Number:
    if rating is None:
        return _number("rating", NOTHING, "", "no rated game yet")
    interval = f"{rating.ordinal:.1f} to {rating.mu + 3 * rating.sigma:.1f}"
    return _number("rating", f"{rating.mu:.1f}", interval, f"{rating.games:,} rated games")


def _rate(key: str, rate: Rate, more: str = "") -> Number:
    value = NOTHING if rate.rate is None else percent(rate.rate)
    return _number(key, value, _interval(rate.low, rate.high), f"{rate.count:,} of {rate.out_of:,}{more}")


def _mean(key: str, mean: Mean, counted: str) -> Number:
    value = NOTHING if mean.mean is None else percent(mean.mean)
    return _number(key, value, _interval(mean.low, mean.high), f"{mean.count:,} {counted}")


def _brier(mean: Mean) -> Number:
    value = NOTHING if mean.mean is None else f"{mean.mean:.3f}"
    interval = "" if mean.low is None or mean.high is None else f"{mean.low:.3f} to {mean.high:.3f}"
    return _number("brier", value, interval, f"{mean.count:,} challenged bids")


def _luck(found: Expectation) -> Number:
    if not found.count:
        return _number("dice_luck", NOTHING, "", "no hands yet")
    interval = f"expected {found.expected:,.1f}, by chance {found.low:,.1f} to {found.high:,.1f}"
    return _number("dice_luck", f"{found.actual:,}", interval, f"{found.count:,} hands")


def _seconds(mean: Mean) -> Number:
    value = NOTHING if mean.mean is None else f"{mean.mean:.1f} s"
    interval = "" if mean.low is None or mean.high is None else f"{mean.low:.1f} to {mean.high:.1f} s"
    return _number("move_seconds", value, interval, f"{mean.count:,} moves")


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{percent(low)} to {percent(high)}"


def percent(share: float) -> str:
    """A share in per cent."""
    return f"{100 * share:.1f} %"
