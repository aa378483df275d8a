"""What has happened around a game: how its table was set up, and which chains the server keeps for it.

These events have a stream of their own beside the game's, `<game>:table`, which is written first: the server's seed is
stored, sealed, before anybody learns the anchor that follows from it.
"""

from domain.events import Event
from infra.events.upcasting import Topics, Upcast
from services.access.spectator_delay import SpectatorDelay


class TableOpened(Event, frozen=True):
    """A player set up a table; the server drew its seed for it."""

    TOPIC = "table-opened.v2"
    SECRETS = ("seed", "invitation_code")

    owner_id: str
    private: bool
    spectator_delay_seconds: int
    rematch_of: str | None
    seed: bytes | None
    invitation_code: str | None
    forked_from: str | None = None
    """The game that a practice game goes on from; None for every other game."""
    forked_version: int | None = None
    """How many events of that game it begins with."""

    @property
    def delay(self) -> SpectatorDelay:
        """How much later than the players everybody else sees the game."""
        return SpectatorDelay(self.spectator_delay_seconds)


class ChainKept(Event, frozen=True):
    """The server drew a seed for a player, or a bot, who leaves the chain to it."""

    TOPIC = "chain-kept.v1"
    SECRETS = ("seed",)

    player_id: str
    seed: bytes | None


class RematchOpened(Event, frozen=True):
    """A table for another game of the same kind was promised."""

    TOPIC = "rematch-opened.v1"

    game_id: str


AnyTableEvent = TableOpened | ChainKept | RematchOpened

TABLE_UPCASTS = (
    Upcast(
        "table-opened.v1",
        lambda fields: {**fields, "forked_from": None, "forked_version": None},
        secrets=("seed", "invitation_code"),
    ),
)
"""A table that was opened before there were practice games is of none."""

TABLE_TOPICS = Topics((TableOpened, ChainKept, RematchOpened), TABLE_UPCASTS)


def table_stream(game_id: str) -> str:
    """The stream of a game's table."""
    return f"{game_id}:table"
