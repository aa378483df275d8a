"""Players who keep their own chains: the library rolls, signs and checks, and goes on after a restart."""

import asyncio
from itertools import groupby
from pathlib import Path
from random import Random

import pytest

from domain.events import (
    AnyEvent,
    BidChallenged,
    BidPlaced,
    CupsLifted,
    DiceRerolled,
    OpeningDiceRolled,
    PlayerForfeited,
    PlayerJoined,
    Rolled,
)
from domain.fairness.verification import verify
from domain.options import Options
from domain.rulebooks import BOOKS
from domain.views import seen_by
from infra.events.mapping import EventMapper, EventTranscoder
from services.app.wiring import Serving
from services.bots import BOTS
from services.client import Client, Patience, SeatKeeper, Table, Update, seat
from services.client.channel import Channel
from services.client.game_stream import whole_game
from tests.client.liars import Liar
from tests.client.players import play_on, play_to_the_end
from tests.servers import KEYS, SECONDS_MAX, ServerProcess, run, served, server_process

MOVES = (Rolled, BidPlaced, DiceRerolled, BidChallenged, PlayerForfeited)
OPTIONS = Options(dice_each=3)


async def registered(address: str, name: str, keeper: SeatKeeper | None) -> Client:
    client = Client.connect(address, seats=keeper)
    await client.register(name)
    return client


async def own_turn(table: Table) -> Update:
    async for update in table.watch():
        if update.game.view.phase == "bidding" and update.game.view.viewer in update.game.view.waiting:
            return update
    raise AssertionError


async def signed_moves(server: Serving, game_id: str) -> list[tuple[AnyEvent, bool]]:
    mapper = EventMapper(EventTranscoder(KEYS, must_open=True))
    stored = [mapper.to_domain_event(one) for one in await server.host.games.stored(game_id)]
    return [(one.event, one.signed is not None) for one in stored if isinstance(one.event, MOVES)]


async def game_of_keepers(rulebook: str, folder: Path) -> tuple[list[AnyEvent], list[tuple[AnyEvent, bool]]]:
    """A game in which all three players bring chains and sign, each with as few lines of code as possible."""
    async with served() as server:
        clients = [await registered(server.address, name.title(), SeatKeeper(folder / name)) for name in BOTS]
        table = await clients[0].create(rulebook, options=OPTIONS, sign_moves=True)
        tables = [table, *[await client.join(table.game_id, sign_moves=True) for client in clients[1:]]]
        assert all([await each.keeps_chain() for each in tables])
        async with asyncio.TaskGroup() as group:
            playing = [
                group.create_task(play_to_the_end(each, name, seed))
                for seed, (each, name) in enumerate(zip(tables, BOTS, strict=True))
            ]
            await table.start()
        assert not (await table.check_dice()).failures
        for client in clients:
            await client.close()
        told = [one.event for one in playing[0].result()]
        return told, await signed_moves(server, table.game_id)


@pytest.mark.parametrize("rulebook", [book.id for book in BOOKS])
def test_a_whole_game_in_which_all_bring_chains_and_sign(rulebook: str, tmp_path: Path) -> None:
    told, moves = run(game_of_keepers(rulebook, tmp_path))

    findings = verify(seen_by(event, None) for event in told)
    assert findings.holds
    assert findings.held_by_server == ()
    assert {event.signing_key is not None for event in told if isinstance(event, PlayerJoined)} == {True}
    unsigned = [event for event, signed in moves if not signed]
    assert all(isinstance(event, DiceRerolled) for event in unsigned), "a reroll is signed with its bid"
    assert not list(tmp_path.rglob("*.seat")), "the secrets of what is over are forgotten"
    assert len(list(tmp_path.rglob("*.played"))) == len(BOTS), "what a proof must agree with is remembered"


def test_a_move_does_not_make_its_seat_read_the_whole_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = list[str]()

    async def counted(channel: Channel, game_id: str, code: str = "") -> Update:
        reads.append(game_id)
        return await whole_game(channel, game_id, code)

    monkeypatch.setattr(seat, "whole_game", counted)
    told, moves = run(game_of_keepers("single-hand", tmp_path))

    # At the start, in the end, and now and then because somebody else rolled meanwhile.
    rolls = sum(isinstance(event, Rolled) for event in told)
    assert len(reads) <= 4 + rolls < len(moves)


async def over_one_call(rulebook: str) -> list[Update]:
    """A game against bots over a Play call, with a chain that is kept in memory and signed moves."""
    told, chance = list[Update](), Random(2)
    async with served() as server, Client.connect(server.address) as ann:
        await ann.register("Ann")
        table = await ann.create(rulebook, options=OPTIONS, own_chain=True, sign_moves=True)
        await table.add_bot("bluffing")
        async with ann.play() as play:
            play.watch(table.game_id, after=0)
            await play.moves(table.game_id).start()
            async for update in play:
                told.append(update)
                if update.game.view.phase == "ended":
                    return told
                await play_on(play.moves(table.game_id), update, "bluffing", chance)
    raise AssertionError


@pytest.mark.parametrize("rulebook", ["bidding-track", "pirates"])
def test_over_one_call_the_seat_rolls_by_itself_and_each_round_says_what_its_dice_prove(rulebook: str) -> None:
    told = run(over_one_call(rulebook))

    laid_open = 0
    for update in told:
        lifted = [one.event for one in update.events if isinstance(one.event, CupsLifted)]
        rolled = [one.event for one in update.events if isinstance(one.event, OpeningDiceRolled)]
        laid_open += sum(len(hand) for event in lifted for deal in event.deals for hand in deal.hands)
        laid_open += sum(len(roll.dice) for event in rolled for roll in event.rolls)
        if lifted:
            assert update.proven is not None
            assert (update.proven.dice, update.proven.held_by_server) == (laid_open, (1,))
    assert laid_open


def test_whoever_begins_again_with_the_same_keeper_plays_on(tmp_path: Path) -> None:
    """Each round is played by a new client; what it knows of the seat is in the folder."""

    async def story() -> None:
        async with served() as server:
            ann = await registered(server.address, "Ann", SeatKeeper(tmp_path))
            clients = 0
            while clients <= 5:  # The dice may end a game early; then another one follows.
                table = await ann.create("bidding-track", options=OPTIONS, sign_moves=True)
                await table.add_bot("cautious")
                await table.start()
                while (await table.game()).view.phase != "ended":
                    await ann.close()
                    ann, clients = Client.connect(ann.address, ann.token, seats=SeatKeeper(tmp_path)), clients + 1
                    table = ann.table(table.game_id)
                    async for update in table.watch():
                        await play_on(table, update, "cautious", Random(1))
                        if any(isinstance(one.event, BidPlaced | Rolled) for one in update.events):
                            break
                assert (await table.check_dice()).held_by_server == (1,)
            await ann.close()

    run(story())


QUICK = Patience(try_seconds=1, total_seconds=2, pause_seconds_min=0.01, pause_seconds_max=0.05)


def test_a_link_that_was_sent_and_not_taken_is_sent_again_after_a_restart_and_no_other(tmp_path: Path) -> None:
    async def story() -> None:
        async with served() as server, Liar.before(server.address) as liar:
            liar.deaf_to = "Roll"
            ann = Client.connect(liar.address, patience=QUICK, seats=SeatKeeper(tmp_path))
            await ann.register("Ann")
            table = await ann.create("pirates", options=OPTIONS)
            await table.add_bot("cautious")
            await table.start()
            rolling = asyncio.create_task(own_turn(table))
            while len(liar.links) < 3:  # noqa: ASYNC110 - a server tells nobody what it was sent
                await asyncio.sleep(0.01)
            rolling.cancel()
            await ann.close()
            assert len(set(liar.links)) == 1

            liar.deaf_to = ""
            async with Client.connect(liar.address, ann.token, seats=SeatKeeper(tmp_path)) as again:
                before = len(liar.links)
                told = await play_to_the_end(again.table(table.game_id), "cautious", 1)
                assert liar.links[before] == liar.links[0]
                # On a slow machine an answer may be late, and the same link is sent once more.
                sent = [link for link, _ in groupby(liar.links[before:])]
                assert len(set(liar.links)) == len(sent)
                assert verify(one.event for one in told).holds

    run(story())


def test_two_clients_of_one_seat_do_not_mind_each_other(tmp_path: Path) -> None:
    async def story() -> None:
        async with served() as server:
            ann = await registered(server.address, "Ann", SeatKeeper(tmp_path))
            table = await ann.create("bidding-track", options=OPTIONS, sign_moves=True)
            await table.add_bot("bluffing")
            await table.start()
            async with Client.connect(ann.address, ann.token, seats=SeatKeeper(tmp_path)) as again:
                told = await asyncio.gather(
                    *(play_to_the_end(one.table(table.game_id), "cautious", 1) for one in (ann, again))
                )
            assert told[0] == told[1]
            await ann.close()

    run(story())


async def killed_in_between(server: ServerProcess, folder: Path) -> int:
    """How many rounds had a server that was killed and started again after a roll or a bid."""
    rounds, chance = set[int](), Random(1)
    async with (
        asyncio.timeout(SECONDS_MAX),
        Client.connect(server.address, patience=Patience(try_seconds=2, pause_seconds_max=0.2)) as ann,
        Client.connect(server.address, seats=SeatKeeper(folder)) as bob,
    ):
        await ann.register("Ann")
        await bob.register("Bob")
        table = await ann.create("pirates", options=Options(dice_each=2), own_chain=True, sign_moves=True)
        joined = await bob.join(table.game_id)
        await table.start()
        playing = asyncio.create_task(play_to_the_end(joined, "cautious", 1))
        async for update in table.watch(after=0):
            await play_on(table, update, "cautious", chance)
            view = update.game.view
            if view.round is not None and view.round.number in {1, 2} - rounds:
                rounds.add(view.round.number)
                await asyncio.to_thread(server.end)
                await asyncio.to_thread(server.start)
        await playing
        assert (await table.check_dice()).held_by_server == ()
    return len(rounds)


def test_a_game_with_own_chains_goes_on_when_the_server_is_killed_in_the_middle_of_rounds(tmp_path: Path) -> None:
    with server_process() as server:
        assert asyncio.run(killed_in_between(server, tmp_path)) == 2


def test_a_game_of_more_events_than_come_in_one_update_is_read_to_its_end(tmp_path: Path) -> None:
    """The server cuts a long past into several updates; a seat that begins again, or a spectator, needs all of them."""

    async def story() -> None:
        async with served() as server, Client.connect(server.address) as bob:
            ann = await registered(server.address, "Ann", SeatKeeper(tmp_path))
            await bob.register("Bob")
            table = await ann.create("single-hand", options=Options(opener=0, dice_each=2), seats=2)
            other = await bob.join(table.game_id)
            await table.start()
            await own_turn(table)
            for quantity in range(1, 120, 2):
                await table.bid(quantity, 2)
                await other.bid(quantity + 1, 2)
            async with Client.connect(ann.address, ann.token, seats=SeatKeeper(tmp_path)) as again:
                findings = await again.table(table.game_id).check_dice()
                assert (findings.links, len(findings.unrevealed)) == (2, 1)
                await again.table(table.game_id).challenge()
                assert (await other.check_dice()).dice == 4
            await ann.close()

    run(story())
