"""The session of a player at a table: updates and typed lines come into one inbox, and are handled in turn."""

import asyncio
import time
from collections.abc import Awaitable
from random import SystemRandom
from typing import Literal

from domain.values import Value
from domain.views import GameView
from services.bots import Bot, Doubt, Raise
from services.cli.play.keyboard import Keyboard
from services.cli.play.screen import Screen
from services.cli.play.typed_line import Bids, Says, Shows, meaning_of
from services.client import Done, Game, Refused, Table, Unreachable, Update

WARNING_SECONDS = 10

Ending = Literal["over", "left"]


class _Line(Value, frozen=True):
    """A typed line; None if there will be no more."""

    text: str | None


class _TryAgain(Value, frozen=True):
    """A bot's move did not reach the server. Perhaps no update will come, so the bot reminds itself."""


class Session:
    """One player, or spectator, or bot, at one table."""

    def __init__(self, table: Table, screen: Screen, keyboard: Keyboard, bot: Bot | None = None) -> None:
        self._table, self._screen, self._keyboard, self._bot = table, screen, keyboard, bot
        self._inbox: asyncio.Queue[Update | _Line | _TryAgain | Exception] = asyncio.Queue()
        self._wanted = asyncio.Event()
        self._game: Game | None = None
        self._ever_connected = self._is_connected = False
        self._forfeiting = False
        self._cannot_roll = False
        self._warning: asyncio.TimerHandle | None = None

    async def run(self) -> Ending:
        """Play until the game is over or the player leaves."""
        tasks = [asyncio.create_task(self._follow()), asyncio.create_task(self._listen())]
        try:
            while True:
                ending = await self._take(await self._inbox.get())
                if ending is not None:
                    return ending
        finally:
            for task in tasks:
                task.cancel()
            self._warn_at(None)
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _follow(self) -> None:
        try:
            async for update in self._table.watch(on_connection=self._connection):
                await self._inbox.put(update)
        except Exception as failure:  # noqa: BLE001 - whatever ends the stream ends the session
            await self._inbox.put(failure)

    async def _listen(self) -> None:
        """Read typed lines: those of a person at any time, those of a script one at a time when the game asks."""
        while True:
            if not self._keyboard.is_person:
                await self._wanted.wait()
            line = await self._keyboard.line()
            self._wanted.clear()
            await self._inbox.put(_Line(line))
            if line is None:
                return

    def _connection(self, connected: bool) -> None:  # noqa: FBT001 - the shape that `watch` calls
        if not connected or self._ever_connected:
            self._screen.connection(connected=connected)
            if connected and self._game is not None and self._bot is None:
                self._screen.awaited(self._game)
            if self._is_turn:
                self._screen.prompt()
        self._ever_connected, self._is_connected = True, connected

    async def _take(self, taken: Update | _Line | _TryAgain | Exception) -> Ending | None:
        match taken:
            case Update():
                return await self._update(taken)
            case _Line(text=text) if text is not None:
                self._screen.typed()
                return await self._typed(text)
            case _Line():
                return None if self._only_watches else "left"
            case _TryAgain():
                if self._is_turn and self._bot is not None:
                    await self._move(self._bot)
                return None
            case Exception():
                raise taken

    @property
    def _only_watches(self) -> bool:
        return self._bot is not None or self._game is None or self._game.view.viewer is None

    async def _update(self, update: Update) -> Ending | None:
        first = self._game is None
        self._game = update.game
        self._screen.update(update, first=first)
        if update.game.view.phase == "ended":
            if first:
                self._screen.over(update.game)
            return "over"
        await self._tell_missing_chain(update.game.view)
        self._warn_at(update.game.due if self._is_turn else None)
        if self._is_turn and self._bot is not None:
            await self._move(self._bot)
        elif first or update.events:
            self._ask(bids=not first)
        elif self._is_turn:
            self._screen.prompt()
        return None

    async def _tell_missing_chain(self, view: GameView) -> None:
        """Say that a seat can't roll here if it was taken on another machine."""
        held_by = None if view.viewer is None else view.seats[view.viewer].chain_held_by
        if view.moves.roll and held_by == "player" and not self._cannot_roll and not await self._table.keeps_chain():
            self._cannot_roll = True
            self._screen.say("Your seat has a chain that is not kept here: roll where you sat down, or give up.", "red")

    @property
    def _is_turn(self) -> bool:
        view = None if self._game is None else self._game.view
        return view is not None and view.phase == "bidding" and view.viewer in view.waiting

    def _ask(self, *, bids: bool) -> None:
        """Say what the game waits for if it is the player's move; with `bids`, say the bids so far too."""
        assert self._game is not None
        if self._bot is not None:
            return
        if self._is_turn:
            self._screen.turn(self._game, bids=bids)
        elif self._game.view.phase == "gathering" and self._game.view.viewer is not None:
            self._screen.gathering(self._game)
        else:
            return
        self._want_line()

    def _want_line(self) -> None:
        self._screen.prompt()
        self._wanted.set()

    async def _move(self, bot: Bot) -> None:
        """Let a bot decide from what this seat sees."""
        assert self._game is not None
        version = self._game.version
        match bot(self._game.view, SystemRandom()):
            case Raise(bid=bid, shown=shown):
                await self._carried_out(self._table.bid(bid.quantity, bid.face, shown, expected_version=version))
            case Doubt():
                await self._carried_out(self._table.challenge(expected_version=version))

    async def _typed(self, text: str) -> Ending | None:
        assert self._game is not None
        if self._forfeiting:
            await self._forfeit(text)
            return None
        version = self._game.version
        match meaning_of(text, self._game.view.wild_name):
            case Bids(bid=bid, shown=shown):
                await self._carried_out(self._table.bid(bid.quantity, bid.face, shown, expected_version=version))
            case Shows(shown=shown):
                await self._carried_out(self._table.show_and_reroll(shown, expected_version=version))
            case Says(word="quit"):
                return "left"
            case Says(word=word, rest=rest):
                return await self._said(word, rest)
        return None

    async def _said(self, word: str, rest: str) -> Ending | None:
        assert self._game is not None
        match word:
            case "doubt":
                await self._carried_out(self._table.challenge(expected_version=self._game.version))
            case "start":
                await self._carried_out(self._table.start())
            case "bot":
                await self._carried_out(self._table.add_bot(rest))
            case "leave":
                return "left" if await self._carried_out(self._table.leave()) else None
            case "forfeit":
                self._forfeiting = True
                self._screen.say("Give up the game and lose all your dice? Type yes to do it.")
                self._want_line()
            case _:
                self._show(word)
        return None

    def _show(self, word: str) -> None:
        """Answer a word that changes nothing at the table."""
        assert self._game is not None
        match word:
            case "help":
                self._screen.help(self._game.view)
            case "odds":
                self._screen.odds = not self._screen.odds
                self._screen.say("Odds are shown." if self._screen.odds else "Odds are hidden.")
                if self._screen.odds:
                    self._screen.show_odds(self._game.view)
            case "look":
                self._screen.table(self._game)
                self._screen.awaited(self._game)
            case _:
                self._screen.say("I don't understand that. Type ? to see what you can type.")
        self._again()

    async def _forfeit(self, answer: str) -> None:
        self._forfeiting = False
        if answer.strip().lower() in {"y", "yes"}:
            await self._carried_out(self._table.forfeit())
        else:
            self._screen.say("You play on.")
            self._again()

    async def _carried_out(self, command: Awaitable[Done]) -> bool:
        """Whether a command was carried out; if not, the player reads why."""
        if not self._is_connected and self._bot is None:
            self._screen.say("The server is away. This is sent once it is back.", "yellow")
        try:
            await command
        except Refused as refusal:
            # For a bot these mean that a newer update is on its way, and it decides anew.
            if self._bot is None or refusal.reason not in {"VERSION_MOVED", "NOT_YOUR_TURN"}:
                self._screen.refused(refusal)
            self._again()
            return False
        except Unreachable as failure:
            self._screen.say(str(failure), "red")
            self._again()
            if self._bot is not None:
                await self._inbox.put(_TryAgain())
            return False
        return True

    def _again(self) -> None:
        """Ask for another line, because the last one did not end the turn."""
        if self._is_turn or (self._game is not None and self._game.view.phase == "gathering"):
            self._want_line()
        else:
            self._screen.prompt()

    def _warn_at(self, due: int | None) -> None:
        """Remind the player shortly before the time is up."""
        if self._warning is not None:
            self._warning.cancel()
            self._warning = None
        if due is not None and self._bot is None and (wait := due / 1000 - time.time() - WARNING_SECONDS) > 0:
            self._warning = asyncio.get_running_loop().call_later(wait, self._warn)

    def _warn(self) -> None:
        self._screen.say(f"{WARNING_SECONDS} seconds left.", "yellow")
        self._screen.prompt()
