"""Seats with secrets that the library keeps: what it adds to their moves, what it holds back, and how seats end."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from domain.events import BidPlaced, DiceRerolled
from domain.options import Options
from services.client import Client, Game, KeptBack, Patience, Refused, SeatKeeper, Table, Unreachable
from tests.client.liars import Liar
from tests.servers import run, served

Result = TypeVar("Result")
QUICK = Patience(try_seconds=1, total_seconds=2, pause_seconds_min=0.01, pause_seconds_max=0.05)


def as_two(work: Callable[[Client, Client, Liar], Awaitable[Result]], keeper: SeatKeeper | None = None) -> Result:
    """The result of what Ann, who has a keeper of seats, and Bob, who has none, do."""

    async def working() -> Result:
        async with (
            served() as server,
            Liar.before(server.address) as liar,
            Client.connect(liar.address, patience=QUICK, seats=keeper or SeatKeeper()) as ann,
            Client.connect(liar.address) as bob,
        ):
            await ann.register("Ann")
            await bob.register("Bob")
            return await work(ann, bob, liar)

    return run(working())


async def dealt(
    ann: Client, bob: Client, rulebook: str = "bidding-track", *, dice_each: int = 5, sign_moves: bool = False
) -> Table:
    """A game of the two in which Ann is to open."""
    options = Options(opener=0, dice_each=dice_each)
    table = await ann.create(rulebook, options=options, seats=2, sign_moves=sign_moves)
    await bob.join(table.game_id)
    await table.start()
    await seen(table, lambda game: game.view.phase == "bidding")
    return table


async def seen(table: Table, what: Callable[[Game], bool]) -> Game:
    async for update in table.watch():
        if what(update.game):
            return update.game
    raise AssertionError


async def refusal(call: Awaitable[object]) -> Refused:
    with pytest.raises(Refused) as told:
        await call
    return told.value


def files_in(folder: Path) -> int:
    return len(list(folder.glob("*.seat")))


async def own_dice(table: Table) -> tuple[int, ...]:
    view = (await table.game()).view
    assert view.viewer is not None
    return view.seats[view.viewer].hidden or ()


def test_a_reroll_takes_its_link_by_itself_also_without_anybody_watching() -> None:
    async def story(ann: Client, bob: Client, _liar: Liar) -> None:
        table = await dealt(ann, bob, sign_moves=True)
        shown = (await own_dice(table))[:1]
        first = await table.bid(1, 2, shown)
        await bob.table(table.game_id).bid(2, 2)
        await table.bid(3, 2)
        second = await table.show_and_reroll((await own_dice(table))[:1])
        await bob.table(table.game_id).challenge()

        assert [type(one.event) for one in first.events] == [BidPlaced, DiceRerolled]
        assert isinstance(second.events[0].event, DiceRerolled)
        assert (await table.check_dice()).deals == 3

    as_two(story)


def test_a_reroll_that_the_rules_forbid_is_refused_by_the_server_and_costs_no_link() -> None:
    async def story(ann: Client, bob: Client, liar: Liar) -> None:
        table = await dealt(ann, bob)
        dice, version, before = await own_dice(table), (await table.game()).version, len(liar.links)
        missing = next(face for face in (1, 2, 3, 4, 5, 6) if face not in dice)

        assert (await refusal(table.bid(0, 2, dice[:1]))).reason == "QUANTITY_OUT_OF_RANGE"
        assert (await refusal(table.bid(1, 2, dice))).reason == "TOO_FEW_HIDDEN_DICE"
        assert (await refusal(table.bid(1, 2, (missing,)))).reason == "DICE_NOT_IN_CUP"
        assert (await refusal(table.bid(1, 2, dice[:1], expected_version=version - 1))).reason == "VERSION_MOVED"
        assert (await refusal(table.show_and_reroll(dice[:1]))).reason == "NOT_YOUR_BID"
        assert len(liar.links) == before
        await table.bid(1, 2, dice[:1], expected_version=version)
        assert len(liar.links) == before + 1

    as_two(story)


def test_after_a_reroll_that_was_not_answered_there_is_none_in_that_round(tmp_path: Path) -> None:
    """Its link may be known, and it would still be the one that the next reroll takes. After a restart it is the same."""

    async def story(ann: Client, bob: Client, liar: Liar) -> None:
        table = await dealt(ann, bob, dice_each=10)
        shown = (await own_dice(table))[:1]
        liar.deaf_to = "PlaceBid"
        with pytest.raises(Unreachable):
            await table.bid(1, 2, shown)
        liar.deaf_to, before = "", len(liar.links)

        again = Client.connect(ann.address, ann.token, seats=SeatKeeper(tmp_path))
        for client in (ann, again):
            with pytest.raises(KeptBack) as kept_back:
                await client.table(table.game_id).bid(1, 2, shown)
            assert kept_back.value.reason == "REROLL_KEPT_BACK"
        assert len(liar.links) == before
        await table.bid(7, 2)  # So near to the truth that nobody loses all dice.
        await bob.table(table.game_id).challenge()
        await seen(table, lambda game: game.view.phase == "bidding" and not game.view.bids)
        await again.close()

    as_two(story, SeatKeeper(tmp_path))


def test_in_the_next_round_there_may_be_a_reroll_again() -> None:
    async def story(ann: Client, bob: Client, liar: Liar) -> None:
        table = await dealt(ann, bob, dice_each=10)
        liar.deaf_to = "PlaceBid"
        with pytest.raises(Unreachable):
            await table.bid(1, 2, (await own_dice(table))[:1])
        liar.deaf_to = ""
        await table.bid(7, 2)  # So near to the truth that nobody loses all dice.
        await bob.table(table.game_id).challenge()
        game = await seen(table, lambda game: game.view.phase == "bidding" and not game.view.bids)
        if game.view.viewer not in game.view.waiting:
            await bob.table(table.game_id).bid(1, 2)
        await table.bid(2, 3, (await own_dice(table))[:1])

    as_two(story)


def test_a_move_that_was_signed_too_early_is_signed_anew_unless_it_was_made_for_that_version() -> None:
    async def story(ann: Client, bob: Client, _liar: Liar) -> None:
        table = await dealt(ann, bob, "single-hand", sign_moves=True)
        opened = await table.bid(1, 2)
        await bob.table(table.game_id).bid(2, 2)

        stale = await refusal(table.bid(3, 2, expected_version=opened.version))
        assert stale.reason == "VERSION_MOVED"
        raised = await table.bid(3, 2)
        assert raised.version == opened.version + 2
        await bob.table(table.game_id).bid(4, 2)
        await table.forfeit()

    as_two(story)


def test_without_a_keeper_the_server_keeps_the_chain_unless_the_client_is_to() -> None:
    async def story(_ann: Client, bob: Client, _liar: Liar) -> None:
        held = [await bob.create("pirates"), await bob.create("pirates", own_chain=True)]
        views = [(await table.game()).view for table in held]

        assert [view.seats[0].chain_held_by for view in views] == ["server", "player"]
        assert [await table.keeps_chain() for table in held] == [False, True]
        with pytest.raises(ValueError, match="needs an own chain"):
            await bob.create("pirates", own_chain=False, sign_moves=True)

    as_two(story)


def test_with_a_keeper_the_server_keeps_the_chain_only_if_it_is_to(tmp_path: Path) -> None:
    async def story(ann: Client, _bob: Client, _liar: Liar) -> None:
        held = [await ann.create("pirates"), await ann.create("pirates", own_chain=False)]

        assert [(await table.game()).view.seats[0].chain_held_by for table in held] == ["player", "server"]
        assert files_in(tmp_path) == 1

    as_two(story, SeatKeeper(tmp_path))


def test_a_seat_that_is_refused_or_given_back_leaves_nothing_behind(tmp_path: Path) -> None:
    async def story(ann: Client, bob: Client, _liar: Liar) -> None:
        private = await bob.create("pirates", private=True)
        full = await bob.create("pirates", seats=2)
        await full.add_bot()
        assert (await refusal(ann.join(private.game_id))).reason == "INVITATION_WRONG"
        assert (await refusal(ann.join(full.game_id))).reason == "TABLE_FULL"
        assert files_in(tmp_path) == 0

        table = await ann.join(private.game_id, code=(await private.game()).invitation_code)
        assert files_in(tmp_path) == 1
        assert (await refusal(ann.join(private.game_id, code=(await private.game()).invitation_code))).reason == (
            "PLAYER_ALREADY_SEATED"
        )
        assert files_in(tmp_path) == 1, "the chain of the seat is not touched by a second try"
        await table.leave()
        assert files_in(tmp_path) == 0

    as_two(story, SeatKeeper(tmp_path))


def test_the_rematch_is_played_with_a_new_chain_too(tmp_path: Path) -> None:
    async def story(ann: Client, bob: Client, _liar: Liar) -> None:
        table = await ann.create("pirates", private=True, seats=2)
        await bob.join(table.game_id, code=(await table.game()).invitation_code)
        await table.start()
        await table.forfeit()
        await seen(table, lambda game: game.view.phase == "ended")
        assert files_in(tmp_path) == 0

        rematch = await table.rematch(sign_moves=True)
        again = await bob.table(table.game_id).rematch()
        assert (await again.receipts()).count(b"\n") == 3, "two lines of heading, and the receipt for the new seat"
        held = {seat.name: seat.chain_held_by for seat in (await rematch.game()).view.seats}
        assert held == {"Ann": "player", "Bob": "server"}
        assert again.game_id == rematch.game_id
        await rematch.start()
        await seen(rematch, lambda game: game.view.phase == "bidding")
        await rematch.forfeit()

    as_two(story, SeatKeeper(tmp_path))


def test_a_rematch_is_as_safe_as_the_game_before_unless_the_player_says_otherwise() -> None:
    """Also for a client that does not bring a chain by default."""

    async def story(ann: Client, bob: Client, _liar: Liar) -> None:
        table = await ann.create("pirates", seats=2, sign_moves=True)
        await bob.join(table.game_id)
        await table.start()
        await table.forfeit()

        rematch = await table.rematch()
        joined = await rematch._joined_before()  # noqa: SLF001 - the event of the seat
        assert (joined.chain_held_by, joined.signing_key is not None) == ("player", True)
        weaker = await table.rematch(own_chain=False)
        assert (await weaker._joined_before()).chain_held_by == "player", "the seat is taken, and stays as it is"  # noqa: SLF001 - as above
        await weaker.leave()
        weaker = await table.rematch(own_chain=False)
        assert (await weaker._joined_before()).chain_held_by == "server"  # noqa: SLF001 - as above

    as_two(story, None)


def test_the_secret_of_a_seat_shows_in_no_error_and_no_value(tmp_path: Path) -> None:
    async def story(ann: Client, bob: Client, _liar: Liar) -> None:
        table = await dealt(ann, bob, sign_moves=True)
        kept = SeatKeeper(tmp_path).find(ann.address, (await ann.player()).player_id, table.game_id)
        assert kept is not None
        assert kept.sent is not None
        refused = await refusal(table.bid(0, 2))
        seat = await ann._seats.of(table.game_id)  # noqa: SLF001 - what a debugger would show
        for shown in map(repr, (kept, refused, refused.metadata, seat, table, ann, vars(table))):
            assert repr(kept.seed)[2:-1] not in shown
            assert kept.seed.hex() not in shown

    as_two(story, SeatKeeper(tmp_path))
