"""Counts commands: what they asked for, how they ended, and how long they took."""

import time
from collections import Counter
from collections.abc import Awaitable
from itertools import product

from domain.refusals import Refusal
from infra.tally import SECONDS, Spread
from services.tables.application import Executed
from services.tables.moves import (
    Abandon,
    Doubt,
    GiveUp,
    LeaveTable,
    MakeBid,
    Move,
    RemoveBot,
    RollDice,
    RunOut,
    ShowDice,
    Start,
)

OF_MOVES: dict[type[Move], str] = {
    Start: "start",
    RollDice: "roll",
    MakeBid: "bid",
    ShowDice: "show_and_reroll",
    Doubt: "challenge",
    GiveUp: "forfeit",
    LeaveTable: "leave",
    RemoveBot: "remove_bot",
    Abandon: "abandon",
    RunOut: "time_out",
}
KINDS = ("create", "join", "add_bot", "rematch", "fork", *OF_MOVES.values())
OUTCOMES = ("accepted", "repeated", "refused", "failed")
"""A command is repeated if the same request was carried out before, and failed if it is unknown whether it was stored."""


class CommandTally:
    """The commands of a process so far."""

    def __init__(self) -> None:
        # With all zeros: Prometheus takes no notice of the step from nothing to one.
        self.ended: Counter[tuple[str, str]] = Counter(dict.fromkeys(product(KINDS, OUTCOMES), 0))
        self.seconds = Spread(SECONDS)

    async def counted(self, kind: str, command: Awaitable[Executed]) -> Executed:
        """Carry out a command, and count it. One whose caller has gone away counts as nothing."""
        began = time.monotonic()
        try:
            executed = await command
        except Exception as error:
            self._count(kind, "refused" if isinstance(error, Refusal) else "failed", began)
            raise
        self._count(kind, "repeated" if executed.repeated else "accepted", began)
        return executed

    async def counted_move(self, move: Move, command: Awaitable[Executed]) -> Executed:
        """Make a move, and count it by its kind."""
        return await self.counted(OF_MOVES[type(move)], command)

    def _count(self, kind: str, outcome: str, began: float) -> None:
        self.ended[kind, outcome] += 1
        self.seconds.add(time.monotonic() - began)
