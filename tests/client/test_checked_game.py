"""Servers that lie, from the start or later: the client finds out each, and sends it no link that was not due."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from liarsdice.v1 import game_pb2

from domain.events import AnyEvent, GameCreated, PlayerJoined, RollCalled
from domain.fairness.chain import hashed
from domain.options import Options
from services.client import Client, FalseServer, SeatKeeper, Sent, Table
from tests.client.liars import Liar, Lie
from tests.client.players import play_on
from tests.servers import run, served

OTHER = b"\x01" * 32
LINKS_MAX = 70


def told(events: Any, kind: str) -> list[Any]:
    return [getattr(event, kind) for event in events if event.WhichOneof("event") == kind]


def number_too_high(game: game_pb2.Game, events: Any) -> None:
    for called in told(events, "roll_called"):
        called.call += 1
    game.link_number += 1 if game.link_number else 0


def number_too_high_from_the_second_call_on(game: game_pb2.Game, events: Any) -> None:
    for called in told(events, "roll_called"):
        called.call += 1 if called.call > 1 else 0
    game.link_number += 1 if game.link_number > 1 else 0


def number_too_low(game: game_pb2.Game, events: Any) -> None:
    for called in told(events, "roll_called"):
        called.call = 1
    game.link_number = 1 if game.link_number else 0


def more_numbers_set_aside(_game: game_pb2.Game, events: Any) -> None:
    for called in told(events, "roll_called"):
        called.calls += 3


def another_number_than_the_events_have(game: game_pb2.Game, _events: Any) -> None:
    game.link_number += 5


def dice_other_than_dealt(game: game_pb2.Game, events: Any) -> None:
    for dealt in told(events, "dice_dealt"):
        for hand in dealt.hands:
            hand.dice[:] = [7 - die for die in hand.dice]
    for seat in game.view.seats:
        if seat.HasField("hidden"):
            seat.hidden.dice[:] = [7 - die for die in seat.hidden.dice]


def dice_shown_other_than_told(game: game_pb2.Game, _events: Any) -> None:
    for seat in game.view.seats:
        if seat.HasField("hidden"):
            seat.hidden.dice[:] = [7 - die for die in seat.hidden.dice]


def chain_of_the_servers(game: game_pb2.Game, events: Any) -> None:
    for joined in told(events, "player_joined"):
        if joined.name == "Ann":
            joined.anchor, joined.chain_held_by = OTHER, game_pb2.CHAIN_HELD_BY_SERVER
    for seat in game.view.seats:
        if seat.name == "Ann":
            seat.chain_held_by = game_pb2.CHAIN_HELD_BY_SERVER


def no_signing_key(_game: game_pb2.Game, events: Any) -> None:
    for joined in told(events, "player_joined"):
        joined.ClearField("signing_key")


def another_game(_game: game_pb2.Game, events: Any) -> None:
    for created in told(events, "game_created"):
        created.game_id = "another"


def another_anchor_of_the_server(_game: game_pb2.Game, events: Any) -> None:
    for created in told(events, "game_created"):
        created.fairness.server_anchor = OTHER


def another_die_at_the_reveal(_game: game_pb2.Game, events: Any) -> None:
    for lifted in told(events, "cups_lifted"):
        lifted.deals[0].hands[1].dice[0] = 7 - lifted.deals[0].hands[1].dice[0]


def sent_and_due(liar: Liar, events: tuple[AnyEvent, ...]) -> tuple[list[int], set[int]]:
    """The numbers of the links that a liar was sent, and those that the true server has called for."""
    (created,) = (event for event in events if isinstance(event, GameCreated))
    (anchor,) = (event.anchor for event in events if isinstance(event, PlayerJoined) and event.name == "Ann")
    numbers = [_number(link, anchor, created.game_id) for link in liar.links]
    return numbers, {event.call for event in events if isinstance(event, RollCalled)}


def _number(link: bytes, anchor: bytes, game_id: str) -> int:
    """How many steps lead from a link to the anchor."""
    for number in range(1, LINKS_MAX + 1):
        link = hashed(link, game_id)
        if link == anchor:
            return number
    raise AssertionError("a link of no chain")


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
    [
        (number_too_high, "The next call has the number 1"),
        (number_too_high_from_the_second_call_on, "The next call has the number"),
        (number_too_low, "The next call has the number"),
        (more_numbers_set_aside, "sets aside the numbers of 1 calls"),
        (another_number_than_the_events_have, "it asks for link"),
        (dice_other_than_dealt, "The deal itself showed something else"),
        (dice_shown_other_than_told, "it shows the table otherwise"),
        (chain_of_the_servers, "your seat does not have the chain"),
        (no_signing_key, "your seat does not have the chain and the key"),
        (another_game, "it sends events of the game another"),
        (another_anchor_of_the_server, "The link does not lead"),
        (another_die_at_the_reveal, "The links make"),
    ],
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
