"""Reads games for watchers without any key: what is hidden can't leak from a process that can't open it."""

from collections.abc import Callable, Sequence

from eventsourcing.persistence import StoredEvent

from infra.events.mapping import GameEvent, read_without_keys
from services.archive.archive import Archive
from services.archive.listing import GameListing
from services.live.game import WatchedGame, folded


class ArchiveSource:
    """Reads the games of a store. This process has no keys to their secrets."""

    def __init__(self, archive: Archive, now: Callable[[], int]) -> None:
        self._archive, self._now = archive, now

    def now(self) -> int:
        """The time in milliseconds since 1970."""
        return self._now()

    async def load(self, game_id: str) -> WatchedGame[GameListing]:
        """The game as the store has it now; refused if there is none."""
        stored = await self._archive.stored(game_id)
        state = await folded(stored.events)
        return WatchedGame(game_id, stored.listing, stored.listing.delay, state, len(stored.events))

    async def events(self, game_id: str, after: int = 0) -> Sequence[GameEvent]:
        """The events of a game after a version."""
        stored = await self._archive.stored(game_id)
        numbered = enumerate(zip(stored.events, stored.digests, strict=True), 1)
        return [GameEvent(game_id, version, event, digest=digest) for version, (event, digest) in numbered][after:]

    def decoded(self, stored: StoredEvent) -> GameEvent:
        """The event, read from its stored form; its secrets stay sealed."""
        event, digest = read_without_keys(stored.topic, stored.state)
        return GameEvent(str(stored.originator_id), stored.originator_version, event, digest=digest)

    async def rematch(self, _game: WatchedGame[GameListing]) -> str | None:
        """Always None: readers find rematches in the lists."""
        return None
