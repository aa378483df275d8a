"""A game that is being watched, and the two things that gRPC and HTTP do differently.

Each of them brings a `Source`, which reads games with the keys that it has or without any, and an `Encoder`, which
writes updates in its own format.
"""

import asyncio
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from eventsourcing.persistence import StoredEvent
from msgspec import Struct

from domain.events import AnyEvent
from domain.evolve import fold
from domain.state import NOTHING, State
from domain.values import Value
from domain.views import Viewer
from infra.events.mapping import GameEvent
from infra.portions import PORTION, REST_SECONDS
from services.access.spectator_delay import SpectatorDelay

About = TypeVar("About")
"""Data of a table that a source loads and the encoder of the same kind writes."""


class WatchedGame(Struct, Generic[About], eq=False):
    """A game at a version: the present one, or the older one that spectators see."""

    game_id: str
    about: About
    delay: SpectatorDelay
    state: State
    version: int
    digest: bytes = b""
    """The digest of the last event; empty for spectators who see the game late."""
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
        """The game as the store has it now; refused if there is none."""

    async def events(self, game_id: str, after: int = 0) -> Sequence[GameEvent]:
        """The events of a game after a version."""

    def decoded(self, stored: StoredEvent) -> GameEvent:
        """The event, read from its stored form as far as the keys of this source allow."""

    async def rematch(self, game: WatchedGame[About]) -> str | None:
        """Wait for the rematch of a game that is over, and return its id; None if this source tells of none."""


class Encoder(Protocol[About]):
    """Writes the messages for watchers. All watchers who may see the same share the same bytes."""

    shows_every_step: bool
    """Whether an update shows the game after each of its events. Then it needs the state before them."""

    def snapshot(self, game: WatchedGame[About], viewer: Viewer) -> bytes:
        """The whole game at its version."""

    def update(self, game: WatchedGame[About], happened: Happened, viewer: Viewer, *, include_game: bool) -> bytes:
        """The events that led to the version at which the game is."""

    def connection(self, game_id: str, seat: int, *, connected: bool) -> bytes:
        """The message that a player has connected or disconnected."""

    def rematch(self, game_id: str, rematch_id: str) -> bytes:
        """The message that there is a rematch."""


async def folded(events: Sequence[AnyEvent]) -> State:
    """The state after some events from the first on. A long game is folded in portions, and others come between them."""
    state: State = NOTHING
    for start in range(0, len(events), PORTION):
        if start:
            await asyncio.sleep(REST_SECONDS)
        state = fold(events[start : start + PORTION], state)
    return state
