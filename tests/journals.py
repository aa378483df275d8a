"""Players who note what they were answered and when, so that a test can ask a store for it later."""

import asyncio
import time
from itertools import count
from typing import Any

from msgspec import Struct

from tests.rpc.clients import Client
from tests.rpc.servers import METHODS, Player, Server


class Answered(Struct, frozen=True):
    """A command that a server has accepted."""

    sent: float
    answered: float
    method: str
    fields: dict[str, Any]
    token: str
    game_id: str
    version: int
    digest: bytes


class Journal(list[Answered]):
    """Everything that the players of a test were answered."""

    def before(self, moment: float) -> list[Answered]:
        """What was answered before a moment, and so must have been stored by then."""
        return [one for one in self if one.answered < moment]

    def after(self, moment: float) -> list[Answered]:
        """What was sent after a moment, and so can't have been stored by then."""
        return [one for one in self if one.sent > moment]


class NotingPlayer(Player):
    """A player who notes each accepted command."""

    def __init__(self, player: Player, journal: Journal) -> None:
        super().__init__(player.channel, player.token, player.player_id)
        self._journal, self._numbers = journal, count()

    async def ask(self, method: str, **fields: Any) -> Any:
        """The answer to a call, noted if it is that to a command."""
        if "request_id" in METHODS[method][1].input_type.fields_by_name:
            fields.setdefault("request_id", f"{method}-{self.player_id}-{next(self._numbers)}")
        sent = time.time()
        answer = await super().ask(method, **fields)
        done = answer.result if "result" in answer.DESCRIPTOR.fields_by_name else getattr(answer, "game", None)
        if "request_id" in fields and done is not None:
            game_id = fields.get("game_id") or answer.game.view.game_id
            told = (method, fields, self.token, game_id, done.version, done.digest)
            self._journal.append(Answered(sent, time.time(), *told))
        return answer


class Evening:
    """Pairs of players who play one game after another until they are told to stop."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.ended: list[str] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def begin(self, server: Server, pairs: int) -> None:
        """Let pairs of new players begin to play."""
        for number in range(pairs):
            pair = [NotingPlayer(player, self.journal) for player in await server.players(2)]
            self._tasks.append(asyncio.create_task(self._play(server, pair, number)))

    async def stop(self) -> None:
        """Stop where they are, in the middle of their games."""
        for task in self._tasks:
            task.cancel()
        for ended in await asyncio.gather(*self._tasks, return_exceptions=True):
            assert isinstance(ended, asyncio.CancelledError), ended

    async def more(self, *, commands: int = 0, games: int = 0) -> None:
        """Wait until so many more commands were answered and so many more games have ended."""
        wanted = len(self.journal) + commands, len(self.ended) + games
        while (len(self.journal), len(self.ended)) < wanted or len(self.ended) < wanted[1]:
            for task in self._tasks:
                assert not task.done(), task.exception()
            await asyncio.sleep(0.01)

    async def _play(self, server: Server, pair: list[NotingPlayer], number: int) -> None:
        for seed in count(number * 1_000):
            game_id = await server.table([*pair])
            playing = [asyncio.create_task(Client(player, game_id, seed + at).play()) for at, player in enumerate(pair)]
            try:
                await pair[0].ask("StartGame", game_id=game_id, opener=0)
                await asyncio.gather(*playing)
            finally:
                for task in playing:
                    task.cancel()
            self.ended.append(game_id)
