"""What a recount asks, and what it must have seen before it may say that all fields agree."""

from collections import Counter
from collections.abc import Sequence

import httpx

from tests.recomputed.answers import Asked
from tests.recomputed.comparison import Comparison
from tests.recomputed.made_games import APART, BEGAN, READER, TOKEN

BOOKS = ("bidding-track", "single-hand", "pirates", "prediction-track", "palafico")
KINDS = (
    *(f"games of {book}" for book in BOOKS),
    *(f"games {played}" for played in ("ended", "practice", "abandoned")),
    *("games with a clock", "moves of the clock", "forfeits", "decisions", "delayed tables", "forks", "private tables"),
    "tables whose end is hidden still",
)
"""What a recount has to contain: if any of it is missing, the recount proves too little."""
PLAYERS = ("bob", "bot.cautious", "bot.bluffing", "cleo", READER)
"""Whom the stranger asks about. The reader asks about her own games, and about herself against these."""


def choices(games: int) -> tuple[Asked, ...]:
    """The choices of games that are asked about."""
    middle = BEGAN + games // 2 * APART
    return (
        Asked(),
        Asked(rulebook="single-hand"),
        Asked(since=middle + 12_345),
        Asked(until=middle),
        Asked(played="abandoned"),
        Asked(played="practice"),
    )


async def recounted(
    client: httpx.AsyncClient, asked_of: Sequence[Asked], *, own: bool, players: int = len(PLAYERS)
) -> Comparison:
    """Everything that a stranger is answered about so many players, or the reader about her own games, compared."""
    comparison = Comparison(client, READER, TOKEN) if own else Comparison(client)
    await comparison.export()
    for asked in asked_of:
        await comparison.everything(asked, PLAYERS, players)
    return comparison


def missing(contents: Counter[str], kinds: Sequence[str] = KINDS) -> list[str]:
    """The kinds of games of which there was none."""
    return [kind for kind in kinds if not contents[kind]]
