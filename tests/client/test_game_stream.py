"""Connections that break and servers that die: the client gets every event once, and no command is done twice."""

import asyncio
import signal
from random import Random

import pytest

from domain.events import BidPlaced
from domain.options import Options
from services.app.settings import Settings
from services.app.wiring import Serving
from services.client import Client, Done, Happened, Patience, Update
from tests.client.players import play_on
from tests.client.proxies import Proxy
from tests.infra.postgres.databases import new_database
from tests.servers import SECONDS_MAX, ServerProcess, served, server_process

QUICK = Patience(try_seconds=2, pause_seconds_min=0.01, pause_seconds_max=0.2)


async def stored_up_to(server: Serving, game_id: str, version: int) -> None:
    while (await server.host.games.load(game_id))[1] < version:  # noqa: ASYNC110 - the store is asked as another process would ask it
        await asyncio.sleep(0.01)


async def bid_with_a_lost_answer(url: str) -> tuple[Done, list[object]]:
    async with served(url) as server, Proxy.to(server.address) as proxy, Client.connect(proxy.address) as ann:
        await ann.register("Ann")
        table = await ann.create("pirates")
        await table.add_bot("bluffing")
        await table.start()
        async for update in table.watch():
            view = update.game.view
            if view.phase == "bidding" and view.viewer in view.waiting:
                break
        lowest = view.moves.lowest_bids[0]
        proxy.swallowing = True
        bidding = asyncio.create_task(table.bid(lowest.quantity, lowest.face))
        await stored_up_to(server, table.game_id, update.game.version + 1)
        assert not bidding.done()
        proxy.swallowing = False
        proxy.cut()
        done = await bidding
        events = await server.host.games.events(table.game_id, update.game.version)
        return done, [event for event in events if isinstance(event, BidPlaced) and event.seat == view.viewer]


def test_a_command_whose_answer_was_lost_is_made_again_and_not_done_twice() -> None:
    done, bids = asyncio.run(bid_with_a_lost_answer(new_database()))

    assert done.repeated
    assert bids[:1] == [done.events[0].event]
    assert len({(bid.quantity, bid.face) for bid in bids if isinstance(bid, BidPlaced)}) == len(bids)


async def game_over_a_bad_network(url: str) -> tuple[list[Update], int, int]:
    """A game with a connection that is cut again and again; returns what came, what is stored, and the connections."""
    told, chance = list[Update](), Random(5)
    async with served(url, Settings(bot_seconds=0.02)) as server, Proxy.to(server.address) as proxy:

        async def cutting() -> None:
            while True:
                await asyncio.sleep(chance.uniform(0.05, 0.3))
                proxy.cut()

        async with Client.connect(proxy.address, patience=QUICK) as ann:
            await ann.register("Ann")
            table = await ann.create("bidding-track")
            for _ in range(3):
                await table.add_bot("bluffing")
            await table.start()
            cutter = asyncio.create_task(cutting())
            async for update in table.watch(after=0):
                told.append(update)
                await play_on(table, update, "calculating", chance)
            cutter.cancel()
            return told, len(await server.host.games.events(table.game_id)), proxy.connections


def test_a_game_that_is_watched_over_a_bad_network_has_no_gap_and_no_duplicate() -> None:
    told, stored, connections = asyncio.run(game_over_a_bad_network(new_database()))

    assert connections > 3, "the network was not bad enough to prove anything"
    assert [one.version for update in told for one in update.events] == list(range(1, stored + 1))
    assert all(update.events[-1].version == update.game.version for update in told if update.events)


class EndedAgain:
    """Ends a server and starts it again in the middle of the rounds."""

    def __init__(self, server: ServerProcess, number: signal.Signals) -> None:
        self.server, self.number, self.rounds = server, number, set[int]()

    async def look(self, update: Update) -> None:
        view = update.game.view
        if view.round is not None and view.bids and view.round.number in {1, 4} - self.rounds:
            self.rounds.add(view.round.number)
            await asyncio.to_thread(self.server.end, self.number)
            await asyncio.to_thread(self.server.start)


async def game_with_a_server_that_ends(server: ServerProcess, number: signal.Signals) -> tuple[list[Happened], int]:
    told, lines, ending = list[Happened](), list[bool](), EndedAgain(server, number)
    async with asyncio.timeout(SECONDS_MAX), Client.connect(server.address, patience=QUICK) as ann:
        await ann.register("Ann")
        table = await ann.create("pirates", options=Options(dice_each=3))
        for _ in range(2):
            await table.add_bot("cautious")
        await table.start()
        async for update in table.watch(after=0, on_connection=lines.append):
            told += update.events
            # The turn comes first: the server ends while the command, or what follows it, is on its way.
            await asyncio.gather(play_on(table, update, "cautious", Random(1)), ending.look(update))
        assert ending.rounds, "the server was not ended"
        assert lines[:3] == [True, False, True]
        return told, (await table.game()).version


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_game_goes_on_without_gap_or_duplicate_when_the_server_is_ended_in_the_middle_of_rounds(
    number: signal.Signals,
) -> None:
    with server_process(bot_seconds=0.05) as server:
        told, version = asyncio.run(game_with_a_server_that_ends(server, number))

    assert [one.version for one in told] == list(range(1, version + 1))
