"""Long games: whatever has to read or write all their events gives way to everybody else again and again."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from domain.events import AnyEvent
from domain.evolve import evolve
from domain.history import forking
from domain.options import Options
from infra.events.mapping import EventMapper, EventTranscoder
from infra.portions import PORTION
from infra.postgres.audit_log import AuditLog
from infra.postgres.store import EventStore
from services.access.caller import Caller
from services.access.table_events import TABLE_TOPICS, TableOpened
from services.audit.store_check import StoreCheck
from services.live.table_source import TableSource
from services.simulation.simulation import Setup, play_game
from services.tables import application
from services.tables.allowance import Allowance, Limits
from services.tables.application import GameApplication
from services.tables.host import GameHost
from services.tables.practice import fork
from services.tables.request_marks import RequestMarks
from services.tables.requests import Asked, WantedPractice
from services.tables.table_store import Tables
from tests.infra.postgres.databases import new_database
from tests.servers import KEYS, LOG_KEYS

GAME = play_game(Setup("bidding-track", Options(dice_each=10), 6, ("cautious",)), 1, 0)
EVENTS: tuple[AnyEvent, ...] = tuple(GAME.events)


class Stretch:
    """Counts what is done between two turns of a task that only waits for its turn."""

    def __init__(self) -> None:
        self.longest = self._now = 0

    def count(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, with each call of it counted."""

        def counted(*arguments: Any, **named: Any) -> Any:
            self._now += 1
            self.longest = max(self.longest, self._now)
            return function(*arguments, **named)

        return counted

    async def of(self, work: Awaitable[Any]) -> int:
        """The most that some work did between two turns of everybody else."""
        self.longest = self._now = 0
        waiting = asyncio.create_task(self._wait())
        try:
            await work
        finally:
            waiting.cancel()
        return self.longest

    async def _wait(self) -> None:
        while True:
            await asyncio.sleep(0)
            self._now = 0


async def begin(games: GameApplication, tables: Tables) -> None:
    """Store the long game, with its table."""
    opened = TableOpened(
        at=0,
        owner_id="ann",
        private=False,
        spectator_delay_seconds=0,
        rematch_of=None,
        seed=None,
        invitation_code=None,
    )
    await tables.open(GAME.game_id, opened)
    await games.begin(GAME.game_id, EVENTS, "past")


def test_no_reader_or_writer_of_a_long_game_keeps_the_others_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(EVENTS) > 7 * PORTION
    stretch = Stretch()
    mapper = EventMapper(EventTranscoder(KEYS, must_open=True))
    for method in ("to_domain_event", "written"):
        monkeypatch.setattr(mapper, method, stretch.count(getattr(mapper, method)))
    for module in (application, forking):
        monkeypatch.setattr(module, "evolve", stretch.count(evolve))

    async def story() -> dict[str, int]:
        store = await EventStore.open(new_url)
        log = await AuditLog.open(new_url)
        tables = Tables(store, EventMapper(EventTranscoder(KEYS, must_open=True, topics=TABLE_TOPICS)), os.urandom)
        games = GameApplication(store, mapper)
        host = GameHost(games, tables, RequestMarks(KEYS), Allowance(store, games, Limits()))
        source = TableSource(host, None, mapper)  # type: ignore[arg-type]  # it follows nothing here
        wanted = WantedPractice(game_id=GAME.game_id, version=step, seat=state.waiting[0])
        asked = Asked(Caller("ann", "Ann"), "fork", "fork")
        try:
            return {
                "begin": await stretch.of(begin(games, tables)),
                "repeat": await stretch.of(games.begin(GAME.game_id, EVENTS, "past")),
                "load": await stretch.of(GameApplication(store, mapper).load(GAME.game_id)),
                "events": await stretch.of(games.events(GAME.game_id)),
                "watch": await stretch.of(source.events(GAME.game_id)),
                "fork": await stretch.of(fork(host, asked, wanted)),
                "check": await stretch.of(StoreCheck(store, log, mapper, LOG_KEYS.vkeys).run()),
            }
        finally:
            await log.close()
            await store.close()

    new_url, (step, state) = new_database(lanes=1), list(forking.waits(EVENTS))[-1]
    longest = asyncio.run(story())

    # An event may count more than once: it is decoded and folded.
    assert all(0 < count <= 4 * PORTION for count in longest.values()), longest
