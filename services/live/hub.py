"""All games that somebody watches in this process. gRPC has one hub, and HTTP another."""

import asyncio
import sys
from typing import Generic
from weakref import WeakValueDictionary

from infra.postgres.feed import Feed
from infra.postgres.store import Announcement
from services.live.broadcast import Broadcast
from services.live.game import About, Encoder, Source
from services.live.watcher import Watcher
from services.tables.application import Executed


class Hub(Generic[About]):
    """Finds the broadcast of a game, or starts it."""

    def __init__(self, source: Source[About], encoder: Encoder[About], feed: Feed, *, hears_own: bool = False) -> None:
        """`hears_own` says that `announced` listens to the store of this process."""
        self.source, self.encoder, self.feed, self.hears_own = source, encoder, feed, hears_own
        self._broadcasts: dict[str, Broadcast[About]] = {}
        self._opening: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """A lock for each game that is being loaded, so that it gets one broadcast. Locks that nobody holds vanish."""

    async def enter(self, game_id: str, watcher: Watcher) -> Broadcast[About]:
        """Add a watcher to the broadcast of a game, which starts if there is none yet."""
        entered = await self.enter_between(game_id, watcher, 0, sys.maxsize)
        assert entered is not None, "every version is between these"
        return entered

    async def enter_between(self, game_id: str, watcher: Watcher, first: int, last: int) -> Broadcast[About] | None:
        """Follow a game if its broadcast stands at one of these versions; else nobody enters."""
        opening = self._opening.setdefault(game_id, asyncio.Lock())
        async with opening:
            broadcast = await self._found(game_id)
            # No `await` between looking at the broadcast and entering it: it could move on or end in between.
            if first <= broadcast.game.version <= last:
                broadcast.enter(watcher)
                return broadcast
            broadcast.close_unless_watched()
        return None

    async def _found(self, game_id: str) -> Broadcast[About]:
        broadcast = self._broadcasts.get(game_id)
        if broadcast is None:
            broadcast = self._broadcasts[game_id] = Broadcast(self, await self.source.load(game_id))
        return broadcast

    def announced(self, announcement: Announcement) -> None:
        """Pass events that this process has appended to the watchers of their game."""
        executed = announcement.meaning
        if isinstance(executed, Executed):
            broadcast = self._broadcasts.get(executed.game_id)
            if broadcast is not None:
                # Soon, but not right here: the player who moved should not wait until a thousand mailboxes are filled.
                asyncio.get_running_loop().call_soon(broadcast.executed, executed)

    def connected(self, game_id: str) -> tuple[int, ...]:
        """The seats of a game that have a connected player in this process."""
        broadcast = self._broadcasts.get(game_id)
        return () if broadcast is None else broadcast.game.connected_seats

    def forget(self, broadcast: Broadcast[About]) -> None:
        """Drop a broadcast that has ended. There may be a new one of the same game already, which stays."""
        if self._broadcasts.get(broadcast.game.game_id) is broadcast:
            del self._broadcasts[broadcast.game.game_id]
