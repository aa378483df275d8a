"""Whole games over the client library: players see what the core makes of the stored events."""

import asyncio
from random import Random

import pytest

from domain.events import AnyEvent, DiceRerolled
from domain.evolve import fold
from domain.fairness.chain import LINK_LENGTH, Chain, make_chain
from domain.fairness.verification import verify
from domain.history.recording import record_of
from domain.options import Options
from domain.rulebooks import BOOKS
from domain.state import NOTHING
from domain.views import seen_by, view
from services.bots import BOTS
from services.client import Client, Game, Happened, Refused, Table
from tests.client.players import play_to_the_end
from tests.servers import run, served

OPTIONS = {"bidding-track": Options(chips=True), "single-hand": Options(wild_aces=True, dice_each=3)}


async def game_of_three(rulebook: str) -> tuple[Table, list[tuple[Happened, ...]], tuple[AnyEvent, ...]]:
    """A game of three clients: the first table handle, what each client received, and what is stored."""
    async with served() as server:
        clients = [Client.connect(server.address) for _ in BOTS]
        for client, name in zip(clients, BOTS, strict=True):
            await client.register(name.title())
        tables = [await clients[0].create(rulebook, options=OPTIONS.get(rulebook, Options()))]
        tables += [await client.join(tables[0].game_id) for client in clients[1:]]
        async with asyncio.TaskGroup() as group:
            playing = [
                group.create_task(play_to_the_end(table, name, seed))
                for seed, (table, name) in enumerate(zip(tables, BOTS, strict=True))
            ]
            await tables[0].start()
        stored = await server.host.games.events(tables[0].game_id)
        game = await tables[0].game()
        assert game.view == view(fold(stored, NOTHING), 0)
        assert game.version == len(stored)
        for client in clients:
            await client.close()
        return tables[0], [task.result() for task in playing], stored


async def game_with_a_chain_of_ones_own() -> tuple[AnyEvent, ...]:
    """A game against a bot in which the client brings each link, also for rerolls; returns what it received."""
    told, chance = list[AnyEvent](), Random(3)
    async with served() as server, Client.connect(server.address) as ann:
        await ann.register("Ann")
        table = await ann.create("bidding-track", without_seat=True)
        chain = make_chain(chance.randbytes(LINK_LENGTH), table.game_id, (await table.game()).chain_length)
        await ann.join(table.game_id, anchor=chain.anchor)
        await table.add_bot("bluffing")
        await table.start()
        async for update in table.watch(after=0):
            told += [one.event for one in update.events]
            try:
                await move(table, update.game, chain)
            except Refused as refusal:
                # The server rolled for the bot, or the bot moved, before this came; the next update tells what to do.
                if refusal.reason != "VERSION_MOVED":
                    raise
        return tuple(told)


async def move(table: Table, game: Game, chain: Chain) -> None:
    """Roll, bid, reroll where that is allowed, and doubt the fifth bid."""
    view, version = game.view, game.version
    if view.moves.roll:
        await table.roll(link=chain.link(game.link_number), expected_version=version)
    if view.phase != "bidding" or view.viewer is None:
        return
    hidden, link = view.seats[view.viewer].hidden or (), chain.link(game.link_number)
    if view.moves.show_now and len(view.bids) == 1:
        await table.show_and_reroll(hidden[:1], link=link, expected_version=version)
    elif view.viewer in view.waiting and len(view.bids) > 4:
        await table.challenge(expected_version=version)
    elif view.viewer in view.waiting:
        bid, shown = view.moves.lowest_bids[0], hidden[:1] if view.moves.show_max and view.bids else ()
        await table.bid(bid.quantity, bid.face, shown, link=link, expected_version=version)


def test_a_player_who_keeps_the_chain_brings_every_link() -> None:
    told = run(game_with_a_chain_of_ones_own())

    assert [event for event in told if isinstance(event, DiceRerolled) and event.seat == 0]
    assert record_of(told).winner is not None
    assert verify(seen_by(event, None) for event in told).holds


@pytest.mark.parametrize("rulebook", [book.id for book in BOOKS])
def test_a_whole_game_is_told_to_each_seat_as_the_core_has_it(rulebook: str) -> None:
    _, told, stored = run(game_of_three(rulebook))

    for seat, events in enumerate(told):
        assert [one.version for one in events] == list(range(1, len(stored) + 1))
        assert [one.event for one in events] == [seen_by(event, seat) for event in stored]
        assert record_of(one.event for one in events) == record_of(stored)
    assert record_of(stored).winner is not None
    assert verify(seen_by(one.event, None) for one in told[0]).holds
