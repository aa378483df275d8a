"""A whole game in forty lines: run `liarsdice serve`, and then `python examples/minimal_client.py [HOST:PORT]`.

It sets up a table with two bots, bids as low as it can, and doubts as soon as there are three bids.
"""

import asyncio
import os
import sys

from services.client import Client, Game, Table

SERVER = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("LIARSDICE_SERVER", "127.0.0.1:50051")
BIDS_MAX = 3


async def move(table: Table, game: Game) -> None:
    """Doubt or bid, as the game allows it."""
    moves = game.view.moves
    if len(game.view.bids) >= BIDS_MAX:
        await table.challenge()
    else:
        lowest = min(moves.lowest_bids, key=lambda bid: (bid.quantity, bid.face))
        await table.bid(lowest.quantity, lowest.face)


async def main() -> None:
    """Play one game."""
    async with Client.connect(SERVER) as client:
        await client.register("Minimal")
        table = await client.create("bidding-track")
        await table.add_bot("cautious")
        await table.add_bot("bluffing")
        await table.start()
        async for update in table.watch():
            view = update.game.view
            if view.phase == "bidding" and view.viewer in view.waiting:
                await move(table, update.game)
        assert view.winner is not None
        print(f"{view.seats[view.winner].name} won after {update.game.version} events")


if __name__ == "__main__":
    asyncio.run(main())
