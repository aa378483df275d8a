"""A watched game comes by two ways, from this process and from the feed; whatever the order, each event reaches a watcher once."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest
from eventsourcing.persistence import StoredEvent

from domain.deciding import decide
from domain.events import AnyEvent
from domain.evolve import fold
from domain.state import Ended, State
from infra.events.mapping import GameEvent
from services.access.spectator_delay import SpectatorDelay
from services.live.broadcast import Broadcast
from services.live.game import Happened, WatchedGame
from services.live.mailbox import Mailbox
from services.live.refusals import ServerDraining
from services.live.watcher import Watcher
from services.tables.application import Executed, Head
from tests.domain.properties.choices import legal_commands
from tests.made_tables import chains_of, started

GAME_ID = "game"


def batches_of(chance: Random) -> list[tuple[AnyEvent, ...]]:
    """The events of a game after its start, as the commands caused them."""
    chains, state = chains_of("single-hand", 3), fold(started("single-hand", 3))
    batches: list[tuple[AnyEvent, ...]] = []
    while len(batches) < 25 and not isinstance(state, Ended):
        batches.append(tuple(decide(chance.choice(list(legal_commands(state, chains, 0))), state)))
        state = fold(batches[-1], state)
    return batches


class FakeFeed:
    """A feed that brings what a test puts into it, some at a time."""

    def __init__(self) -> None:
        self.coming: asyncio.Queue[list[StoredEvent]] = asyncio.Queue()
        self._ready: list[StoredEvent] = []

    @contextmanager
    def stream(self, _game_id: str, _after: int, *, foreign_only: bool) -> Iterator["FakeFeed"]:
        assert foreign_only
        yield self

    def __aiter__(self) -> AsyncIterator[StoredEvent]:
        return self

    async def __anext__(self) -> StoredEvent:
        first, *self._ready = await self.coming.get()
        return first

    def ready(self) -> list[StoredEvent]:
        ready, self._ready = self._ready, []
        return ready


class FakeHub:
    """What a broadcast needs of a hub: events are numbers to the feed, and updates say their versions."""

    hears_own = True
    shows_every_step = False

    def __init__(self, events: dict[int, AnyEvent]) -> None:
        self.feed, self._events = FakeFeed(), events
        self.encoder = self.source = self

    def decoded(self, stored: StoredEvent) -> GameEvent:
        version = stored.originator_version
        return GameEvent(GAME_ID, version, self._events[version], digest=bytes([version % 256]))

    def update(self, game: WatchedGame[None], happened: Happened, _viewer: object, *, include_game: bool) -> bytes:
        assert not include_game
        assert fold(happened.events, happened.before) == game.state
        first = game.version - len(happened.events) + 1
        return b"".join(b"%d " % version for version in range(first, game.version + 1))

    def rematch(self, *_: object) -> Any:
        return asyncio.sleep(60)

    def forget(self, _broadcast: object) -> None:
        pass


class Plain:
    def snapshot(self, content: bytes) -> bytes:
        return content

    update = connection = rematch = snapshot


def stored(version: int) -> StoredEvent:
    return StoredEvent(GAME_ID, version, "", b"")


def ways(
    batches: Sequence[tuple[AnyEvent, ...]], first: int, state: State, chance: Random
) -> tuple[list[Any], list[Any]]:
    """What is announced in this process, and what the feed brings: each batch comes by one of them, or by both."""
    announced: list[Executed] = []
    brought: list[StoredEvent] = []
    version = first
    for events in batches:
        state, way = fold(events, state), chance.choice(("own", "foreign", "both"))
        last = version + len(events)
        digests = tuple(bytes([number % 256]) for number in range(version + 1, last + 1))
        if way != "foreign":
            announced.append(Executed(GAME_ID, last, events, digests, state, Head(last, digests)))
        if way != "own":
            brought += [stored(number) for number in range(version + 1, last + 1)]
        version = last
    return announced, brought


@pytest.mark.parametrize("seed", range(40))
def test_events_of_both_ways_are_told_once_and_in_order_however_they_interleave(seed: int) -> None:
    chance = Random(seed)
    begun = fold(started("single-hand", 3))
    first = len(started("single-hand", 3))
    batches = batches_of(chance)
    every = dict(enumerate((event for events in batches for event in events), first + 1))

    async def story() -> tuple[bytes, WatchedGame[None]]:
        hub = FakeHub(every)
        game: WatchedGame[None] = WatchedGame(GAME_ID, None, SpectatorDelay(), begun, first)
        broadcast = Broadcast(hub, game)  # type: ignore[arg-type]  # a hub as far as a broadcast knows one
        mailbox = Mailbox()
        broadcast.enter(Watcher("", mailbox, include_game=False, wrapping=Plain(), unseated=lambda _: None))
        announced, brought = ways(batches, first, begun, chance)
        while announced or brought:
            if announced and (not brought or chance.random() < 0.5):
                broadcast.executed(announced.pop(0))
            elif brought:
                count = chance.randrange(1, 4)
                hub.feed.coming.put_nowait(brought[:count])
                del brought[:count]
            if chance.random() < 0.5:
                await asyncio.sleep(0)
        for _ in range(50):
            await asyncio.sleep(0)
        mailbox.finish()
        told = b"".join([letter async for letter in letters(mailbox)])
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        return told, game

    told, game = asyncio.run(story())

    assert [int(version) for version in told.split()] == list(every)
    assert game.version == first + len(every)
    assert game.state == fold(every.values(), begun)
    assert game.digest == bytes([game.version % 256])


async def letters(mailbox: Mailbox) -> AsyncIterator[bytes]:
    while (letter := await mailbox.take()) is not None:
        yield letter


def test_a_fault_in_showing_a_move_ends_the_streams_and_logs_nothing_that_is_hidden(
    caplog: pytest.LogCaptureFixture,
) -> None:
    chance = Random(1)
    begun, first = fold(started("single-hand", 3)), len(started("single-hand", 3))
    events = batches_of(chance)[0]

    async def story() -> Mailbox:
        hub = FakeHub({})
        hub.update = faulty  # type: ignore[method-assign]  # the fault
        game: WatchedGame[None] = WatchedGame(GAME_ID, None, SpectatorDelay(), begun, first)
        broadcast = Broadcast(hub, game)  # type: ignore[arg-type]  # as above
        mailbox = Mailbox()
        broadcast.enter(Watcher("", mailbox, include_game=False, wrapping=Plain(), unseated=lambda _: None))
        version = first + len(events)
        digests = (b"",) * len(events)
        broadcast.executed(Executed(GAME_ID, version, events, digests, fold(events, begun), Head(version, digests)))
        with pytest.raises(ServerDraining):
            await mailbox.take()
        broadcast.close_unless_watched()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        return mailbox

    def faulty(*_: object, **__: object) -> bytes:
        raise ValueError("dice 1 2 3 4 5")

    asyncio.run(story())

    assert "ValueError" in caplog.text
    assert "dice 1 2 3 4 5" not in caplog.text
