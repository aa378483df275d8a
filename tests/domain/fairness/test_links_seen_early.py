"""A link that was sent but not recorded is void: nobody who has seen it can choose between deals that would use it."""

import pytest
from msgspec.structs import replace

from domain.commands import AnyCommand, Forfeit, PlaceBid, ShowAndReroll, StartGame, TimeOut
from domain.deciding.checks import whole
from domain.events import DiceRerolled, Hand, RollCalled, Rolled
from domain.fairness.chain import hashed
from domain.fairness.findings import Failure
from domain.fairness.verification import verify
from domain.refusals import LinkInvalid, NotYourBid
from domain.rulebooks import BOOKS
from domain.state import Bidding, ChoosingOpener, Rolling
from domain.views import seen_by
from tests.made_tables import GAME_ID, Chains, bids, chains_of, challenges, started
from tests.specification import Given, given

BOOK = "bidding-track"
CHAINS = chains_of(BOOK, 3)
ANN, BOB, CLEO = 0, 1, 2
SECOND_CALL = 14
"""A round of three players with five dice each sets aside 13 numbers."""


def first_round(rulebook: str = BOOK, chains: Chains = CHAINS) -> Given:
    """A game in its first round, before anybody has rolled, for every way to find the opener."""
    named = next(book for book in BOOKS if book.id == rulebook).opening_roll is None
    game = given(started(rulebook, 3, StartGame(opener=ANN if named else None)))
    while isinstance(game.state, ChoosingOpener):
        game = game.after(chains.roll(game.state, game.state.waiting[0]))
    return game


def all_rolled(game: Given, chains: Chains = CHAINS) -> Given:
    while isinstance(game.state, Rolling):
        game = game.after(chains.roll(game.state, game.state.waiting[0]))
    return game


def hands_of(game: Given) -> tuple[Hand, ...]:
    assert isinstance(game.state, Bidding)
    return tuple(whole(hand) for hand in game.state.deals[0].hands)


def last_call(game: Given) -> RollCalled:
    return [event for event in game.events if isinstance(event, RollCalled)][-1]


@pytest.mark.parametrize("rulebook", [book.id for book in BOOKS])
def test_a_roll_held_back_until_another_player_forfeits_is_refused(rulebook: str) -> None:
    """The server sees Ann's link and so the whole deal; it does not suit Bob, so his friend Cleo gives up."""
    chains = chains_of(rulebook, 3)
    game = first_round(rulebook, chains)
    held_back = chains.roll(game.state, ANN)

    after = game.after(Forfeit(seat=CLEO))

    assert last_call(after).call > last_call(game).call
    after.when(held_back).refuses(LinkInvalid, seat=ANN, number=last_call(after).call)
    assert after.when(chains.roll(after.state, ANN)).refusal is None


@pytest.mark.parametrize("rulebook", [book.id for book in BOOKS])
def test_an_opening_roll_held_back_until_another_player_forfeits_is_refused(rulebook: str) -> None:
    game = given(started(rulebook, 3))
    held_back = chains_of(rulebook, 3).roll(game.state, ANN)

    after = game.after(Forfeit(seat=CLEO))

    assert isinstance(after.state, Rolling)
    after.when(held_back).refuses(LinkInvalid, seat=ANN, number=2)


def test_a_roll_held_back_until_another_players_time_is_up_is_refused() -> None:
    game = given(started(BOOK, 3, StartGame(opener=ANN), turn_seconds=1))
    held_back = CHAINS.roll(game.state, ANN)

    after = game.after(TimeOut(at=1_000, seat=CLEO))

    after.when(held_back).refuses(LinkInvalid, seat=ANN, number=SECOND_CALL)


def test_the_deal_after_the_forfeit_is_another_and_needs_a_link_that_the_one_held_back_does_not_lead_to() -> None:
    game = first_round()
    held_back = CHAINS.roll(game.state, ANN)

    foreseen = all_rolled(game.after(held_back))
    after = game.after(Forfeit(seat=CLEO))
    needed = CHAINS.roll(after.state, ANN)
    made = all_rolled(after)

    assert hands_of(made)[:CLEO] != hands_of(foreseen)[:CLEO]
    assert hashed(needed.link, GAME_ID, SECOND_CALL - 1) == held_back.link
    assert needed.link not in [hashed(held_back.link, GAME_ID, steps) for steps in range(100)]


def test_a_server_that_records_a_link_held_back_for_a_later_deal_is_found_out() -> None:
    game = first_round()
    held_back = CHAINS.roll(game.state, ANN)
    after = all_rolled(game.after(Forfeit(seat=CLEO)))
    events = [seen_by(event, None) for event in after.events]
    index, rolled = next((at, event) for at, event in enumerate(events) if isinstance(event, Rolled))
    assert rolled.seat == ANN

    events[index] = replace(rolled, link=held_back.link)

    sentence = f"The link is number 1; number {SECOND_CALL} was called for."
    assert verify(events).failures == (Failure(index, ANN, sentence),)


def after_anns_bid() -> tuple[Given, ShowAndReroll]:
    """A round in which Ann has bid, and the reroll that she sends too late."""
    table = all_rolled(first_round()).after(bids(ANN, "1x2"))
    return table, ShowAndReroll(seat=ANN, reroll=CHAINS.reroll(table.state, ANN, str(hands_of(table)[ANN][0])))


def raise_and_reroll(table: Given) -> PlaceBid:
    reroll = CHAINS.reroll(table.state, BOB, str(hands_of(table)[BOB][0]))
    return replace(bids(BOB, "9x3"), reroll=reroll)


OVERTAKING = ("a challenge", "a raise", "a raise and a reroll", "a forfeit", "a forfeit of another")


def overtaken(way: str) -> tuple[Given, ShowAndReroll]:
    """The next round, after Bob or his friend acted before Ann's reroll was recorded."""
    table, late = after_anns_bid()
    ways: dict[str, tuple[AnyCommand, ...]] = {
        "a challenge": (challenges(BOB),),
        "a raise": (bids(BOB, "9x3"), challenges(CLEO)),
        "a raise and a reroll": (raise_and_reroll(table), challenges(CLEO)),
        "a forfeit": (Forfeit(seat=BOB),),
        "a forfeit of another": (Forfeit(seat=CLEO),),
    }
    return table.after(*ways[way]), late


@pytest.mark.parametrize("way", OVERTAKING)
def test_the_link_of_a_reroll_that_was_overtaken_is_void_in_the_next_round(way: str) -> None:
    game, late = overtaken(way)
    right = CHAINS.roll(game.state, ANN)

    game.when(replace(right, link=late.reroll.link)).refuses(LinkInvalid, seat=ANN, number=SECOND_CALL)

    assert game.when(right).refusal is None
    assert late.reroll.link == CHAINS.players[ANN].link(2)


def test_which_links_the_next_round_needs_does_not_depend_on_how_a_reroll_was_overtaken_or_on_it_being_made() -> None:
    table, in_time = after_anns_bid()
    made = table.after(in_time, challenges(BOB))

    calls = {last_call(overtaken(way)[0]).call for way in OVERTAKING}

    assert calls == {last_call(made).call} == {SECOND_CALL}


def test_within_its_round_the_link_of_a_reroll_that_was_overtaken_is_still_the_next() -> None:
    """Why its owner should not reroll again in that round: whoever saw the link foresees, with the server, the dice."""
    table, late = after_anns_bid()
    later = table.after(bids(BOB, "1x3"))
    later.when(late).refuses(NotYourBid, seat=ANN)

    again = later.after(bids(CLEO, "1x4"), bids(ANN, "1x5"))
    assert again.when(late).one(DiceRerolled).link == late.reroll.link


def test_within_its_round_that_link_is_void_as_well_once_somebody_else_has_rerolled() -> None:
    table, late = after_anns_bid()
    again = table.after(raise_and_reroll(table), bids(CLEO, "10x3"), bids(ANN, "11x3"))

    again.when(late).refuses(LinkInvalid, seat=ANN, number=3)
