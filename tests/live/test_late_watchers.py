"""Watchers of a table with a delay: whatever happens to the feed, they get everything once, or are told to come back."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import pytest
from eventsourcing.persistence import StoredEvent
from msgspec.structs import replace

from domain.events import AnyEvent
from domain.evolve import fold
from infra.events.mapping import GameEvent
from infra.postgres.subscriptions import SubscriberTooSlow
from services.access.payer import payer_of
from services.access.spectator_delay import SpectatorDelay
from services.live.game import Happened, WatchedGame
from services.live.mailbox import MAILBOX_MAX, Mailbox
from services.live.refusals import ServerDraining
from services.live.watching import Watching
from services.simulation.simulation import Setup, play_game, setups_of_all

NOW = 10**12
GAME_ID = "game"
PLAYED = play_game(Setup("single-hand", setups_of_all()[0].options, 6), 4, 0).events


class Feed:
    """A feed that brings what is stored, and fails in the middle as often as a test wants."""

    def __init__(self, events: Sequence[AnyEvent], failures: list[Exception]) -> None:
        self._events, self._failures, self.closed = events, failures, False

    @contextmanager
    def stream(self, _game_id: str, after: int, **_: object) -> Iterator[AsyncIterator[StoredEvent]]:
        yield self._coming(after)

    async def _coming(self, after: int) -> AsyncIterator[StoredEvent]:
        for version in range(after + 1, len(self._events) + 1):
            yield StoredEvent(GAME_ID, version, "", b"")
            if self._failures and version - after == 3:
                raise self._failures.pop(0)
        self.closed = True


class Hub:
    """What watching needs of a hub; an update names the versions that it holds."""

    shows_every_step = False

    def __init__(self, events: Sequence[AnyEvent], failures: list[Exception]) -> None:
        self._events, self.feed = events, Feed(events, failures)
        self.source = self.encoder = self

    def now(self) -> int:
        return NOW

    async def events(self, game_id: str, after: int = 0) -> list[GameEvent]:
        return [GameEvent(game_id, version, event) for version, event in enumerate(self._events, 1)][after:]

    def decoded(self, stored: StoredEvent) -> GameEvent:
        return GameEvent(GAME_ID, stored.originator_version, self._events[stored.originator_version - 1])

    async def rematch(self, _game: object) -> None:
        return None

    def snapshot(self, *_: object) -> bytes:
        return b""

    def update(self, game: WatchedGame[None], happened: Happened, *_: object, include_game: bool) -> bytes:
        assert not include_game
        first = game.version - len(happened.events) + 1
        return b"".join(b"%d " % version for version in range(first, game.version + 1))


class Plain:
    def snapshot(self, content: bytes) -> bytes:
        return content

    update = connection = rematch = snapshot


def shown(events: Sequence[AnyEvent], failures: list[Exception], after: int | None) -> list[int]:
    """The versions that a late watcher gets until the stream ends, which it must."""

    async def story() -> list[int]:
        hub: Any = Hub(events, failures)
        mailbox = Mailbox()
        game: WatchedGame[None] = WatchedGame(GAME_ID, None, SpectatorDelay(1), fold(events), len(events))
        payer = payer_of("", "")
        entered = Watching(hub).enter(game, None, "", mailbox, Plain(), payer=payer, after=after, include_game=False)
        leave = await entered
        letters: list[bytes] = []
        with pytest.raises(ServerDraining):
            await asyncio.wait_for(emptied(mailbox, letters), 10)
        leave()
        return [int(version) for letter in letters for version in letter.split()]

    return asyncio.run(story())


async def emptied(mailbox: Mailbox, letters: list[bytes]) -> None:
    while (letter := await mailbox.take()) is not None:
        letters.append(letter)


def at_once(count: int) -> list[AnyEvent]:
    """A game whose spectators may have seen this many of its events; the others follow within a moment."""
    last = NOW - 1_000
    return [replace(event, at=last if number <= count else last + 1) for number, event in enumerate(PLAYED, 1)]


def test_a_watcher_who_resumes_gets_all_that_is_visible_at_once_however_much_it_is() -> None:
    assert len(PLAYED) > MAILBOX_MAX

    assert shown(at_once(len(PLAYED)), [], after=0) == list(range(1, len(PLAYED) + 1))


def test_a_feed_that_let_the_watcher_go_is_followed_again_from_the_last_event_that_was_shown() -> None:
    events = PLAYED[:120]
    slow: list[Exception] = [SubscriberTooSlow(0) for _ in range(20)]

    versions = shown([replace(event, at=NOW - 999) for event in events], slow, after=None)

    assert not slow
    assert all(one + 1 == other for one, other in pairwise(versions))
    assert versions[-1] == len(events)


def test_a_watcher_of_a_game_that_can_not_be_read_any_more_is_not_left_waiting(
    caplog: pytest.LogCaptureFixture,
) -> None:
    events = [replace(event, at=NOW - 999) for event in PLAYED[:60]]

    versions = shown(events, [RuntimeError("unreadable")], after=None)

    assert len(versions) == 3
    assert "can't be shown to a late watcher" in caplog.text
