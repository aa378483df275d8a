"""Charts as SVG, with the elements and classes of the page in a browser, whose styles they use.

Shapes are drawn on a field of 100 by 100 that is stretched to the width there is, while lines keep their strength. Texts lie over
it as ordinary texts, so that they keep their size on every screen. Below each picture is a table with its numbers.
"""

from collections.abc import Iterable, Sequence

from domain.values import Value
from services.cli.report.markup import Markup, element, style
from services.cli.report.scale import Axis, Scale, rounded, scale_of

_HEIGHT_REM = 15
_LETTERS_LONG = 5
_ROWS_MAX = 60
"""The table of a long line has every n-th row only, so that the file stays small."""
_POINTS_MAX = 600
_DOTS_MAX = 40


class Point(Value, frozen=True):
    """A value; with both `low` and `high` a band or a line is drawn between them."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    count: int = 0
    """How much it rests on; it is in the table."""


class Chart(Value, frozen=True, kw_only=True):
    """A picture of points."""

    title: str
    summary: str
    """What the picture says, in a sentence."""
    x: Axis
    y: Axis
    points: tuple[Point, ...]
    counted: str
    """What `count` of a point counts."""
    level: float | None = None
    """A value of y to compare with, drawn as a dashed line."""
    upright: float | None = None
    """The same for x."""
    digits: int = 1


def line_chart(chart: Chart) -> Markup:
    """A line through the points, with a band for what is uncertain."""
    points = _thinned(chart.points, _POINTS_MAX)
    x, y = _scales(chart, points)
    places = [(x.at(point.x), rounded(100 - y.at(point.y))) for point in points]
    dots = places if len(points) <= _DOTS_MAX else []
    shapes = (
        _band(points, x, y),
        _compared(chart, x, y),
        _path("chart-line", "M" + "L".join(f"{left} {top}" for left, top in places)),
        [_path("chart-dot", f"M{left} {top}h0") for left, top in dots],
    )
    return _figure(chart, _field(chart, x, y, element("g", {"class": "is-look-0"}, shapes)))


def spot_chart(chart: Chart) -> Markup:
    """Points by themselves, each with its interval, and the bigger the more it rests on; beside the diagonal."""
    x, y = _scales(chart, chart.points)
    most = max((point.count for point in chart.points), default=1) or 1
    spots = [_spot(point, x, y, rounded((point.count / most) ** 0.5)) for point in chart.points]
    diagonal = _path("chart-diagonal", "M0 100L100 0")
    return _figure(chart, _field(chart, x, y, (diagonal, element("g", {"class": "is-look-0"}, spots))))


def _scales(chart: Chart, points: Sequence[Point]) -> tuple[Scale, Scale]:
    heights = [height for point in points for height in (point.y, point.low, point.high) if height is not None]
    levels = [] if chart.level is None else [chart.level]
    return scale_of(chart.x, [point.x for point in points]), scale_of(chart.y, [*heights, *levels])


def _spot(point: Point, x: Scale, y: Scale, weight: float) -> list[Markup]:
    left = x.at(point.x)
    spot = element(
        "path", {"class": "chart-spot", "d": f"M{left} {rounded(100 - y.at(point.y))}h0", "style": style(weight=weight)}
    )
    if point.low is None or point.high is None:
        return [spot]
    ends = rounded(100 - y.at(point.low)), rounded(100 - y.at(point.high))
    return [_path("chart-spread", f"M{left} {ends[0]}V{ends[1]}"), spot]


def _band(points: Sequence[Point], x: Scale, y: Scale) -> list[Markup]:
    known = [(x.at(one.x), one.low, one.high) for one in points if one.low is not None and one.high is not None]
    above = [f"{left} {rounded(100 - y.at(high))}" for left, _, high in known]
    below = [f"{left} {rounded(100 - y.at(low))}" for left, low, _ in known]
    if len(known) < 2:  # noqa: PLR2004 - one point has no area
        return [_path("chart-spread", f"M{one}L{other}") for one, other in zip(above, below, strict=True)]
    # The edges are drawn too, so that the band can be seen without its colour.
    edges = [_path("chart-edge", f"M{'L'.join(edge)}") for edge in (above, below)]
    return [_path("chart-band", f"M{'L'.join((*above, *reversed(below)))}Z"), *edges]


def _compared(chart: Chart, x: Scale, y: Scale) -> list[Markup]:
    found = []
    if chart.level is not None:
        found.append(_path("chart-diagonal", f"M0 {rounded(100 - y.at(chart.level))}H100"))
    if chart.upright is not None:
        found.append(_path("chart-diagonal", f"M{x.at(chart.upright)} 0V100"))
    return found


def _path(name: str, shape: str) -> Markup:
    return element("path", {"class": name, "d": shape})


def _field(chart: Chart, x: Scale, y: Scale, shapes: object) -> Markup:
    """The field of a chart with its axes."""
    grid = [_path("chart-grid", f"M0 {rounded(100 - y.at(tick))}H100") for tick in y.ticks]
    ticks = [_path("chart-tick", f"M{x.at(tick)} 100V98") for tick in x.ticks]
    drawing = {"viewBox": "0 0 100 100", "preserveAspectRatio": "none", "role": "img", "aria-label": chart.summary}
    letters = max((len(y.written(tick)) for tick in y.ticks), default=1)
    return element(
        "div",
        {"class": "chart-body", "style": style(chart_height=f"{_HEIGHT_REM}rem", axis_letters=letters, end_letters=0)},
        _aside("chart-y-label", y.axis.label),
        _aside("chart-y", [element("span", {"style": style(at=y.at(tick))}, y.written(tick)) for tick in y.ticks]),
        element(
            "div",
            {"class": "chart-area"},
            element("svg", drawing, grid, ticks, _path("chart-axis", "M0 100H100"), shapes),
        ),
        _aside("chart-x", [_x_tick(x, tick) for tick in x.ticks]),
        _aside("chart-x-label", x.axis.label),
    )


def _aside(name: str, *children: object) -> Markup:
    """A part that a screen reader leaves out: the table has the same."""
    return element("div", {"class": name, "aria-hidden": "true"}, *children)


def _x_tick(x: Scale, tick: float) -> Markup:
    text, at = x.written(tick), x.at(tick)
    edge = "is-first" if at < 6 else "is-last" if at > 94 else None  # noqa: PLR2004 - a long text at an end stays inside
    return element("span", {"class": edge if len(text) >= _LETTERS_LONG else None, "style": style(at=at)}, text)


def _figure(chart: Chart, picture: Markup) -> Markup:
    return element(
        "figure",
        {"class": "chart"},
        picture,
        element("figcaption", {"class": "chart-says"}, chart.summary),
        element(
            "details",
            {"class": "chart-data"},
            element("summary", None, "The numbers as a table"),
            element(
                "div", {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": chart.title}, _table(chart)
            ),
        ),
    )


def _table(chart: Chart) -> Markup:
    heads = (chart.x.label, chart.y.label, "from", "to", chart.counted)
    head = [
        element("th", {"scope": "col", "class": "figure" if index else None}, one) for index, one in enumerate(heads)
    ]
    rows = [_row(chart, point) for point in _thinned(chart.points, _ROWS_MAX)]
    return element("table", None, element("thead", None, element("tr", None, head)), element("tbody", None, rows))


def _row(chart: Chart, point: Point) -> Markup:
    cells = (*(_cell(chart.y, value, chart.digits) for value in (point.y, point.low, point.high)), f"{point.count:,}")
    name = _cell(chart.x, point.x, 0 if chart.x.kind == "whole" else chart.digits)
    return element(
        "tr", None, element("th", {"scope": "row"}, name), [element("td", {"class": "figure"}, cell) for cell in cells]
    )


def _cell(axis: Axis, value: float | None, digits: int) -> str:
    if value is None:
        return "–"  # noqa: RUF001 - the sign for nothing, as on the page
    return f"{100 * value:.{digits}f} %" if axis.kind == "share" else f"{value:,.{digits}f}"


def _thinned(points: Iterable[Point], most: int) -> tuple[Point, ...]:
    """Some of the points, evenly chosen, and always the last."""
    every = tuple(points)
    stride = -(-len(every) // most) or 1
    return every[(len(every) - 1) % stride :: stride]
