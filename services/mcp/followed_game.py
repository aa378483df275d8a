"""A game in which the player has a seat. It is watched in the background for as long as it lasts.

So a seat that keeps its own chain rolls when the game calls it, also while the model thinks, and nothing is missed when
the model comes back. The client library resumes the stream when the server restarts.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from domain.views import GameView
from services.client import Game, Happened, Table, Unreachable, Update
from services.mcp.answers import Because, Observation, Progress
from services.mcp.event_lines import line_of
from services.mcp.observation import observed

LINES_MAX = 60
_SETTLE_SECONDS = 2.0
_PASSING = ("choosing_opener", "rolling", "settling")
"""Phases in which nobody has to decide anything."""
_AWAY = "The server does not answer at the moment. This is how the game stood; it goes on when the server is back."
_NO_CHAIN = "Your seat has a chain that is not kept here, so it can't roll: play where you sat down, or forfeit."


class FollowedGame:
    """One game, as far as it has come."""

    def __init__(self, table: Table) -> None:
        """Follow a game from its first event on; needs a running event loop."""
        self.table = table
        self.game: Game | None = None
        self._events: list[Happened] = []
        self._told = 0
        """The version up to which the model knows what happened."""
        self._connected = True
        self._keeps_chain = False
        self._failure: Exception | None = None
        self._news = asyncio.Event()
        self._following = asyncio.create_task(self._follow())

    @property
    def over(self) -> bool:
        """Whether there is nothing more to follow: the game has ended, or following it has failed."""
        return self._following.done()

    @property
    def failure(self) -> Exception | None:
        """Why the game can't be followed any more; None if it can."""
        return self._failure

    async def close(self) -> None:
        """Stop following."""
        self._following.cancel()
        await asyncio.gather(self._following, return_exceptions=True)

    async def refresh(self) -> None:
        """Look at a game that is over once more, because somebody may have set up a rematch."""
        if self.game is not None and self.over:
            with suppress(Unreachable):
                self.game = await self.table.game()

    async def until(self, condition: Callable[[Game], bool], seconds: float) -> bool:
        """Wait until the game is as wanted; returns whether it is. Raises what ended the following."""
        try:
            async with asyncio.timeout(seconds):
                while self.game is None or not condition(self.game):
                    if self._failure is not None:
                        raise self._failure
                    await self._news.wait()
        except TimeoutError:
            return False
        return True

    async def settle(self, version: int = 0) -> None:
        """Wait a moment until this version is there and the dice have fallen."""
        await self.until(lambda game: game.version >= version and game.view.phase not in _PASSING, _SETTLE_SECONDS)

    def observation(self) -> Observation:
        """The game as the seat sees it."""
        assert self.game is not None, "asked for before the first update"
        return observed(self.game, self._remarks(self.game.view), rolls_itself=self._rolls_itself(self.game.view))

    def progress(self, because: Because | None = None, since: int | None = None) -> Progress:
        """What happened since the model was last told, or since a version, and how the game stands."""
        assert self.game is not None, "asked for before the first update"
        after = self._told if since is None else since
        viewer = self.game.view.viewer
        lines = [line_of(one.event, viewer) for one in self._events if one.version > after]
        told = [line for line in lines if line is not None]
        self._told = self.game.version
        return Progress(
            happened=tuple(told[-LINES_MAX:]),
            left_out=max(0, len(told) - LINES_MAX),
            because=because,
            now=self.observation(),
        )

    def must_roll(self) -> bool:
        """Whether the game waits for a roll that the seat does not make by itself."""
        return self.game is not None and self.game.view.moves.roll and not self._rolls_itself(self.game.view)

    async def _follow(self) -> None:
        try:
            async for update in self.table.watch(after=0, on_connection=self._connection):
                if self.game is None:
                    self._keeps_chain = await self.table.keeps_chain()
                self._take(update)
        except Exception as failure:  # noqa: BLE001 - the next tool that asks for this game raises it
            self._failure = failure
            self._tell()

    def _take(self, update: Update) -> None:
        self.game = update.game
        self._events += update.events
        self._tell()

    def _connection(self, connected: bool) -> None:  # noqa: FBT001 - the shape that `watch` calls
        self._connected = connected
        self._tell()

    def _tell(self) -> None:
        """Wake all that wait."""
        self._news.set()
        self._news = asyncio.Event()

    def _rolls_itself(self, view: GameView) -> bool:
        held_by = None if view.viewer is None else view.seats[view.viewer].chain_held_by
        return held_by == "server" or self._keeps_chain

    def _remarks(self, view: GameView) -> tuple[str, ...]:
        away = not self._connected and not self.over
        return ((_AWAY,) if away else ()) + ((_NO_CHAIN,) if self.must_roll() and view.viewer is not None else ())
