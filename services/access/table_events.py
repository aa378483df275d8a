"""The events around a game: how its table was set up, and which chains the server keeps for it.

These events have their own stream, `<game>:table`, beside the game's. It is written first: the server stores its sealed
seed before anybody sees the anchor that is computed from it.
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
        """How much later than its players all others see the game."""
        return SpectatorDelay(self.spectator_delay_seconds)


class ChainKept(Event, frozen=True):
    """The server drew a seed for a player or a bot whose chain it keeps."""

    TOPIC = "chain-kept.v1"
    SECRETS = ("seed",)

    player_id: str
    seed: bytes | None


class RematchOpened(Event, frozen=True):
    """The players of this game get a rematch: a new table for the same kind of game."""

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
"""A table that was opened before practice games existed belongs to no practice game."""

TABLE_TOPICS = Topics((TableOpened, ChainKept, RematchOpened), TABLE_UPCASTS)


def table_stream(game_id: str) -> str:
    """The stream of a game's table."""
    return f"{game_id}:table"
