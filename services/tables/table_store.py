"""The tables of the server: their settings, and the seeds that the server keeps for itself and for others."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache

from eventsourcing.persistence import StoredEvent
from msgspec import Struct
from msgspec.structs import replace

from domain.deciding.checks import Calling
from domain.fairness.chain import LINK_LENGTH, Chain, make_chain
from domain.refusals import NoSuchGame
from domain.state import State
from infra.events.mapping import EventMapper, GameEvent
from infra.postgres.failures import VersionConflict
from infra.postgres.store import EventStore
from services.access.invitation_code import new_invitation_code
from services.access.table_events import AnyTableEvent, ChainKept, RematchOpened, TableOpened, table_stream
from services.tables.moves import Links

TABLES_MAX = 10_000
_CHAINS_MAX = 4_096
_TRIES_MAX = 8


class HostedTable(Struct, eq=False):
    """What the server knows about a table, apart from the game on it."""

    game_id: str
    opened: TableOpened
    seeds: dict[str, bytes]
    """The seeds that the server keeps for players and bots, by player id."""
    rematch_id: str | None = None
    version: int = 1

    def server_link(self, number: int, length: int) -> bytes:
        """A link of the server's own chain."""
        assert self.opened.seed is not None
        return chain_of(self.opened.seed, self.game_id, length).link(number)

    def kept_link(self, player_id: str, number: int, length: int) -> bytes:
        """A link of the chain that the server keeps for a player or a bot."""
        return chain_of(self.seeds[player_id], self.game_id, length).link(number)

    def next_links(self, state: State, seat: int, link: bytes) -> Links:
        """The links that a roll of this seat needs now; `link` is the one that a player who keeps the chain has sent."""
        if not isinstance(state, Calling):
            return Links(link)  # The decision refuses this roll, for a better reason than a missing link.
        number, length = state.link_number, state.table.fairness.chain_length
        if number > length:
            return Links(link)  # The chains have no such link, and the decision refuses this too.
        player = state.table.players[seat]
        own = self.kept_link(player.player_id, number, length) if player.chain_held_by == "server" else link
        return Links(own, self.server_link(number, length))


@lru_cache(maxsize=_CHAINS_MAX)
def chain_of(seed: bytes, game_id: str, length: int) -> Chain:
    """The chain of a seed. It is cached, because each link would otherwise need the whole chain hashed again."""
    return make_chain(seed, game_id, length)


class Tables:
    """All tables of a store; the recently used ones stay in memory."""

    def __init__(self, store: EventStore, mapper: EventMapper, random: Callable[[int], bytes]) -> None:
        """The mapper is the one for the events of tables, and needs the keys."""
        self._store, self._mapper, self._random = store, mapper, random
        self._tables: OrderedDict[str, HostedTable] = OrderedDict()

    async def open(self, game_id: str, opened: TableOpened, keep_for: Sequence[str] = ()) -> HostedTable:
        """Set up a table, with new seeds for the server and for the given players; if it exists already, return it."""
        code = new_invitation_code() if opened.private else None
        opened = replace(opened, seed=self._random(LINK_LENGTH), invitation_code=code)
        kept = [ChainKept(at=opened.at, player_id=player, seed=self._random(LINK_LENGTH)) for player in keep_for]
        with suppress(VersionConflict):
            await self._append(game_id, 1, (opened, *kept), "open")
        return await self.load(game_id)

    async def exists(self, game_id: str) -> bool:
        """Whether the table of a game was set up."""
        try:
            await self.load(game_id)
        except NoSuchGame:
            return False
        return True

    async def load(self, game_id: str) -> HostedTable:
        """The table of a game."""
        table = self._tables.get(game_id)
        return table if table is not None else await self._read(game_id)

    def owner_held(self, game_id: str) -> str | None:
        """The owner of a table that is in memory; None if it is not."""
        table = self._tables.get(game_id)
        return None if table is None else table.opened.owner_id

    async def keep_chain(self, game_id: str, player_id: str, at: int) -> HostedTable:
        """The table with a seed for this player. If there is none yet, a new one is stored first."""
        table = await self.load(game_id)
        for _ in range(_TRIES_MAX):
            if player_id in table.seeds:
                return table
            kept = ChainKept(at=at, player_id=player_id, seed=self._random(LINK_LENGTH))
            table = await self._appended(table, kept, f"chain:{player_id}")
        raise VersionConflict(streams=table_stream(game_id))

    async def with_chain(self, game_id: str, player_id: str) -> HostedTable:
        """The table with the seed of a player, if the server keeps one; another process may have stored it just now."""
        table = await self.load(game_id)
        return table if player_id in table.seeds else await self._read(game_id)

    async def promise_rematch(self, game_id: str, rematch_id: str, at: int) -> HostedTable:
        """The table with the id of its rematch. The first id that anybody stores counts."""
        table = await self.load(game_id)
        for _ in range(_TRIES_MAX):
            if table.rematch_id is not None:
                return table
            table = await self._appended(table, RematchOpened(at=at, game_id=rematch_id), "rematch")
        raise VersionConflict(streams=table_stream(game_id))

    def decoded(self, stored: StoredEvent) -> AnyTableEvent:
        """The event of a table, read from its stored form."""
        # This mapper knows the topics of tables, but its type names only the events of games.
        return self._mapper.to_domain_event(stored).event  # type: ignore[return-value]

    async def _appended(self, table: HostedTable, event: AnyTableEvent, request: str) -> HostedTable:
        # If another process has stored an event meanwhile, read it; the caller then sees whether ours is still needed.
        with suppress(VersionConflict):
            await self._append(table.game_id, table.version + 1, (event,), request)
        return await self._read(table.game_id)

    async def _append(self, game_id: str, version: int, events: Sequence[AnyTableEvent], request: str) -> None:
        stream = table_stream(game_id)
        stored = [
            self._mapper.to_stored_event(GameEvent(stream, number, event))  # type: ignore[arg-type]  # see `decoded`
            for number, event in enumerate(events, version)
        ]
        await self._store.append(stored, f"{stream}:{request}", at_once=False)

    async def _read(self, game_id: str) -> HostedTable:
        stored = await self._store.read_stream(table_stream(game_id))
        events = [self.decoded(event) for event in stored]
        if not events:
            raise NoSuchGame
        self._tables[game_id] = table = _folded(game_id, events)
        self._tables.move_to_end(game_id)
        if len(self._tables) > TABLES_MAX:
            self._tables.popitem(last=False)
        return table


def _folded(game_id: str, events: list[AnyTableEvent]) -> HostedTable:
    opened = events[0]
    assert isinstance(opened, TableOpened), "a table's stream begins with its opening"
    table = HostedTable(game_id, opened, {}, version=len(events))
    for event in events[1:]:
        match event:
            case ChainKept(player_id=player_id, seed=seed):
                assert seed is not None, "the server has its keys"
                table.seeds.setdefault(player_id, seed)
            case RematchOpened(game_id=rematch_id):
                table.rematch_id = table.rematch_id or rematch_id
            case TableOpened():
                raise AssertionError("a table is opened once")
    return table
