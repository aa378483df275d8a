"""All games that somebody watches in this process, by one way of watching."""

import asyncio
from typing import Generic
from weakref import WeakValueDictionary

from infra.postgres.feed import Feed
from infra.postgres.store import Announcement
from services.live.broadcast import Broadcast
from services.live.game import About, Encoder, Source
from services.live.watcher import Watcher
from services.tables.application import Executed


class Hub(Generic[About]):
    """Finds the broadcast of a game, or begins it."""

    def __init__(self, source: Source[About], encoder: Encoder[About], feed: Feed, *, hears_own: bool = False) -> None:
        """With `hears_own`, `announced` is a listener of the store in this process."""
        self.source, self.encoder, self.feed, self.hears_own = source, encoder, feed, hears_own
        self._broadcasts: dict[str, Broadcast[About]] = {}
        self._opening: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """Held by those who wait for them, so that nobody opens a game twice."""

    async def enter(self, game_id: str, watcher: Watcher) -> Broadcast[About]:
        """Follow a game that exists; nothing is awaited between finding its broadcast and entering it."""
        opening = self._opening.setdefault(game_id, asyncio.Lock())
        async with opening:
            broadcast = self._broadcasts.get(game_id)
            if broadcast is None:
                broadcast = self._broadcasts[game_id] = Broadcast(self, await self.source.load(game_id))
            broadcast.enter(watcher)
        return broadcast

    def announced(self, announcement: Announcement) -> None:
        """Let the watchers of a game know at once what this process has appended to it."""
        executed = announcement.meaning
        if isinstance(executed, Executed):
            broadcast = self._broadcasts.get(executed.game_id)
            if broadcast is not None:
                # Not right here: the one who moved need not wait until a thousand watchers have their letters.
                asyncio.get_running_loop().call_soon(broadcast.executed, executed)

    def connected(self, game_id: str) -> tuple[int, ...]:
        """The seats of a game whose players are connected to this process."""
        broadcast = self._broadcasts.get(game_id)
        return () if broadcast is None else broadcast.game.connected_seats

    def forget(self, broadcast: Broadcast[About]) -> None:
        """Nobody watches this game any more."""
        if self._broadcasts.get(broadcast.game.game_id) is broadcast:
            del self._broadcasts[broadcast.game.game_id]
