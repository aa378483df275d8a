"""Reads games for watchers with the keys of the game server, so that players see their own dice."""

from collections.abc import Sequence

from eventsourcing.persistence import StoredEvent

from domain.state import Nothing, State
from infra.events.mapping import EventMapper, GameEvent
from infra.portions import REST_SECONDS, collected
from infra.postgres.feed import Feed
from services.access.table_events import RematchOpened, table_stream
from services.live.game import WatchedGame
from services.tables.application import Head
from services.tables.host import GameHost
from services.tables.table_store import HostedTable


class TableSource:
    """Reads the games of this server's tables."""

    def __init__(self, host: GameHost, feed: Feed, mapper: EventMapper) -> None:
        self._host, self._feed, self._mapper = host, feed, mapper

    def now(self) -> int:
        """The time in milliseconds since 1970."""
        return self._host.now()

    async def load(self, game_id: str) -> WatchedGame[HostedTable]:
        """The game as the store has it now; refused if there is none."""
        table = await self._host.tables.load(game_id)
        state, head = await self._host.games.load_head(game_id)
        assert not isinstance(state, Nothing), "only a game that exists is watched"
        return watched_table(table, state, head)

    async def events(self, game_id: str, after: int = 0) -> Sequence[GameEvent]:
        """The events of a game after a version."""
        stored = await self._host.games.stored(game_id, after)
        return await collected((self._mapper.to_domain_event(one) for one in stored), REST_SECONDS)

    def decoded(self, stored: StoredEvent) -> GameEvent:
        """The event, read from its stored form."""
        return self._mapper.to_domain_event(stored)

    async def rematch(self, game: WatchedGame[HostedTable]) -> str | None:
        """Wait for the rematch of a game that is over, and return its id; None if the server goes down before."""
        table = game.about
        if table.rematch_id is not None:
            return table.rematch_id
        with self._feed.stream(table_stream(table.game_id), table.version) as subscription:
            async for stored in subscription:
                event = self._host.tables.decoded(stored)
                if isinstance(event, RematchOpened):
                    break
            else:
                return None
        with self._feed.stream(event.game_id) as promised:
            # The id is stored before the game exists, and watchers ask for the game at once.
            return None if await anext(promised, None) is None else event.game_id


def watched_table(table: HostedTable, state: State, head: Head) -> WatchedGame[HostedTable]:
    """A table and the game on it, for watchers."""
    return WatchedGame(
        table.game_id, table, table.opened.delay, state, head.version, head.digest, rematch_id=table.rematch_id
    )
