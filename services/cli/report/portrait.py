"""What a report shows of a player: what the server answers, in the order in which the pictures need it."""

from domain.statistics.answers import PlayerStatistics, RatingPoint, Span
from domain.statistics.intervals import Expectation, Mean, Rate
from domain.values import Value
from services.client import Client

_HALF_A_BIN = 0.05
"""Groups by chance are called after the low ends of their bins."""


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
    luck: tuple[Expectation, ...]
    """The strength of the hands in each game, the oldest first."""
    regret: tuple[AtDice, ...]
    doubts: tuple[AtChance, ...]


async def portrait_of(client: Client, player_id: str, span: Span) -> Portrait:
    """Ask the server for everything that the report shows."""
    numbers = await client.statistics.player(player_id, span)
    # Only ended games are rated.
    ratings = [point async for point in client.statistics.ratings(player_id, span)] if span.played == "ended" else []
    games = [group.dice_luck async for group in client.statistics.groups(player_id, "game", span)]
    dice = [
        AtDice(int(group.group), group.regret) async for group in client.statistics.groups(player_id, "dice_left", span)
    ]
    chances = [
        AtChance(float(group.group) + _HALF_A_BIN, group.doubts)
        async for group in client.statistics.groups(player_id, "standing_chance", span)
    ]
    return Portrait(
        numbers=numbers,
        ratings=tuple(reversed(ratings)),
        luck=tuple(reversed(games)),
        regret=tuple(dice),
        doubts=tuple(chances),
    )
