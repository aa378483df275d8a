"""Stores with whole games in them, as the server would have stored them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from random import Random
from typing import TypeVar

from eventsourcing.persistence import StoredEvent

from domain.events import AnyEvent
from infra.events.evidence import digest_of, first_digest
from infra.events.mapping import EventMapper, EventTranscoder, GameEvent
from infra.postgres.audit_log import AuditLog
from infra.postgres.duties import Duties
from infra.postgres.feed import Feed
from infra.postgres.store import EventStore
from services.audit.logbook import Logbook
from services.simulation.simulation import play_game, setups_of_all
from tests.servers import KEYS, LOG_KEYS

Result = TypeVar("Result")
MAPPER = EventMapper(EventTranscoder(KEYS, must_open=True))


def stored(game_id: str, events: Sequence[AnyEvent]) -> list[StoredEvent]:
    """The events of a game as they are stored."""
    digest, found = first_digest(game_id), []
    for version, event in enumerate(events, 1):
        found.append(MAPPER.to_stored_event(GameEvent(game_id, version, event, previous=digest)))
        digest = digest_of(found[-1].state) or b""
    return found


def games(count: int, seed: int = 1) -> dict[str, list[StoredEvent]]:
    """Whole games of all books, of different kinds."""
    setups = setups_of_all()
    chance = Random(seed)
    tables = [play_game(chance.choice(setups), seed, index) for index in range(count)]
    return {
        f"sim-{seed}-{index:06}": stored(f"sim-{seed}-{index:06}", table.events) for index, table in enumerate(tables)
    }


def openings_of(events: Sequence[StoredEvent]) -> dict[int, bytes]:
    """What opens the commitments of some events, by their versions."""
    opened = {event.originator_version: MAPPER.opening(event) for event in events}
    return {version: opening for version, opening in opened.items() if opening is not None}


async def store_games(store: EventStore, played: dict[str, list[StoredEvent]], chance: Random | None = None) -> None:
    """Store games, piece by piece and mixed with each other if there is a chance for it."""
    rest = {game_id: list(events) for game_id, events in played.items()}
    while rest:
        game_id = chance.choice(list(rest)) if chance else next(iter(rest))
        size = chance.randint(1, 12) if chance else len(rest[game_id])
        piece, rest[game_id] = rest[game_id][:size], rest[game_id][size:]
        await store.append(piece, f"{game_id}/{piece[0].originator_version}")
        if not rest[game_id]:
            del rest[game_id]


class Opened:
    """A store with its log, and what keeps it."""

    def __init__(self, store: EventStore, feed: Feed, log: AuditLog, duties: Duties) -> None:
        self.store, self.feed, self.log, self.duties = store, feed, log, duties
        self.others: list[AuditLog] = []

    def logbook(self) -> Logbook:
        """A logbook, which writes nothing before it is started."""
        return Logbook(self.store, self.feed, self.log, MAPPER, LOG_KEYS, duties=self.duties)

    async def another_log(self) -> AuditLog:
        """The same log as another process sees it."""
        self.others.append(await AuditLog.open(self.store.url))
        return self.others[-1]

    async def logged(self) -> None:
        """Let the log take in everything."""
        logbook = self.logbook()
        await logbook.start()
        await logbook.caught_up(30)
        await logbook.close()


def on_log(url: str, work: Callable[[Opened], Awaitable[Result]]) -> Result:
    """The result of some work on a store and its log."""

    async def worked() -> Result:
        store = await EventStore.open(url)
        feed = await Feed.open(store)
        opened = Opened(store, feed, await AuditLog.open(url), await Duties.open(url, store.lanes))
        try:
            async with asyncio.timeout(120):
                return await work(opened)
        finally:
            for log in (opened.log, *opened.others):
                await log.close()
            await opened.duties.close()
            await feed.close()
            await store.close()

    return asyncio.run(worked())
