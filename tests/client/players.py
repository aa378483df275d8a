"""Players for tests: bots that play over the client library, and what they received."""

from random import Random

from services.bots import BOTS, Doubt, Raise
from services.client import Happened, Moves, Refused, Table, Update


async def play_on(table: Moves, update: Update, strategy: str, chance: Random) -> None:
    """Move if it is this player's turn."""
    view, version = update.game.view, update.game.version
    if view.phase != "bidding" or view.viewer not in view.waiting:
        return
    try:
        match BOTS[strategy](view, chance):
            case Raise(bid=bid, shown=shown):
                await table.bid(bid.quantity, bid.face, shown, expected_version=version)
            case Doubt():
                await table.challenge(expected_version=version)
    except Refused as refusal:
        # A bot may be told of its turn a second time, by an update that came while it moved.
        if refusal.reason != "VERSION_MOVED":
            raise


async def play_to_the_end(table: Table, strategy: str, seed: int) -> tuple[Happened, ...]:
    """Play until the game is over; returns what the client received on the way."""
    chance, told = Random(seed), list[Happened]()
    async for update in table.watch(after=0):
        told += update.events
        await play_on(table, update, strategy, chance)
    return tuple(told)
