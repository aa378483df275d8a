"""Servers that lie, from the start or later: the client finds out each, and sends it no link that was not due."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from liarsdice.v1 import game_pb2

from domain.options import Options
from services.client import Client, FalseServer, SeatKeeper, Sent, Table
from tests.client.liars import Liar, Lie
from tests.client.lies import LIES, another_anchor_of_the_server, another_die_at_the_reveal, sent_and_due
from tests.client.players import play_on
from tests.servers import run, served


async def played(table: Table) -> None:
    async for update in table.watch():
        await play_on(table, update, "calculating", Random(1))


async def played_on_one_call(client: Client, table: Table) -> None:
    async with client.play() as play:
        play.watch(table.game_id)
        async for update in play:
            await play_on(play.moves(table.game_id), update, "calculating", Random(1))


async def found_out(lie: Lie, *, one_call: bool) -> tuple[FalseServer, list[int], set[int]]:
    """What is said about a server that lies from the start of a game, and what it was sent."""
    async with (
        served() as server,
        Liar.before(server.address) as liar,
        Client.connect(liar.address, seats=SeatKeeper()) as ann,
    ):
        await ann.register("Ann")
        table = await ann.create("pirates", options=Options(dice_each=2), sign_moves=True)
        await table.add_bot("cautious")
        await table.start()
        liar.lie = lie
        with pytest.raises(FalseServer) as false:
            await (played_on_one_call(ann, table) if one_call else played(table))
        with pytest.raises(FalseServer):
            await table.roll()
        return false.value, *sent_and_due(liar, await server.host.games.events(table.game_id))


@pytest.mark.parametrize("one_call", [False, True])
@pytest.mark.parametrize(
    ("lie", "sentence"),
    LIES,
)
def test_a_server_that_lies_is_found_out_and_gets_no_link_that_is_not_due(
    lie: Lie, sentence: str, *, one_call: bool
) -> None:
    false, sent, due = run(found_out(lie, one_call=one_call))

    assert sentence in str(false)
    assert set(sent) <= due


async def opened(client: Client, options: Options = Options(opener=0)) -> Table:  # noqa: B008 - a value
    """A game in which the dice of the first round lie under the cups, and the server has revealed no link yet."""
    table = await client.create("single-hand", options=options)
    await table.add_bot("cautious")
    await table.start()
    async for update in table.watch():
        if update.game.view.phase == "bidding":
            return table
    raise AssertionError


async def after_a_restart(folder: Path, spoil: Callable[[SeatKeeper, Liar, str, str], None]) -> FalseServer:
    """What a client says if it restarts in the middle of a round, and the server has begun to lie meanwhile."""
    keeper = SeatKeeper(folder)
    async with served() as server, Liar.before(server.address) as liar:
        async with Client.connect(liar.address, seats=keeper) as ann:
            player = await ann.register("Ann")
            table = await opened(ann)
        spoil(keeper, liar, player.player_id, table.game_id)
        sent_before = len(liar.links)
        async with Client.connect(liar.address, ann.token, seats=SeatKeeper(folder)) as again:
            with pytest.raises(FalseServer) as false:
                await played(again.table(table.game_id))
        assert len(liar.links) == sent_before
        return false.value


def test_after_a_restart_anchors_must_be_those_that_were_told_before(tmp_path: Path) -> None:
    def spoil(_keeper: SeatKeeper, liar: Liar, _player_id: str, _game_id: str) -> None:
        liar.lie = another_anchor_of_the_server

    false = run(after_a_restart(tmp_path, spoil))

    assert "another past than before" in str(false)


def test_after_a_restart_no_link_is_sent_for_a_number_below_the_highest_that_was_sent(tmp_path: Path) -> None:
    def spoil(keeper: SeatKeeper, liar: Liar, player_id: str, game_id: str) -> None:
        kept = keeper.find(liar.address, player_id, game_id)
        assert kept is not None
        keeper.note(kept, Sent(60, 1_000, bytes(32)))

    false = run(after_a_restart(tmp_path, spoil))

    assert "after link 60 was sent" in str(false)


def test_what_was_told_once_must_be_the_same_when_it_is_told_again() -> None:
    async def story() -> None:
        async with (
            served() as server,
            Liar.before(server.address) as liar,
            Client.connect(liar.address, seats=SeatKeeper()) as ann,
        ):
            await ann.register("Ann")
            table = await opened(ann)
            assert (await table.check_dice()).holds
            liar.lie = another_anchor_of_the_server
            with pytest.raises(FalseServer, match="event 1 is not the one that it sent before"):
                await table.check_dice()

    run(story())


def test_a_table_whose_chains_have_another_length_than_its_rules_say_is_not_joined() -> None:
    def longer(game: game_pb2.Game, _events: Any) -> None:
        game.chain_length += 1

    async def story() -> None:
        async with (
            served() as server,
            Liar.before(server.address) as liar,
            Client.connect(liar.address, seats=SeatKeeper()) as ann,
        ):
            await ann.register("Ann")
            liar.lie = longer
            with pytest.raises(FalseServer, match="its chains have"):
                await ann.create("pirates")

    run(story())


def test_a_spectator_finds_false_dice_too() -> None:
    async def story() -> None:
        async with (
            served() as server,
            Liar.before(server.address) as liar,
            Client.connect(liar.address) as ann,
            Client.connect(liar.address) as bob,
        ):
            await ann.register("Ann")
            await bob.register("Bob")
            table = await ann.create("pirates", options=Options(dice_each=2))
            await table.add_bot("cautious")
            await table.start()
            await played(table)
            assert (await bob.table(table.game_id).check_dice()).dice > 0
            liar.lie = another_die_at_the_reveal
            with pytest.raises(FalseServer, match="The links make"):
                await bob.table(table.game_id).check_dice()

    run(story())
