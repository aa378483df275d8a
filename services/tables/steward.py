"""The steward moves for bots, rolls where the server keeps the chain, and acts when the time of a player or table ends.

It hears of every game that changes in this process, and moves at once. It misses a change if this process ends first or
if another process made the change. It finds such games in the lobby, which it reads again and again, so a restart loses
nothing. Several processes may look after the same games. The request id of a move names the version that the move was
made for, so the store takes only one of them.
"""

import asyncio
import logging
from contextlib import suppress
from random import SystemRandom

from domain.deciding.checks import Calling
from domain.refusals import Refusal
from domain.state import Bidding, Ended, State
from domain.views import view
from infra.postgres.follower import PASSING
from infra.postgres.store import Announcement, EventStore
from services.bots import BOTS, Raise
from services.tables.application import Executed
from services.tables.host import GameHost
from services.tables.lobby import Lobby
from services.tables.moves import Abandon, Doubt, MakeBid, Move, RollDice, RunOut, Showing
from services.tables.orders import ServersOrder
from services.tables.turns import due_at, expires_at, servers_seat

_LOG = logging.getLogger(__name__)
_GAMES_AT_ONCE_MAX = 200
_SPARED_SECONDS = 60.0
"""A table that changed more recently than this is not given up: the list that calls it expired may be behind."""
UNSTARTED = "nobody started it in time"


class Steward:
    """Looks after the games of a host."""

    def __init__(
        self,
        host: GameHost,
        lobby: Lobby,
        store: EventStore,
        *,
        bot_seconds: float = 0.0,
        sweep_seconds: float = 0.5,
        unstarted_seconds: float = 0.0,
    ) -> None:
        """Bots wait `bot_seconds` before they bid, so that people can follow the game."""
        self._host, self._lobby, self._store = host, lobby, store
        self._bot_seconds, self._sweep_seconds = bot_seconds, sweep_seconds
        self._spared_seconds = min(unstarted_seconds or _SPARED_SECONDS, _SPARED_SECONDS)
        self._chance = SystemRandom()
        self._busy: dict[str, asyncio.Task[None]] = {}
        self._sweeping: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start to look after games."""
        self._store.listeners.append(self._changed)
        self._sweeping = asyncio.create_task(self._sweep())

    async def close(self) -> None:
        """Stop. The next process finds the moves that are still to make in the lobby."""
        if self._sweeping is None:
            return
        self._store.listeners.remove(self._changed)
        tasks = [self._sweeping, *self._busy.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _changed(self, announced: Announcement) -> None:
        executed = announced.meaning
        if isinstance(executed, Executed) and servers_seat(executed.state) is not None:
            self._attend(executed.game_id)

    def _attend(self, game_id: str) -> None:
        # One task for each game: two would make the same moves. The next sweep finds a game that has no room here.
        if game_id not in self._busy and len(self._busy) < _GAMES_AT_ONCE_MAX:
            self._busy[game_id] = asyncio.create_task(self._move_on(game_id))

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(self._sweep_seconds)
            # While the database is away the sweep fails; the next one tries again.
            with suppress(*PASSING):
                for game_id in await self._lobby.unattended(self._host.now(), _GAMES_AT_ONCE_MAX):
                    self._attend(game_id)

    async def _move_on(self, game_id: str) -> None:
        """Make the server's moves in a game until it waits for a player who still has time."""
        try:
            state, version = await self._host.games.load(game_id)
            if isinstance(state, Ended):
                # The list showed this game as running, because spectators saw it late. Now it may show the end.
                await self._lobby.renew(game_id)
            while (order := await self._next_order(game_id, state, version)) is not None:
                executed = await self._host.make(game_id, order, f"steward:{version}")
                state, version = executed.state, executed.version
        except (Refusal, *PASSING) as refusal:
            # Somebody was faster, or the database is away. If there is still a move to make, the next sweep finds it.
            _LOG.debug("a move for game %s was not made: %s", game_id, type(refusal).__name__)
        except Exception:  # noqa: BLE001 - one game's fault must not leave the others unattended
            _LOG.exception("looking after game %s failed", game_id)
        finally:
            self._busy.pop(game_id, None)  # Here and not after the task, so that no change in between goes unheard.

    async def _next_order(self, game_id: str, state: State, version: int) -> ServersOrder | None:
        """The next move that the server has to make in a game now, or None."""
        seat = servers_seat(state)
        if seat is not None:
            return await self._order_for(game_id, state, seat)
        due = due_at(state)
        if due is not None and due <= self._host.now() and isinstance(state, Calling):
            return ServersOrder(RunOut(), state.waiting[0], self._host.now)
        # The list has said that this table expired. Here we only check that nobody has changed it since.
        expired = expires_at(state, self._spared_seconds)
        if expired is None or expired > self._host.now():
            return None
        # The version makes sure that a player who joins at this moment wins, and the table stays.
        return ServersOrder(Abandon(UNSTARTED), -1, self._host.now, version=version)

    async def _order_for(self, game_id: str, state: State, seat: int) -> ServersOrder:
        assert isinstance(state, Calling), "the server moves in running games"
        table = await self._host.tables.with_chain(game_id, state.table.players[seat].player_id)
        if not isinstance(state, Bidding):
            return ServersOrder(RollDice(), seat, self._host.now, table)
        await asyncio.sleep(self._bot_seconds)
        return ServersOrder(self._choice(state, seat), seat, self._host.now, table)

    def _choice(self, state: Bidding, seat: int) -> Move:
        """The move that the bot on a seat chooses. It gets the view of its seat, as a player does, and nothing else."""
        # The id of a bot names its strategy.
        strategy = state.table.players[seat].player_id.split(".")[1]
        seen = view(state, seat)
        assert seen is not None
        choice = BOTS[strategy](seen, self._chance)
        if not isinstance(choice, Raise):
            return Doubt()
        return MakeBid(choice.bid, Showing(choice.shown) if choice.shown else None)
