"""The steward moves for bots, rolls where the server keeps the chain, and acts when the time of a player or table ends.

It hears of every game that changes in this process, and moves at once. If this process ends before that, the server that
keeps the lane finds the game in the lobby, which it reads again and again, so a restart loses nothing. While there are
other servers, it leaves a game to the one that changed it for a moment. Should two of them make the same move, the store
takes only one: the request id of a move names the version that it was made for.

It is fair. One move at a time is made for a game, and then the other games have their turn. Owners of tables take
turns, so a player with many tables waits only for their own. What people wait for, their rolls and clocks, has places
of its own, which bots can't take. A bot that thinks takes no place.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from random import SystemRandom
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

from domain.deciding.checks import Calling
from domain.refusals import Refusal
from domain.state import Bidding, Ended, State
from domain.views import view
from infra.postgres.duties import Duties
from infra.postgres.follower import PASSING
from infra.postgres.store import Announcement, EventStore
from infra.spans import span
from services.bots import BOTS, Raise
from services.bots.names import is_bot
from services.tables.application import Executed
from services.tables.bot_pace import BotPace
from services.tables.fair_pool import FairPool
from services.tables.host import GameHost
from services.tables.lobby import Lobby, Unattended
from services.tables.moves import Abandon, Doubt, MakeBid, Move, RollDice, RunOut, Showing
from services.tables.orders import ServersOrder
from services.tables.turns import due_at, expires_at, servers_seat

_LOG = logging.getLogger(__name__)
_PEOPLE_AT_ONCE_MAX = 32
_BOTS_AT_ONCE_MAX = 4
"""Few, because they all may have to choose between two answers to people."""
_GAMES_MAX = 20_000
_GAMES_OF_OWNER_MAX = 1_000
_FOUND_MAX = 500
"""How many games one look into the lobby takes in from each lane."""
_SPARED_SECONDS = 60.0
"""A table that changed more recently than this is not given up: the list that calls it expired may be behind."""
_OTHERS_SECONDS = 2.0
"""How long a move of the server is left to the process that made the move before it, besides the time that bots think."""
UNSTARTED = "nobody started it in time"


Waiter: TypeAlias = Literal["people", "bots"]
"""Who waits for a move of the server: people for their dice and clocks, or bots for their own move."""
WAITERS: tuple[Waiter, ...] = ("people", "bots")


class Backlog(NamedTuple):
    """What the steward has to do now."""

    games: int
    seconds_max: float
    """How long the one that waits longest has waited."""


class _Care(Struct, eq=False):
    """A game that needs the steward now."""

    game_id: str
    owner_id: str
    found: bool = False
    """Whether the lobby named it, so that its state has to be read from the store first."""
    thinking: asyncio.TimerHandle | None = None
    waiter: Waiter = "people"
    since: float = 0.0
    """The monotonic time from which on somebody waits."""


class Steward:
    """Looks after the games of a host."""

    def __init__(
        self,
        host: GameHost,
        lobby: Lobby,
        store: EventStore,
        *,
        duties: Duties,
        bot_seconds: float = 0.0,
        bot_rate: float = 0.0,
        sweep_seconds: float = 0.5,
        unstarted_seconds: float = 0.0,
    ) -> None:
        """Bots wait `bot_seconds` before they bid, so that people can follow the game.

        All bots at the tables of one owner make at most `bot_rate` moves a second; 0 is no limit.
        """
        self._host, self._lobby, self._store, self._duties = host, lobby, store, duties
        self._bot_seconds, self._sweep_seconds = bot_seconds, sweep_seconds
        self._spared_seconds = min(unstarted_seconds or _SPARED_SECONDS, _SPARED_SECONDS)
        self._chance = SystemRandom()
        self._pace = BotPace(bot_rate)
        self._cared: dict[str, _Care] = {}
        self._of_owners: Counter[str] = Counter()
        self._for_people = FairPool(self._serve, _PEOPLE_AT_ONCE_MAX)
        self._for_bots = FairPool(self._serve, _BOTS_AT_ONCE_MAX)
        self._sweeping: asyncio.Task[None] | None = None
        self._left: dict[str, tuple[int, float]] = {}
        """The games that this server leaves to others for now: at which version, and since when."""

    def start(self) -> None:
        """Start to look after games."""
        self._store.listeners.append(self._changed)
        self._sweeping = asyncio.create_task(self._sweep())

    async def close(self) -> None:
        """Stop. The next process finds the moves that are still to make in the lobby."""
        if self._sweeping is None:
            return
        self._store.listeners.remove(self._changed)
        self._sweeping.cancel()
        await asyncio.gather(self._sweeping, return_exceptions=True)
        for care in self._cared.values():
            if care.thinking is not None:
                care.thinking.cancel()
        await asyncio.gather(self._for_people.close(), self._for_bots.close())

    def backlog(self, waiter: Waiter) -> Backlog:
        """What the steward has to do now for people or for bots. A bot that thinks does not wait."""
        waits = [care.since for care in self._cared.values() if care.thinking is None and care.waiter == waiter]
        return Backlog(len(waits), time.monotonic() - min(waits) if waits else 0.0)

    def _changed(self, announced: Announcement) -> None:
        executed = announced.meaning
        if isinstance(executed, Executed):
            self._attend(executed.game_id, executed.state)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(self._sweep_seconds)
            # While the database is away the sweep fails; the next one tries again.
            with suppress(*PASSING):
                for game in self._without_those_of_others(await self._lobby.unattended(self._host.now(), _FOUND_MAX)):
                    care = _Care(game.game_id, game.owner_id, found=True)
                    if self._take_on(care):
                        self._line_up(care, "people")

    def _without_those_of_others(self, found: Sequence[Unattended]) -> list[Unattended]:
        """The games that nobody else is about to move in: no other server is there, or it had the time."""
        if self._duties.alone:
            return list(found)
        now, left = time.monotonic(), self._left
        self._left = {}
        for game in found:
            version, since = left.get(game.game_id, (0, 0.0))
            self._left[game.game_id] = (version, since) if version == game.version else (game.version, now)
        waited = now - self._bot_seconds - _OTHERS_SECONDS
        return [game for game in found if not game.server_to_move or self._left[game.game_id][1] <= waited]

    def _attend(self, game_id: str, state: State) -> None:
        """Make the next move of a game, if it is the server's: what people wait for at once, a bot's in its time."""
        if servers_seat(state) is None:
            return
        # A table that is not in memory stands for an owner of its own. Its next move reads it.
        care = _Care(game_id, self._host.tables.owner_held(game_id) or game_id)
        if not self._take_on(care):
            return
        if not isinstance(state, Bidding) and _has_people(state):
            self._line_up(care, "people")
            return
        seconds = self._pace.wait_seconds(care.owner_id) + (self._bot_seconds if isinstance(state, Bidding) else 0.0)
        if seconds:
            care.thinking = asyncio.get_running_loop().call_later(seconds, self._thought, care)
        else:
            self._thought(care)

    def _thought(self, care: _Care) -> None:
        care.thinking = None
        self._line_up(care, "bots")

    def _line_up(self, care: _Care, waiter: Waiter) -> None:
        care.waiter, care.since = waiter, time.monotonic()
        (self._for_people if waiter == "people" else self._for_bots).put(care.owner_id, care)

    def _take_on(self, care: _Care) -> bool:
        """Whether the game has room here and is not looked after already. The next sweep finds a game without room."""
        owner_id = care.owner_id
        if (
            care.game_id in self._cared
            or len(self._cared) >= _GAMES_MAX
            or self._of_owners[owner_id] >= _GAMES_OF_OWNER_MAX
        ):
            return False
        self._cared[care.game_id] = care
        self._of_owners[owner_id] += 1
        return True

    def _let_go(self, care: _Care) -> None:
        del self._cared[care.game_id]
        self._of_owners[care.owner_id] -= 1
        if not self._of_owners[care.owner_id]:
            del self._of_owners[care.owner_id]

    async def _serve(self, care: _Care) -> None:
        """Make one move in a game, if there is one to make, and line up again for the next."""
        state = None
        try:
            # A trace of its own: otherwise all moves of bots would belong to the call that began the game.
            with span("steward", is_first=True):
                state = await self._moved_on(care)
        except (Refusal, *PASSING) as refusal:
            # Somebody was faster, or the database is away. If there is still a move to make, the next sweep finds it.
            _LOG.debug("a move for game %s was not made: %s", care.game_id, type(refusal).__name__)
        except Exception:  # noqa: BLE001 - one game's fault must not leave the others unattended
            _LOG.exception("looking after game %s failed", care.game_id)
        finally:
            self._let_go(care)
        # Nothing else runs between these two steps, so no change of the game goes unheard.
        if state is not None:
            self._attend(care.game_id, state)

    async def _moved_on(self, care: _Care) -> State:
        """The game after the move that the server has to make now, or as it is if there is none."""
        held = None if care.found else self._host.games.held(care.game_id)
        state, version = held or await self._host.games.load(care.game_id)
        if isinstance(state, Ended) and care.found:
            # The list showed this game as running, because spectators saw it late. Now it may show the end.
            await self._lobby.renew(care.game_id)
        if care.found and servers_seat(state) is not None:
            return state  # Now that its state is known, it lines up with its like.
        order = await self._next_order(care.game_id, state, version)
        if order is None:
            return state
        try:
            return (await self._host.make(care.game_id, order, f"steward:{version}")).state
        except Refusal:
            newer = self._host.games.held(care.game_id)
            if newer is None or newer[1] == version:
                raise
            return newer[0]

    async def _next_order(self, game_id: str, state: State, version: int) -> ServersOrder | None:
        """The next move that the server has to make in a game now, or None."""
        seat = servers_seat(state)
        if seat is not None:
            return await self._order_for(game_id, state, version, seat)
        due = due_at(state)
        if due is not None and due <= self._host.now() and isinstance(state, Calling):
            return ServersOrder(RunOut(), state.waiting[0], self._host.now)
        # The list has said that this table expired. Here we only check that nobody has changed it since.
        expired = expires_at(state, self._spared_seconds)
        if expired is None or expired > self._host.now():
            return None
        # The version makes sure that a player who joins at this moment wins, and the table stays.
        return ServersOrder(Abandon(UNSTARTED), -1, self._host.now, version=version)

    async def _order_for(self, game_id: str, state: State, version: int, seat: int) -> ServersOrder:
        assert isinstance(state, Calling), "the server moves in running games"
        table = await self._host.tables.with_chain(game_id, state.table.players[seat].player_id)
        if not isinstance(state, Bidding):
            return ServersOrder(RollDice(), seat, self._host.now, table)
        # The bot has chosen for this version: at any other one it looks again.
        return ServersOrder(self._choice(state, seat), seat, self._host.now, table, version)

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


def _has_people(state: State) -> bool:
    """Whether a person still plays in a running game."""
    assert isinstance(state, Calling), "the server moves in running games"
    return any(not is_bot(state.table.players[seat]) for seat in state.standing.in_play)
