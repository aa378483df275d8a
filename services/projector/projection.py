"""What a projection is: from a whole game, the rows that its read model has of it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from domain.events import AnyEvent, GameAbandoned, GameEnded
from domain.values import Value
from infra.postgres.connections import Connection
from infra.postgres.generations import Model
from services.archive.listing import GameListing

Rows = Mapping[str, Sequence[tuple[Any, ...]]]
"""The rows of a game by table, each with the table's columns in their order; the first one is the game's id."""

END_TOPICS = frozenset((GameEnded.TOPIC, GameAbandoned.TOPIC))


class StoredGame(Value, frozen=True):
    """A game as it is stored, read without any key, with what its reveals have told filled in."""

    game_id: str
    events: tuple[AnyEvent, ...]
    digests: tuple[bytes | None, ...]
    listing: GameListing

    @property
    def is_over(self) -> bool:
        """Whether it has ended, one way or the other."""
        return isinstance(self.events[-1], GameEnded | GameAbandoned)


class Projection(ABC):
    """One read model."""

    MODEL: ClassVar[Model]
    TRIGGERS: ClassVar[frozenset[str]] = END_TOPICS
    """The topics after which the rows of a game are made anew."""
    TABLES: ClassVar[tuple[str, ...]]
    """The tables that have rows of single games; what is settled may have more."""

    @abstractmethod
    def rows(self, game: StoredGame) -> Rows:
        """What the model has of a game."""

    async def is_settled(self, connection: Connection, schema: str) -> bool:  # noqa: ARG002 - most have nothing to settle
        """Whether what follows from many games together is up to date with the rows that there are."""
        return True

    async def settle(self, connection: Connection, schema: str) -> None:  # noqa: B027 - as above
        """Bring some more of that up to date, as much as others can wait for: nobody else does so meanwhile."""
