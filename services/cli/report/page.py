"""The report as one HTML file: it asks nobody for anything, and needs no script."""

from datetime import UTC, datetime
from pathlib import Path

from domain.freshness import Freshness
from services.cli.report.markup import Markup, element, inside
from services.cli.report.numbers import numbers_list
from services.cli.report.pictures import pictures_of
from services.cli.report.portrait import Portrait

_PAGE = Path(__file__).parents[2] / "web" / "page"
_STYLES = (
    *(_PAGE / "styles" / name for name in ("tokens.css", "base.css", "charts.css")),
    Path(__file__).with_name("report.css"),
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""The browser itself keeps the file from asking anybody for anything."""


def report_page(portrait: Portrait, server: str, at: datetime) -> str:
    """The whole file."""
    title = f"{_name(portrait)} at Liar's Dice"
    head = element(
        "head",
        None,
        element("meta", {"charset": "utf-8"}),
        element("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        element("meta", {"http-equiv": "Content-Security-Policy", "content": _POLICY}),
        element("title", None, title),
        element("style", None, Markup("\n".join(path.read_text("utf-8") for path in _STYLES))),
    )
    body = element("body", None, element("main", {"class": "report"}, _parts(portrait, server, at)))
    return f"<!doctype html>\n{element('html', {'lang': 'en'}, head, body)}\n"


def _parts(portrait: Portrait, server: str, at: datetime) -> Markup:
    return inside(
        _head(portrait),
        element(
            "section",
            None,
            element("h2", None, "Key numbers"),
            numbers_list(portrait.numbers),
        ),
        element("div", {"class": "pictures"}, pictures_of(portrait)),
        _foot(server, at, portrait.numbers.freshness),
    )


def _head(portrait: Portrait) -> Markup:
    about = [element("span", None, text) for text in _about(portrait)]
    return element(
        "header",
        {"class": "report-head"},
        Markup((_PAGE / "icon.svg").read_text("utf-8").replace("<svg ", '<svg aria-hidden="true" ', 1)),
        element("h1", None, _name(portrait)),
        element("p", {"class": "report-about"}, about),
        element(
            "p",
            {"class": "report-lead"},
            "A small number of games says little. So beside each number is how much was counted, and the range in which the true one"
            " lies nineteen times out of twenty, unless its definition says otherwise.",
        ),
    )


def _about(portrait: Portrait) -> list[str]:
    numbers = portrait.numbers
    since, until = (None if at is None else _day(at) for at in (numbers.since, numbers.until))
    return [
        f"{numbers.games:,} {numbers.played} games",
        f"{numbers.rounds:,} rounds",
        numbers.rulebook or "all rulebooks",
        *([f"from {since}"] if since else []),
        *([f"before {until}"] if until else []),
        # The field counts games of all kinds, as the first part does not.
        *([f"{numbers.private_games:,} private, among games of all kinds"] if numbers.private_games else []),
        *(["a bot"] if numbers.kind == "bot" else []),
        numbers.player_id,
    ]


def _foot(server: str, at: datetime, freshness: Freshness | None) -> Markup:
    return element(
        "footer",
        {"class": "report-foot"},
        element("p", None, f"Written on {at:%Y-%m-%d at %H:%M} UTC from the answers of the server at {server}."),
        element("p", None, _freshness(freshness)),
        element(
            "p",
            None,
            "Chances are as the seat saw them: it knew its own dice and all that were shown, and every other die shows each face"
            " equally often. The page docs/reference/statistics.md defines every number.",
        ),
    )


def _freshness(freshness: Freshness | None) -> str:
    if freshness is None:
        return "The server did not say whether games are missing."
    at = freshness.caught_up_to
    if freshness.complete:
        return "No game is missing." if at is None else f"No game is missing that was stored by {_minute(at)}."
    since = "the server had not caught up with its games" if at is None else f"those stored since {_minute(at)}"
    return f"Games may be missing: {since}."


def _minute(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1_000, UTC):%Y-%m-%d at %H:%M} UTC"


def _name(portrait: Portrait) -> str:
    return portrait.numbers.name or portrait.numbers.player_id


def _day(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1_000, UTC):%Y-%m-%d}"
