"""WatchGame: how a game stands, and then what happens in it, as the caller may see it.

Spectators of a table with a delay see an older game: their view is folded from the events that are old enough, and what
follows is held back until it is. Whoever gives a seat back becomes one of them, on the same stream.
"""

import asyncio
from collections.abc import Callable, Sequence

from liarsdice.v1 import game_pb2, game_service_pb2
from msgspec.structs import replace

from domain.events import AnyEvent
from domain.evolve import fold
from domain.state import NOTHING, Ended, Gathering, Nothing, State
from services.access.caller import Caller
from services.access.refusals import FieldInvalid
from services.access.spectator_delay import rematch_shown
from services.live.refusals import ServerDraining, VersionAhead
from services.rpc.broadcast import Broadcast, Hub, Mailbox, Watcher
from services.rpc.encoding import WATCH, Wrapping, event_messages, game_message, wrapped
from services.rpc.gate import Call
from services.rpc.parsing import game_id_of
from services.tables.host import GameHost, viewer_of
from services.tables.table_store import HostedTable

_AGAIN_SECONDS = 0.01


class Watching:
    """Looks at games for callers who do not move in them."""

    def __init__(self, host: GameHost, hub: Hub) -> None:
        self._host, self._hub = host, hub

    async def game(self, game_id: str, caller: Caller, code: str = "") -> game_pb2.Game:
        """The game as the caller sees it now."""
        table, state, head, viewer = await self._host.visible(game_id, caller, code)
        version, digest = head.version, head.digest
        if table.opened.delay.applies_to(viewer):
            (state, version), digest = await self._delayed(table), b""
            table = _seen_late(table, state)
        game = game_message(table, state, version, viewer, self._hub.connected(game_id), now=self._host.now())
        game.digest = digest
        if caller.player_id == table.opened.owner_id:
            game.invitation_code = table.opened.invitation_code or ""  # Also without a seat: who else could invite?
        return game

    async def watch(self, request: game_service_pb2.WatchGameRequest, call: Call) -> None:
        """Send a game and what happens in it until the caller leaves."""
        mailbox = Mailbox()
        leave = await self.enter(request, call.caller, mailbox, WATCH)
        # Only now, because the game comes before any heartbeat.
        self._hub.attend(mailbox, lambda: (WATCH.heartbeat, mailbox.told), call.renew)
        try:
            await call.context.send_initial_metadata(())  # So that the caller knows that it is being served.
            while (letter := await mailbox.take()) is not None:
                await call.send(letter)
        finally:
            leave()
            del self._hub.mailboxes[mailbox]

    async def enter(
        self, request: game_service_pb2.WatchGameRequest, caller: Caller, mailbox: Mailbox, wrapping: Wrapping
    ) -> "Leave":
        """Let a game flow into a mailbox; what comes back ends that."""
        if self._hub.draining:
            raise ServerDraining(version=request.after_version)
        game_id = game_id_of(request)
        table, _, head, viewer = await self._host.visible(game_id, caller, request.invitation_code)
        after = request.after_version if request.HasField("after_version") else None
        leave = Leave()

        def unseated(version: int) -> None:
            leave.task = asyncio.create_task(self._follow_late(table, watcher, version))

        watcher = Watcher(caller.player_id, mailbox, request.include_game, wrapping, unseated)
        if table.opened.delay.applies_to(viewer):
            leave.task = await self._enter_late(table, watcher, after)
            return leave
        _check_after(after, head.version)
        broadcast = await self._enter_now(game_id, watcher, after)
        leave.broadcast = lambda: broadcast.leave(watcher)
        return leave

    async def _enter_now(self, game_id: str, watcher: Watcher, after: int | None) -> Broadcast:
        if after is None:
            broadcast = await self._hub.enter(game_id, watcher)
            game = broadcast.game(viewer_of(broadcast.state, watcher.player_id))
            watcher.mailbox.put(wrapped(watcher.wrapping.snapshot, game.SerializeToString()), broadcast.version)
            return broadcast
        while True:
            # What is missing is read before: once the game is entered, nothing may come in between.
            missing = await self._host.games.events(game_id, after)
            broadcast = await self._hub.enter(game_id, watcher)
            if after <= broadcast.version <= after + len(missing):
                self._resume(broadcast, watcher, missing[: broadcast.version - after])
                broadcast.tell_rematch(watcher)
                return broadcast
            # It has moved on meanwhile, or is still behind what the caller was told by the answer to a command.
            broadcast.leave(watcher)
            await asyncio.sleep(_AGAIN_SECONDS)

    def _resume(self, broadcast: Broadcast, watcher: Watcher, missing: Sequence[AnyEvent]) -> None:
        if not missing:
            return
        version, viewer = broadcast.version, viewer_of(broadcast.state, watcher.player_id)
        update = game_service_pb2.GameUpdate(
            game_id=broadcast.table.game_id,
            version=version,
            events=event_messages(missing, version, viewer),
            game=broadcast.game(viewer) if watcher.include_game else None,
            digest=broadcast.digest,
        )
        watcher.mailbox.put(wrapped(watcher.wrapping.update, update.SerializeToString()), version)

    async def _delayed(self, table: HostedTable) -> tuple[State, int]:
        events = await self._host.games.events(table.game_id)
        shown = table.opened.delay.visible(events, self._host.now())
        return fold(shown, NOTHING), len(shown)

    async def _enter_late(self, table: HostedTable, watcher: Watcher, after: int | None) -> "asyncio.Task[None]":
        state, version = await self._delayed(table)
        _check_after(after, version)
        if after is None:
            game = self._late_game(table, state, version)
            watcher.mailbox.put(wrapped(watcher.wrapping.snapshot, game.SerializeToString()), version)
            rematch_told = bool(game.rematch_id)
        else:
            version, rematch_told = after, False
        return asyncio.create_task(self._follow_late(table, watcher, version, rematch_told=rematch_told))

    async def _follow_late(
        self, table: HostedTable, watcher: Watcher, version: int, *, rematch_told: bool = False
    ) -> None:
        delay = table.opened.delay
        state = fold((await self._host.games.events(table.game_id))[:version], NOTHING)
        with self._hub.feed.stream(table.game_id, version) as subscription:
            if isinstance(state, Ended) and not rematch_told:
                await self._tell_rematch(table, watcher)
            async for stored in subscription:
                event = self._hub.decoded(stored).event
                begun = not isinstance(state, Nothing | Gathering)
                await asyncio.sleep(delay.wait_seconds(event, self._host.now(), begun=begun))
                state, version = fold((event,), state), version + 1
                update = game_service_pb2.GameUpdate(
                    game_id=table.game_id,
                    version=version,
                    events=event_messages((event,), version, None),
                    game=self._late_game(table, state, version) if watcher.include_game else None,
                )
                watcher.mailbox.put(wrapped(watcher.wrapping.update, update.SerializeToString()), version)
                if isinstance(state, Ended):
                    await self._tell_rematch(table, watcher)
        watcher.mailbox.end(ServerDraining)

    def _late_game(self, table: HostedTable, state: State, version: int) -> game_pb2.Game:
        return game_message(_seen_late(table, state), state, version, None, now=self._host.now())

    async def _tell_rematch(self, table: HostedTable, watcher: Watcher) -> None:
        """Once a game is over there is nothing else to wait for."""
        rematch_id = await self._hub.rematch(table)
        if rematch_id is not None:
            watcher.tell_rematch(table.game_id, rematch_id)


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


def _seen_late(table: HostedTable, state: State) -> HostedTable:
    """A table without what only those know who have seen the end of its game."""
    return replace(table, rematch_id=rematch_shown(table.rematch_id, state))


def _check_after(after: int | None, version: int) -> None:
    if after is not None and after < 0:
        raise FieldInvalid(field="after_version", problem="must be a version that there was, or 0")
    if after is not None and after > version:
        raise VersionAhead(version=version, after_version=after)
