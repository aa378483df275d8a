"""The list of all tables. People look for a table in it, and the server finds the games in which it has to move.

The lobby follows the events. For every game that has changed it reads the game as it is now and writes a row. One
transaction writes the rows and how far in the store they reach. That is done by the server that keeps the lane. A row
never replaces one of a newer version, so it does not matter which process writes a row, or how often.

Everybody sees the same list. So of a table that spectators see late, the list says no more than spectators know: from
its start until they have seen its end, its phase is "rolling".
"""

from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Self

from eventsourcing.persistence import Notification

from domain.refusals import Refusal
from domain.state import Nothing, State
from domain.values import Value
from domain.views import Phase
from infra.portions import in_portions
from infra.postgres.connections import open_pool
from infra.postgres.duties import Duties
from infra.postgres.feed import Feed
from infra.postgres.follower import PASSING, Follower
from infra.postgres.lanes import lane_name, lane_of
from infra.postgres.queries import query
from infra.postgres.store import EventStore
from services.access.table_events import TableOpened
from services.tables.host import GameHost
from services.tables.seats import table_of
from services.tables.table_store import HostedTable
from services.tables.turns import due_at, expires_at, servers_seat

_ROWS_MAX = 20_000
WAIT_SECONDS_MAX = 1.0
"""So long a reader waits until the list has everything that is stored."""


class Listing(Value, frozen=True, kw_only=True):
    """A table in the list."""

    game_id: str
    created_at: int
    rulebook: str
    phase: str
    players: tuple[str, ...]
    seats_max: int
    owner_id: str
    private: bool
    turn_seconds: int | None
    forked_from: str | None
    """The game that a practice game goes on from."""


class Found(NamedTuple):
    """Some tables, and whether the list had everything that was stored when somebody asked."""

    listings: list[Listing]
    is_complete: bool


class Row(NamedTuple):
    """What the list says about a game at a version."""

    game_id: str
    version: int
    content: tuple[Any, ...]


class Unattended(NamedTuple):
    """A game that needs the server."""

    game_id: str
    owner_id: str
    version: int
    server_to_move: bool
    """Whether the server has to move; if not, a time is up."""


class Wanted(Value, frozen=True, kw_only=True):
    """The tables that somebody looks for."""

    player_id: str
    rulebook: str | None = None
    phases: tuple[str, ...] = ()
    mine: bool = False
    joinable: bool = False
    after: tuple[int, str] | None = None
    """The time and the id of the last table of the page before."""
    limit: int = 20


class Lobby(Follower):
    """The list. A task of its own keeps it up to date."""

    NAME = "lobby"

    def __init__(
        self, host: GameHost, store: EventStore, feed: Feed, pool: Any, *, duties: Duties, unstarted_seconds: float
    ) -> None:
        """Use `open`."""
        super().__init__(store, feed, duties)
        self._host, self._pool, self._unstarted_seconds = host, pool, unstarted_seconds
        # The rows of recent games as last written: most moves change nothing in the list, and then we write nothing.
        self._rows: OrderedDict[str, tuple[Any, ...]] = OrderedDict()

    @classmethod
    async def open(
        cls, host: GameHost, store: EventStore, feed: Feed, *, duties: Duties, unstarted_seconds: float = 0.0
    ) -> Self:
        """Go on where the list ends. A table that nobody starts expires so many seconds after its last change."""
        pool = await open_pool(store.url, "liarsdice_projector", derived=True)
        lobby = cls(host, store, feed, pool, duties=duties, unstarted_seconds=unstarted_seconds)
        await lobby.start()
        return lobby

    async def close(self) -> None:
        """Stop following and disconnect."""
        await super().close()
        with suppress(*PASSING):
            await self._pool.close()

    async def find(self, wanted: Wanted) -> Found:
        """The tables that somebody looks for, the newest first."""
        is_complete = await self.caught_up(WAIT_SECONDS_MAX)
        after_time, after_id = wanted.after or (None, None)
        listings: list[Listing] = []
        for lane in range(self._store.lanes):
            rows = await self._pool.fetch(
                query("list_lobby", lane_name(lane)),
                wanted.player_id,
                after_time,
                after_id,
                wanted.rulebook,
                wanted.phases,
                wanted.mine,
                wanted.joinable,
                wanted.limit,
            )
            listings += [Listing(**{**row, "players": tuple(row["players"])}) for row in rows]
        listings.sort(key=lambda listing: (listing.created_at, listing.game_id), reverse=True)
        return Found(listings[: wanted.limit], is_complete)

    async def unattended(self, now: int, limit: int) -> list[Unattended]:
        """The games of this server's lanes in which a time is up or the server has to move; so many of each lane at most."""
        found: list[Unattended] = []
        for lane in self._duties.lanes:
            rows = await self._pool.fetch(query("list_unattended", lane_name(lane)), now, limit)
            found += [Unattended(*row) for row in rows]
        return found

    async def renew(self, game_id: str) -> None:
        """Write the row of a game that has changed by time alone: its end may now be shown."""
        row = await self._row(game_id, 0)
        if row is not None:
            await self._store_rows(lane_of(game_id, self._store.lanes), [row])

    async def _taken_before(self, lane: int) -> int:
        return int(await self._pool.fetchval(query("read_tracking", lane_name(lane)), self.NAME) or 0)

    async def _take(self, lane: int, batch: Sequence[Notification]) -> bool:
        versions: dict[str, int] = {}
        for one in batch:
            # A table has its own stream, with its own versions: those say nothing about the version of the game.
            game_id, _, beside = str(one.originator_id).partition(":")
            versions[game_id] = versions.get(game_id, 0) if beside else one.originator_version
        changed = []
        async for game_id, version in in_portions(versions.items()):
            row = await self._row(game_id, version)
            if row is not None and self._rows.get(game_id) != row.content:
                changed.append(row)
        if not changed and self._can_wait(lane, batch[-1].id):
            return False
        await self._store_rows(lane, changed, batch[-1].id)
        return True

    async def _store_rows(self, lane: int, rows: Sequence[Row], position: int | None = None) -> None:
        async with self._pool.acquire() as connection, connection.transaction():
            if rows:
                values = [(row.game_id, row.version, *row.content) for row in rows]
                await connection.executemany(query("write_lobby", lane_name(lane)), values)
            if position is not None:
                await self._duties.check(connection, lane)
                await connection.fetchval(query("track", lane_name(lane)), self.NAME, position)
        for row in rows:
            self._rows[row.game_id] = row.content
            self._rows.move_to_end(row.game_id)
        while len(self._rows) > _ROWS_MAX:
            self._rows.popitem(last=False)

    async def _row(self, game_id: str, version: int) -> Row | None:
        """The row of a game as it is now, at this version or a later one; None if there is no such game."""
        try:
            table = await self._host.tables.load(game_id)
            held = self._host.games.held(game_id)
            if held is None or held[1] < version:
                held = await self._host.games.load(game_id)
        except Refusal:
            return None  # Not a game of ours: the store may hold other streams.
        state, reached = held
        if isinstance(state, Nothing):
            return None
        due = due_at(state) or expires_at(state, self._unstarted_seconds)
        return _row_of(table, state, reached, due, self._host.now())


def _row_of(table: HostedTable, state: State, version: int, due: int | None, now: int) -> Row:
    delay = table.opened.delay
    end_shown_at = delay.end_shown_at(state)
    if delay.holds_back(state, now):
        due = end_shown_at or due
    elif end_shown_at is not None:
        version += 1  # The row that still hid the end has the last version already, and only a newer row replaces it.
    return Row(table.game_id, version, _content(table.opened, state, delay.phase_shown(state, now), due))


def _content(opened: TableOpened, state: State, phase: Phase | None, due: int | None) -> tuple[Any, ...]:
    table = table_of(state)
    return (
        opened.at,
        table.rulebook,
        phase,
        [player.name for player in table.players],
        [player.player_id for player in table.players],
        table.seats,
        opened.owner_id,
        opened.private,
        table.options.turn_seconds,
        due,
        servers_seat(state) is not None,
        opened.forked_from,
    )
