"""Checks on what readers ask for, over gRPC and HTTP alike: places in lists, filters, speeds and waits of replays."""

from domain.options import DICE_EACH_MAX
from domain.rulebooks import BOOKS
from domain.statistics.answers import DecisionsWanted
from services.access.refusals import FieldInvalid
from services.archive.archive import Place
from services.archive.paging import place_of

STEPS_MAX = 1_000
SPEED_MIN, SPEED_MAX = 0.01, 1_000.0
WAIT_SECONDS_DEFAULT, WAIT_SECONDS_MAX = 5.0, 3_600.0
LEFT_MIN = 2
"""Nobody decides anything before fewer players than two, who have a die each."""
PLAYERS_LEFT_MAX = max(book.players_max for book in BOOKS)
DICE_LEFT_MAX = PLAYERS_LEFT_MAX * DICE_EACH_MAX
MILLISECONDS_END = 2**53
"""No reader means a time as late as this."""


def after_of(token: str, field: str) -> Place | None:
    """The place to go on from; None for the beginning."""
    return Place(*place_of(token, field)) if token else None


def check_times(since: int | None, until: int | None, field: str) -> None:
    """Refuse a range of times in which there is none. The `field` is the one of the end."""
    if since is not None and until is not None and until <= since:
        raise FieldInvalid(field=field, problem="must be later than since, because no game can be in between")


def check_decisions(wanted: DecisionsWanted) -> None:
    """Refuse filters that no decision can match."""
    for field, left, most in (
        ("dice_left", wanted.dice_left, DICE_LEFT_MAX),
        ("players_left", wanted.players_left, PLAYERS_LEFT_MAX),
    ):
        if left is not None and not LEFT_MIN <= left <= most:
            raise FieldInvalid(field=field, problem=f"must be {LEFT_MIN} to {most}")
    if wanted.bluff is not None and wanted.action == "challenge":
        raise FieldInvalid(field="bluff", problem="is about bids, so it can't be given with the action challenge")


def speed_of(speed: float, field: str) -> float:
    """A speed within its bounds; refuses any other, also what is not a number (NaN)."""
    if not SPEED_MIN <= speed <= SPEED_MAX:
        raise FieldInvalid(field=field, problem=f"must be {SPEED_MIN} to {SPEED_MAX:.0f}")
    return speed


def wait_seconds_of(seconds: float, field: str) -> float:
    """The longest wait between two steps, within its bounds."""
    if not 0 <= seconds <= WAIT_SECONDS_MAX:
        raise FieldInvalid(field=field, problem=f"must be 0 to {WAIT_SECONDS_MAX:.0f}")
    return seconds
