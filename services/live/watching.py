"""Watching a game: the watcher gets the game, and then every update, as far as the watcher may see it.

Spectators of a table with a delay see an older game. We fold it from the events that are old enough, and hold each
later event back until its time has come. A player who gives the seat back becomes a spectator on the same stream.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Generic

from msgspec.structs import replace

from domain.evolve import fold
from domain.state import Ended, State
from domain.views import Viewer
from infra.portions import REST_SECONDS
from infra.postgres.subscriptions import SubscriberTooSlow
from infra.workers.turns import Turns
from services.access.budget import NO_BUDGET, Budget
from services.access.payer import Payer
from services.access.refusals import FieldInvalid
from services.access.spectator_delay import rematch_shown
from services.live.broadcast import Broadcast, happened_of, put_rematch, put_snapshot, put_update
from services.live.game import About, WatchedGame, folded
from services.live.hub import Hub
from services.live.mailbox import Mailbox
from services.live.refusals import ServerDraining
from services.live.watcher import Watcher, Wrapping
from services.tables.refusals import VersionAhead

_AGAIN_SECONDS = 0.01
_UPDATE_EVENTS_MAX = 100
"""A watcher who missed more events gets them in several updates."""
_UNITS_AN_EVENT = 3
"""An event costs so much here, because it is read on the event loop and not by a worker."""
_LOG = logging.getLogger(__name__)


class Watching(Generic[About]):
    """Sends games into the mailboxes of watchers, live or late."""

    def __init__(self, hub: Hub[About], budget: Budget = NO_BUDGET) -> None:
        self._hub, self.source, self._encoder, self._budget = hub, hub.source, hub.encoder, budget
        self._turns = Turns()
        """Long games are read one at a time: each of them takes a part of every moment until it is read."""

    async def seen(self, game: WatchedGame[About], viewer: Viewer, payer: Payer) -> WatchedGame[About]:
        """The game that a viewer sees now: the present one or, for spectators of a table with a delay, an older one."""
        if not game.delay.applies_to(viewer):
            return replace(game, connected_seats=self._hub.connected(game.game_id))
        async with self._long_read(payer, game.version):
            events = [one.event for one in await self.source.events(game.game_id)]
            shown = game.delay.visible(events, self.source.now())
            return _late(game, await folded(shown), len(shown))

    async def enter(
        self,
        game: WatchedGame[About],
        viewer: Viewer,
        player_id: str,
        mailbox: Mailbox,
        wrapping: Wrapping,
        *,
        payer: Payer,
        after: int | None,
        include_game: bool,
        until_end: bool = False,
    ) -> "Leave":
        """Send the game, or the events after the version `after`, into a mailbox, and then every update.

        Returns the function that ends it.
        """
        leave = Leave()

        def unseated(version: int) -> None:
            leave.task = asyncio.create_task(self._follow_late(game, watcher, version))

        watcher = Watcher(player_id, mailbox, include_game, wrapping, unseated, until_end)
        if game.delay.applies_to(viewer):
            leave.task = await self._enter_late(game, watcher, after, payer)
            return leave
        check_after(after, game.version)
        if after is not None and game.version - after > _UPDATE_EVENTS_MAX:
            after = await self._catch_up(game, viewer, watcher, after, payer)
        broadcast = await self._enter_now(game, watcher, after, payer)
        leave.broadcast = lambda: broadcast.leave(watcher)
        return leave

    @asynccontextmanager
    async def _long_read(self, payer: Payer, events: int) -> AsyncIterator[None]:
        """Let the payer pay for reading a long game, in turn; a few events are free, as resuming is a part of playing."""
        if events <= _UPDATE_EVENTS_MAX:
            yield
            return
        self._budget.check(payer)
        self._budget.charge(payer, events * _UNITS_AN_EVENT)
        await self._turns.take(payer.caller)
        try:
            yield
        finally:
            self._turns.give_back()

    async def _catch_up(
        self, game: WatchedGame[About], viewer: Viewer, watcher: Watcher, after: int, payer: Payer
    ) -> int:
        """Send a watcher who is far behind all but the newest events, and return the version that it has then.

        They come in several updates: to write a long game at once would hold up everybody else.
        """
        first = 0 if self._encoder.shows_every_step or watcher.include_game else after
        async with self._long_read(payer, game.version - first):
            events = await self.source.events(game.game_id, first)
            state = await folded([one.event for one in events[: after - first]])
            for start in range(after - first, len(events) - _UPDATE_EVENTS_MAX, _UPDATE_EVENTS_MAX):
                part = events[start : start + _UPDATE_EVENTS_MAX]
                missed, after = happened_of(state, part), after + len(part)
                state = fold(missed.events, state) if first == 0 else state
                shown = replace(game, state=state, version=after, digest=part[-1].digest or b"")
                update = self._encoder.update(shown, missed, viewer, include_game=watcher.include_game)
                watcher.mailbox.put(watcher.wrapping.update(update), after)
                await asyncio.sleep(REST_SECONDS)
        return after

    async def _enter_now(
        self, game: WatchedGame[About], watcher: Watcher, after: int | None, payer: Payer
    ) -> Broadcast[About]:
        game_id = game.game_id
        if after is None:
            broadcast = await self._hub.enter(game_id, watcher)
            broadcast.show(watcher)
            return broadcast
        # An encoder that shows the game after every event needs the state before them, folded from the first event on.
        first = 0 if self._encoder.shows_every_step else after
        while True:
            # Read the missed events before entering. Reading them after it would let an update overtake them.
            async with self._long_read(payer, game.version - first):
                events = await self.source.events(game_id, first)
                before, missed = await folded([one.event for one in events[: after - first]]), events[after - first :]
            entered = await self._hub.enter_between(game_id, watcher, after, after + len(missed))
            if entered is not None:
                entered.resume(watcher, happened_of(before, missed[: entered.game.version - after]))
                return entered
            # The broadcast is beyond the events that we have read, or still behind the version that the caller knows
            # from the answer to a command. Both pass in a moment, so try again.
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _enter_late(
        self, game: WatchedGame[About], watcher: Watcher, after: int | None, payer: Payer
    ) -> "asyncio.Task[None]":
        shown = await self.seen(game, None, payer)
        check_after(after, shown.version)
        if after is not None:
            return asyncio.create_task(self._follow_late(game, watcher, after))
        put_snapshot(watcher, self._encoder.snapshot(shown, None), shown)
        # A snapshot that names the rematch has told the watcher; a second message would say it twice.
        rematch_sent = shown.rematch_id is not None
        return asyncio.create_task(self._follow_late(game, watcher, shown.version, rematch_sent=rematch_sent))

    async def _follow_late(
        self, game: WatchedGame[About], watcher: Watcher, version: int, *, rematch_sent: bool = False
    ) -> None:
        """Show a game late until the watcher leaves. Whatever ends this, the watcher must not wait for ever."""
        try:
            shown = await self._catch_up_late(game, watcher, version)
            if isinstance(shown.state, Ended) and not rematch_sent:
                await self._send_rematch(shown, watcher)
            while not self._hub.feed.closed:
                with suppress(
                    SubscriberTooSlow
                ):  # Many events came while one was held back; go on after the last shown.
                    await self._follow_feed_late(game, shown, watcher)
        except Exception as error:  # noqa: BLE001 - whatever it is, the watcher must not wait for ever
            # Only the kind of the error: its words may quote what is still hidden.
            _LOG.error("game %s can't be shown to a late watcher any more (%s)", game.game_id, type(error).__name__)
        finally:
            watcher.mailbox.end(ServerDraining)

    async def _catch_up_late(self, game: WatchedGame[About], watcher: Watcher, version: int) -> WatchedGame[About]:
        """Send what spectators may see by now of the events after a version."""
        events = await self.source.events(game.game_id)
        visible = len(game.delay.visible([one.event for one in events], self.source.now()))
        shown = _late(game, await folded([one.event for one in events[:version]]), version)
        for start in range(version, visible, _UPDATE_EVENTS_MAX):
            end = min(start + _UPDATE_EVENTS_MAX, visible)
            missed = happened_of(shown.state, events[start:end])
            shown = _late(game, fold(missed.events, shown.state), end)
            put_update(watcher, self._encoder.update(shown, missed, None, include_game=watcher.include_game), shown)
            if end < visible:
                await asyncio.sleep(REST_SECONDS)
        return shown

    async def _follow_feed_late(self, game: WatchedGame[About], shown: WatchedGame[About], watcher: Watcher) -> None:
        """Show event after event, each as late as it should be, and move `shown` on with them."""
        # Each late watcher follows alone: two who entered at different times may be at different versions.
        with self._hub.feed.stream(shown.game_id, shown.version) as subscription:
            async for stored in subscription:
                happened = happened_of(shown.state, [self.source.decoded(stored)])
                (event,) = happened.events
                await asyncio.sleep(shown.delay.wait_seconds(event, shown.state, self.source.now()))
                shown.state, shown.version = fold(happened.events, shown.state), shown.version + 1
                shown.rematch_id = rematch_shown(game.rematch_id, shown.state)
                update = self._encoder.update(shown, happened, None, include_game=watcher.include_game)
                put_update(watcher, update, shown)
                if isinstance(shown.state, Ended):
                    await self._send_rematch(shown, watcher)

    async def _send_rematch(self, game: WatchedGame[About], watcher: Watcher) -> None:
        """Wait for the rematch and send it. A game that is over has no more events that this could hold up."""
        rematch_id = await self.source.rematch(game)
        if rematch_id is not None:
            put_rematch(self._encoder, watcher, game.game_id, rematch_id)


class Leave:
    """Ends the watching of a game, live or late."""

    def __init__(self) -> None:
        self.broadcast: Callable[[], None] | None = None
        self.task: asyncio.Task[None] | None = None

    def __call__(self) -> None:
        """End it."""
        if self.broadcast is not None:
            self.broadcast()
        if self.task is not None:
            self.task.cancel()


def check_after(after: int | None, version: int) -> None:
    """Refuse to resume after a version that the game does not have."""
    if after is not None and after < 0:
        raise FieldInvalid(field="after_version", problem="must be a version of the game, or 0")
    if after is not None and after > version:
        raise VersionAhead(version=version, after_version=after, field="after_version")


def _late(game: WatchedGame[About], state: State, version: int) -> WatchedGame[About]:
    """The game at an older state, as spectators see it: without digest and connections, which belong to the present."""
    rematch_id = rematch_shown(game.rematch_id, state)
    return replace(game, state=state, version=version, digest=b"", connected_seats=(), rematch_id=rematch_id)
