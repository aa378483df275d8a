"""The names of the server's bots, and their ids, which name their strategy."""

from collections.abc import Collection
from typing import NamedTuple

from domain.ids import digest
from domain.naming import alike_among
from domain.state import Player
from services.bots import BOTS
from services.bots.refusals import NoSuchStrategy

BOT_PREFIX = "bot."
STRATEGY_DEFAULT = "calculating"
_ID_LENGTH = 8
_NAMES = (
    "Ada",
    "Blaise",
    "Carl",
    "Daniel",
    "Emmy",
    "Fermat",
    "Gosset",
    "Huygens",
    "Isaac",
    "Jakob",
    "Karl",
    "Laplace",
)


class Counted(NamedTuple):
    """The player that a seat counts for in statistics."""

    player_id: str
    name: str
    kind: str


def is_bot(player: Player) -> bool:
    """Whether the server plays for this player."""
    return player.player_id.startswith(BOT_PREFIX)


def free_name(taken: Collection[str]) -> str:
    """A name that looks like that of no player at the table. No person has one of these names."""
    names = (f"Bot {name}" for name in (*_NAMES, *range(1, len(taken) + 2)))
    return next(name for name in names if alike_among(name, taken) is None)


def new_bot_id(strategy: str, *parts: str) -> str:
    """The id of a bot with this strategy; the parts make it different from all other bots."""
    strategy = strategy or STRATEGY_DEFAULT
    if strategy not in BOTS:
        raise NoSuchStrategy(strategy=strategy, strategies=tuple(BOTS))
    return f"{BOT_PREFIX}{strategy}.{digest(*parts)[:_ID_LENGTH]}"


def counted_as(player_id: str, name: str, kind: str) -> Counted:
    """The player that a seat counts for. A bot of the server is new at every table, so its strategy counts instead."""
    counted = counted_id(player_id)
    if not counted.startswith(BOT_PREFIX):
        return Counted(player_id, name, kind)
    return Counted(counted, counted.removeprefix(BOT_PREFIX), kind)


def counted_id(player_id: str) -> str:
    """The id of the player that a seat counts for: `bot.cautious` for `bot.cautious.1a2b3c4d`, any other id as it is."""
    if not player_id.startswith(BOT_PREFIX):
        return player_id
    return BOT_PREFIX + player_id.removeprefix(BOT_PREFIX).partition(".")[0]


def strategy_of(player_id: str) -> str | None:
    """The strategy of the server's bots that an id stands for; None for anybody else."""
    strategy = counted_id(player_id).removeprefix(BOT_PREFIX)
    return strategy if player_id.startswith(BOT_PREFIX) and strategy in BOTS else None
