"""A bot that plays from outside, over the public contract alone: `python examples/bot_client.py [HOST:PORT]`.

It sits down at the first open table, or sets one up for itself and a bot of the server, and plays the game to its end.
A lost connection, a restarted server or a clock that ran out are nothing that it has to know about. It brings its own
chain, so the server can't choose its dice, and stops if the dice do not follow from the links.
"""

import asyncio
import os
import sys

from domain.history.odds import chance_of_bid
from domain.views import GameView
from services.client import Client, Game, Refused, SeatKeeper, Table

SERVER = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("LIARSDICE_SERVER", "127.0.0.1:50051")


async def find_table(client: Client) -> Table:
    """A table to play at."""
    async for listed in client.games(joinable=True):
        return await client.join(listed.game_id)
    table = await client.create("pirates")
    await table.add_bot("calculating")
    await table.start()
    return table


async def move(table: Table, game: Game) -> None:
    """Doubt what is less likely than one in three, else make the likeliest bid."""
    view: GameView = game.view
    likeliest = max(view.moves.lowest_bids, key=lambda bid: chance_of_bid(view, bid), default=None)
    try:
        if likeliest is None or (view.bids and chance_of_bid(view, view.bids[-1].bid) < 1 / 3):
            await table.challenge(expected_version=game.version)
        else:
            await table.bid(likeliest.quantity, likeliest.face, expected_version=game.version)
    except Refused as refusal:
        if refusal.reason != "VERSION_MOVED":  # The game has moved on: the next update asks again if need be.
            raise


async def main() -> None:
    """Play one game."""
    async with Client.connect(SERVER, seats=SeatKeeper()) as client:
        await client.register("Outsider")
        table = await find_table(client)
        async for update in table.watch():
            view = update.game.view
            if view.phase == "bidding" and view.viewer in view.waiting:
                await move(table, update.game)
        places = [", ".join(view.seats[seat].name for seat in place) for place in view.places]
        print("; ".join(f"{number}. {names}" for number, names in enumerate(places, 1)))


if __name__ == "__main__":
    asyncio.run(main())
