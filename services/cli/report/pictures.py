"""The five pictures of a player: rating, calibration, luck, regret and doubt."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import hypot

from domain.statistics.answers import CalibrationBin, RatingPoint
from domain.statistics.intervals import Expectation
from services.cli.report.charts import Chart, Point, line_chart, spot_chart
from services.cli.report.markup import Markup, element
from services.cli.report.numbers import percent
from services.cli.report.portrait import AtChance, AtDice, Portrait
from services.cli.report.scale import Axis

_SIGMAS = 3
_EVEN = 0.5
_STRENGTH_OF_NEW_PLAYERS = 25.0


def pictures_of(portrait: Portrait) -> Iterator[Markup]:
    """The pictures, each with what it shows and how to read it."""
    yield _picture(
        "Rating",
        "The line is the rating after each rated game. The band is three times its uncertainty to both sides: it gets narrower as"
        " the games tell more. The dashed line is the rating of a new player.",
        _rating(portrait.ratings),
        "No rated game yet.",
        wide=True,
    )
    yield _picture(
        "Calibration",
        "Challenged bids, put together by their chance to hold as the bidder saw it, beside how many did hold. On the diagonal the"
        " odds were right; below it, others knew more. A bigger dot stands for more bids, and its line for the 95 % interval.",
        _calibration(portrait.numbers.calibration),
        "Nobody has challenged a bid of this player yet.",
    )
    yield _picture(
        "Doubt",
        "How often the player doubted a standing bid, by its chance to hold as the player saw it. A player who follows the odds"
        " doubts left of the dashed line, where a bid is more likely false than true, and seldom right of it.",
        _doubts(portrait.doubts),
        "The player has faced no standing bid yet.",
    )
    yield _picture(
        "Luck of the dice",
        "The strength of all hands so far, less what so many dice give on average. Chance alone stays within the band nineteen times"
        " out of twenty. Nobody's decision changes which dice fall, so what lies outside is luck.",
        _luck(portrait.luck),
        "No dice have fallen yet.",
    )
    yield _picture(
        "Regret",
        "By how much the chance to be right was below the best one, by the number of dice left in the game. The band is the 95 %"
        " interval of the mean. Less is better; with fewer dice each of them matters more.",
        _regret(portrait.regret),
        "The player has decided nothing yet.",
    )


def _picture(title: str, told: str, chart: Markup | None, otherwise: str, *, wide: bool = False) -> Markup:
    shown = chart if chart is not None else element("p", {"class": "nothing"}, otherwise)
    return element(
        "section",
        {"class": "picture is-wide" if wide else "picture"},
        element("h2", None, title),
        element("p", None, told),
        shown,
    )


def _rating(ratings: Sequence[RatingPoint]) -> Markup | None:
    if not ratings:
        return None
    points = [_rated(one) for one in ratings]
    first, last = points[0], points[-1]
    way = (
        f"From {first.y:.1f} after the first of these games to {last.y:.1f} after {_counted(last.count, 'rated game')}"
    )
    return line_chart(
        Chart(
            title="Rating",
            summary=f"{way}; it now lies between {last.low:.1f} and {last.high:.1f}.",
            x=Axis("rated games", "whole", snug=True),
            y=Axis("rating"),
            points=tuple(points),
            counted="games",
            level=_STRENGTH_OF_NEW_PLAYERS,
        )
    )


def _rated(one: RatingPoint) -> Point:
    mu, spread, games = one.rating.mu, _SIGMAS * one.rating.sigma, one.rating.games
    return Point(games, mu, mu - spread, mu + spread, games)


def _calibration(bins: Sequence[CalibrationBin]) -> Markup | None:
    points = [
        Point(one.chance, one.held.rate, one.held.low, one.held.high, one.held.out_of)
        for one in bins
        if one.chance is not None and one.held.rate is not None
    ]
    if not points:
        return None
    bids = sum(point.count for point in points)
    promised, held = (sum(share * point.count for share, point in pairs) for pairs in _weighed(points))
    return spot_chart(
        Chart(
            title="Calibration",
            summary=f"{bids:,} bids were challenged: {percent(promised / bids)} should have held, {percent(held / bids)} did.",
            x=Axis("chance to hold, as the bidder saw it", "share", 0.0, 1.0),
            y=Axis("bids that held", "share", 0.0, 1.0),
            points=tuple(points),
            counted="bids",
        )
    )


def _weighed(points: Sequence[Point]) -> Iterator[list[tuple[float, Point]]]:
    yield [(point.x, point) for point in points]
    yield [(point.y, point) for point in points]


def _doubts(groups: Sequence[AtChance]) -> Markup | None:
    known = [group for group in groups if group.doubts.rate is not None]
    if not known:
        return None
    below, above = (
        [group.doubts for group in known if (group.chance < _EVEN) is likely_false] for likely_false in (True, False)
    )
    shares = [sum(one.count for one in side) / (sum(one.out_of for one in side) or 1) for side in (below, above)]
    summary = f"{percent(shares[0])} of the bids that were more likely false were doubted, and {percent(shares[1])} of the others."
    return line_chart(
        Chart(
            title="Doubt",
            summary=summary,
            x=Axis("chance of the standing bid to hold", "share", 0.0, 1.0),
            y=Axis("bids doubted", "share", 0.0, 1.0),
            points=tuple(
                Point(one.chance, one.doubts.rate or 0.0, one.doubts.low, one.doubts.high, one.doubts.out_of)
                for one in known
            ),
            counted="bids faced",
            upright=_EVEN,
        )
    )


def _luck(games: Sequence[Expectation]) -> Markup | None:
    fallen = [game for game in games if game.count]
    if not fallen:
        return None
    sums = accumulate(game.actual - game.expected for game in fallen)
    # Variances add up, and so do the squares of half intervals.
    spreads = accumulate(((game.high - game.low) / 2 for game in fallen), hypot)
    counts = accumulate(game.count for game in fallen)
    points = tuple(
        Point(number, total, -spread, spread, count)
        for number, (total, spread, count) in enumerate(zip(sums, spreads, counts, strict=True), 1)
    )
    last = points[-1]
    assert last.low is not None and last.high is not None, "every point has its band"  # noqa: PT018 - one fact
    verdict = "more than chance explains" if not last.low <= last.y <= last.high else "which chance explains"
    return line_chart(
        Chart(
            title="Luck of the dice",
            summary=f"After {_counted(len(points), 'game')} the hands were {last.y:+,.1f} dice beside the average, {verdict}.",
            x=Axis("games", "whole", snug=True),
            y=Axis("dice above the average"),
            points=points,
            counted="hands",
            level=0.0,
        )
    )


def _regret(groups: Sequence[AtDice]) -> Markup | None:
    known = [group for group in groups if group.regret.mean is not None]
    if not known:
        return None
    worst = max(known, key=lambda group: group.regret.mean or 0.0)
    return line_chart(
        Chart(
            title="Regret",
            summary=f"It was greatest with {worst.dice} dice left: {percent(worst.regret.mean or 0.0)} a decision.",
            x=Axis("dice left in the game", "whole", snug=True),
            y=Axis("regret", "share", 0.0),
            points=tuple(
                Point(one.dice, one.regret.mean or 0.0, _at_least_0(one.regret.low), one.regret.high, one.regret.count)
                for one in known
            ),
            counted="decisions",
        )
    )


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _at_least_0(low: float | None) -> float | None:
    """The normal interval may reach below what a regret can be."""
    return None if low is None else max(0.0, low)
