"""What a report shows of a player: what the server answers, in the order in which the pictures need it."""

from domain.statistics.answers import PlayerStatistics, RatingPoint, Span
from domain.statistics.intervals import Expectation, Mean, Rate
from domain.values import Value
from services.client import Client


class AtDice(Value, frozen=True):
    """The regret of decisions with so many dice left in the game."""

    dice: int
    regret: Mean


class AtChance(Value, frozen=True):
    """How often the player doubted a standing bid whose chance to hold was about this, as the player saw it."""

    chance: float
    doubts: Rate


class Portrait(Value, frozen=True, kw_only=True):
    """A player, as far as the server may tell."""

    numbers: PlayerStatistics
    ratings: tuple[RatingPoint, ...]
    """The oldest first."""
    luck: tuple[Expectation, ...] | None = None
    """The strength of the hands in each game, the oldest first; None if the server does not answer that."""
    regret: tuple[AtDice, ...] | None = None
    doubts: tuple[AtChance, ...] | None = None


async def portrait_of(client: Client, player_id: str, span: Span) -> Portrait:
    """Ask the server for everything that the report shows."""
    numbers = await client.statistics.player(player_id, span)
    # Only ended games are rated.
    ratings = [point async for point in client.statistics.ratings(player_id, span)] if span.played == "ended" else []
    return Portrait(numbers=numbers, ratings=tuple(reversed(ratings)))
