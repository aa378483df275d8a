"""What is watched, whoever watches it and however it reaches them.

gRPC and HTTP share everything in this package. Each brings a `Source`, which reads games as far as its keys go, and an
`Encoder`, which writes what happens in its own format.
"""

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from eventsourcing.persistence import StoredEvent
from msgspec import Struct

from domain.events import AnyEvent
from domain.state import State
from domain.values import Value
from domain.views import Viewer
from infra.events.mapping import GameEvent
from services.access.spectator_delay import SpectatorDelay

About = TypeVar("About")
"""What a source knows of a table beside the game on it, and its encoder writes."""


class WatchedGame(Struct, Generic[About], eq=False):
    """A game as of a version: how it stands live, or as late as spectators see it."""

    game_id: str
    about: About
    delay: SpectatorDelay
    state: State
    version: int
    digest: bytes = b""
    """That of the last event; empty for those who see the game late."""
    connected_seats: tuple[int, ...] = ()
    """The seats whose players are connected to this process."""
    rematch_id: str | None = None


class Happened(Value, frozen=True):
    """Events that follow each other, with their digests and the state before them."""

    before: State
    events: tuple[AnyEvent, ...]
    digests: tuple[bytes | None, ...]
    """None for an event that was stored before there were digests."""


class Source(Protocol[About]):
    """Reads games for watchers."""

    def now(self) -> int:
        """The time in milliseconds since 1970."""

    async def load(self, game_id: str) -> WatchedGame[About]:
        """A game that exists, as the store has it now."""

    async def events(self, game_id: str, after: int = 0) -> Sequence[GameEvent]:
        """The events of a game after a version."""

    def decoded(self, stored: StoredEvent) -> GameEvent:
        """The event that was stored, as far as this source may read it."""

    async def rematch(self, game: WatchedGame[About]) -> str | None:
        """The rematch of a game that is over, once there is one to look at; None if there will be none to tell of."""


class Encoder(Protocol[About]):
    """Writes what watchers get. What they share is written once for all who see the same."""

    shows_every_step: bool
    """Whether an update shows how the game stood after each of its events, and so needs the state before them."""

    def snapshot(self, game: WatchedGame[About], viewer: Viewer) -> bytes:
        """How a game stands."""

    def update(self, game: WatchedGame[About], happened: Happened, viewer: Viewer, *, include_game: bool) -> bytes:
        """What has happened up to how a game stands now."""

    def connection(self, game_id: str, seat: int, *, connected: bool) -> bytes:
        """That a player has come or gone."""

    def rematch(self, game_id: str, rematch_id: str) -> bytes:
        """That there is a rematch."""
