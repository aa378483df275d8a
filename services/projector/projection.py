"""What a projection is: it makes the rows of a read model from a whole game, or from a whole club."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from domain.events import AnyEvent, GameAbandoned, GameEnded
from domain.values import Value
from infra.postgres.connections import Connection
from infra.postgres.generations import Model
from services.archive.listing import GameListing
from services.clubs.club import Club

Rows = Mapping[str, Sequence[tuple[Any, ...]]]
"""The rows of a game or a club by table; each row has the table's columns in their order, and the first is its id."""

END_TOPICS = frozenset((GameEnded.TOPIC, GameAbandoned.TOPIC))


class StoredGame(Value, frozen=True):
    """A stored game, read without any key, with the revealed secrets filled in."""

    game_id: str
    events: tuple[AnyEvent, ...]
    digests: tuple[bytes | None, ...]
    listing: GameListing
    lane: int
    position: int
    """The position of its last event in the lane."""

    @property
    def search_columns(self) -> tuple[Any, ...]:
        """The first columns of each table in which lists and exports search for games."""
        listing = self.listing
        return (
            self.game_id,
            listing.created_at,
            listing.ended_at,
            listing.rulebook,
            listing.result,
            listing.owner_id,
            listing.private,
            listing.practice,
            listing.shown_at,
            list(listing.player_ids),
        )

    @property
    def is_over(self) -> bool:
        """Whether it was won or abandoned."""
        return isinstance(self.events[-1], GameEnded | GameAbandoned)


class Projection(ABC):
    """One read model."""

    MODEL: ClassVar[Model]
    TRIGGERS: ClassVar[frozenset[str]] = END_TOPICS
    """The topics of events that change the rows of a game."""
    TABLES: ClassVar[tuple[str, ...]]
    """The tables with rows of single games. There may be more tables for what is computed from many games."""
    QUEUES: ClassVar[frozenset[str]] = frozenset()
    """Those of them that are empty once everything is settled."""
    KEY: ClassVar[str] = "game_id"
    """The first column of these tables."""

    @abstractmethod
    def rows(self, game: StoredGame) -> Rows:
        """The rows of a game."""

    def club_rows(self, club: Club) -> Rows:  # noqa: ARG002 - most are about games only
        """The rows of a club."""
        return {}

    async def is_settled(self, connection: Connection, schema: str) -> bool:  # noqa: ARG002 - most have nothing to settle
        """Whether what is computed from many games together is up to date with their rows."""
        return True

    async def settle(self, connection: Connection, schema: str) -> None:  # noqa: B027 - as above
        """Bring some of it up to date. It should be quick, because other projectors wait for it meanwhile."""
