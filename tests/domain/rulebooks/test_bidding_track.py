"""The book of the bidding track, clause by clause."""

import pytest

from domain.commands import PlaceBid, ShowAndReroll, StartGame
from domain.events import (
    BidPlaced,
    ChallengeResolved,
    CupsLifted,
    DiceLost,
    DiceRerolled,
    GameEnded,
    OpenerChosen,
    PlayersEliminated,
    RoundStarted,
)
from domain.refusals import (
    AlreadyRerolled,
    AlreadyRolled,
    BidNotHigher,
    DiceNotInCup,
    DiceNotRolled,
    NoBidToChallenge,
    NothingShown,
    NotYourBid,
    NotYourTurn,
    SeatsOutOfRange,
    TooFewHiddenDice,
)
from domain.rulebooks.raising import track_place
from domain.state import Bidding
from tests.made_tables import bid, bids, chains_of, challenges, cup, dealt, gathered, started
from tests.specification import given

BOOK = "bidding-track"


def lowest(standing: str) -> tuple[str, ...]:
    """The lowest legal bids after a standing bid."""
    state = dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3").after(bids(0, standing)).state
    assert isinstance(state, Bidding)
    return tuple(str(low) for low in state.round_rules.lowest_bids(state.standing_bid))


@pytest.mark.proves("BT-1")
@pytest.mark.parametrize("players", [2, 6])
def test_two_to_six_players_get_five_dice_each(players: int) -> None:
    after = given(started(BOOK, players, StartGame(opener=0))).one(RoundStarted)

    assert after.dice_counts == (5,) * players


@pytest.mark.proves("BT-1")
@pytest.mark.parametrize("players", [1, 7])
def test_a_table_for_fewer_than_two_or_more_than_six_is_refused(players: int) -> None:
    with pytest.raises(SeatsOutOfRange) as refused:
        gathered(BOOK, players)

    assert refused.value.clauses == ("BT-1",)


@pytest.mark.proves("BT-2")
def test_any_player_can_be_chosen_to_open() -> None:
    given(gathered(BOOK, 3)).when(StartGame(opener=2)).includes(
        OpenerChosen(seat=2, how="named"),
        RoundStarted(number=1, opener=2, palafico=False, dice_counts=(5, 5, 5)),
    )


@pytest.mark.proves("BT-3")
def test_bidding_waits_until_every_player_has_rolled_once() -> None:
    chains = chains_of(BOOK, 2)
    rolling = given(started(BOOK, 2, StartGame(opener=0)))
    half = rolling.after(chains.roll(rolling.state, 1))

    half.when(bids(0, "1x2")).refuses(DiceNotRolled, "BT-3", waiting=(0,))
    half.when(chains.roll(half.state, 1)).refuses(AlreadyRolled, "BT-3", seat=1, waiting=(0,))
    assert isinstance(half.after(chains.roll(half.state, 0)).state, Bidding)


@pytest.mark.proves("BT-4")
@pytest.mark.parametrize("opening", ["1x2", "20x6", "1x*", "7x*"])
def test_the_opening_bid_may_stand_anywhere_whatever_was_rolled(opening: str) -> None:
    made = bid(opening)

    dealt(BOOK, "3 3 3 3 3", "4 4 4 4 4").when(bids(0, opening)).then(
        BidPlaced(seat=0, quantity=made.quantity, face=made.face)
    )


@pytest.mark.proves("BT-5")
def test_numbers_and_stars_count_towards_a_number_bid() -> None:
    """The example: two 3s of one's own and a star of each opponent make four 3s."""
    table = dealt(BOOK, "3 3 2 2 2", "* 4 4 4 4", "* 5 5 5 5")

    resolved = table.after(bids(0, "4x3")).when(challenges(1)).one(ChallengeResolved)

    assert resolved.actual == 4
    assert [(count.natural, count.wild) for count in resolved.counts] == [(2, 0), (0, 1), (0, 1)]


@pytest.mark.proves("BT-6")
def test_only_stars_count_towards_a_star_bid() -> None:
    table = dealt(BOOK, "* 3 3 2 2", "* 4 4 4 4")

    assert table.after(bids(0, "2x*")).when(challenges(1)).one(ChallengeResolved).actual == 2


@pytest.mark.proves("BT-7")
def test_the_turn_passes_to_the_left_and_nobody_acts_out_of_turn() -> None:
    table = dealt(BOOK, "2 2 2 2 2", "", "4 4 4 4 4", "5 5 5 5 5").after(bids(0, "1x2"))

    table.when(bids(3, "2x2")).refuses(NotYourTurn, "BT-7", turn=2, seat=3)
    table.when(challenges(0)).refuses(NotYourTurn, "BT-7", turn=2, seat=0)
    table.when(bids(2, "2x2")).then(BidPlaced(seat=2, quantity=2, face=2))


@pytest.mark.proves("BT-8", "BT-9", "BT-10", "R6")
def test_the_raising_figure_four_threes_can_be_raised_in_three_ways() -> None:
    """The figure: 4s, 5s and 6s on space 4, any number from space 5 on, and stars from star space 3 on."""
    assert lowest("4x3") == ("3x1", "5x2", "5x3", "4x4", "4x5", "4x6")


@pytest.mark.proves("BT-8", "R11")
@pytest.mark.parametrize("same_or_lower", ["4x3", "4x2", "3x6", "2x*"])
def test_a_bid_that_does_not_go_on_is_refused_with_the_lowest_legal_bids(same_or_lower: str) -> None:
    refusal = (
        dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3")
        .after(bids(0, "4x3"))
        .when(bids(1, same_or_lower))
        .refuses(BidNotHigher, "BT-8", "BT-9", "BT-10", "BT-11", standing=bid("4x3"))
    )

    assert refusal.fields["lowest"] == tuple(bid(low) for low in ("3x*", "5x2", "5x3", "4x4", "4x5", "4x6"))
    assert "3x star, 5x2, 5x3, 4x4, 4x5, 4x6" in str(refusal)


@pytest.mark.proves("BT-11")
def test_a_star_bid_is_raised_only_by_going_on() -> None:
    assert lowest("2x*") == ("3x1", "4x2", "4x3", "4x4", "4x5", "4x6")


@pytest.mark.proves("BT-12", "R6")
@pytest.mark.parametrize(
    ("standing", "star", "number"),
    [("19x6", "10x1", "20x2"), ("20x6", "11x1", "21x2"), ("10x*", "11x1", "20x2"), ("40x2", "21x1", "41x2")],
)
def test_beyond_twenty_the_track_goes_round_again(standing: str, star: str, number: str) -> None:
    assert lowest(standing)[:2] == (star, number)


@pytest.mark.proves("R6")
def test_the_track_has_a_star_space_between_each_odd_number_and_the_next() -> None:
    spaces = [bid(f"{n}x2") for n in range(1, 41)] + [bid(f"{k}x*") for k in range(1, 21)]
    in_order = sorted(spaces, key=track_place)

    names = [f"W{space.quantity}" if space.face == 1 else str(space.quantity) for space in in_order]

    assert names[:12] == ["1", "W1", "2", "3", "W2", "4", "5", "W3", "6", "7", "W4", "8"]
    assert names[28:33] == ["W10", "20", "21", "W11", "22"]
    assert [track_place(space) for space in in_order] == list(range(1, 61))


@pytest.mark.proves("BT-13")
def test_without_a_bid_there_is_nothing_to_challenge() -> None:
    dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3").when(challenges(0)).refuses(NoBidToChallenge, "BT-13", seat=0)


@pytest.mark.proves("BT-7", "BT-13", "BT-15", "BT-18")
def test_the_sample_first_round_of_two_players() -> None:
    """Two 5s, four 6s, six 6s, challenged: five 6s lie there, so the bidder loses one die and the challenger opens."""
    table = dealt(BOOK, "5 5 6 6 2", "6 6 6 3 4").after(bids(0, "2x5"), bids(1, "4x6"), bids(0, "6x6"))

    decided = table.when(challenges(1))

    assert decided.one(ChallengeResolved).actual == 5
    decided.includes(
        DiceLost(seat=0, penalty=1, lost=1),
        RoundStarted(number=2, opener=1, palafico=False, dice_counts=(4, 5)),
    )


@pytest.mark.proves("BT-14", "BT-18")
def test_challenge_example_1_two_more_than_bid_cost_the_challenger_two_dice() -> None:
    """Nine 5s are bid; seven 5s and four stars lie there."""
    table = dealt(BOOK, "5 5 5 5 5", "5 5 * * *", "* 2 3 4 6").after(bids(0, "9x5"))

    decided = table.when(challenges(1))

    assert decided.one(ChallengeResolved).actual == 11
    decided.includes(
        DiceLost(seat=1, penalty=2, lost=2),
        RoundStarted(number=2, opener=0, palafico=False, dice_counts=(5, 3, 5)),
    )


@pytest.mark.proves("BT-6", "BT-15")
def test_challenge_example_2_one_star_short_costs_the_bidder_one_die() -> None:
    """Six stars are bid; five lie there."""
    table = dealt(BOOK, "* * * 2 2", "* * 3 3 3").after(bids(0, "6x*"))

    table.when(challenges(1)).includes(DiceLost(seat=0, penalty=1, lost=1))


@pytest.mark.proves("BT-16", "BT-18")
def test_challenge_example_3_an_exact_bid_costs_everyone_else_one_die() -> None:
    """Fourteen 2s are bid, and exactly fourteen 2s and stars lie there."""
    table = dealt(BOOK, "2 2 2 2 2", "2 2 2 2 *", "2 2 * * 6").after(bids(0, "14x2"))

    decided = table.when(challenges(1))

    assert decided.one(ChallengeResolved).actual == 14
    decided.includes(
        DiceLost(seat=1, penalty=1, lost=1),
        DiceLost(seat=2, penalty=1, lost=1),
        RoundStarted(number=2, opener=0, palafico=False, dice_counts=(5, 4, 4)),
    )


@pytest.mark.proves("BT-16", "BT-17", "BT-21")
def test_those_who_go_out_by_the_same_exact_bid_share_the_place() -> None:
    table = dealt(BOOK, "2 2", "3", "4").after(bids(0, "2x2"))

    table.when(challenges(1)).includes(
        PlayersEliminated(seats=(1, 2), place=2),
        GameEnded(winner=0, places=((0,), (1, 2)), chips=None),
    )


@pytest.mark.proves("BT-17")
def test_nobody_loses_more_dice_than_there_are_and_the_event_tells_both() -> None:
    table = dealt(BOOK, "2 2", "3 3 3", "4 4 4").after(bids(0, "8x2"))

    table.when(challenges(1)).includes(DiceLost(seat=0, penalty=6, lost=2), PlayersEliminated(seats=(0,), place=3))


@pytest.mark.proves("BT-21")
def test_the_last_player_with_dice_wins() -> None:
    table = dealt(BOOK, "2 2", "3").after(bids(0, "1x3"), bids(1, "3x3"))

    table.when(challenges(0)).includes(GameEnded(winner=0, places=((0,), (1,)), chips=None))


@pytest.mark.proves("BT-19")
def test_the_show_and_reroll_example() -> None:
    """Ten 6s are raised to eleven; the 6 and the star are shown, and the two 4s are rolled again."""
    chains = chains_of(BOOK, 3)
    table = dealt(BOOK, "6 6 6 6 6", "6 * 4 4", "6 6 6 2 2").after(bids(0, "10x6"))
    reroll = chains.reroll(table.state, 1, "6 *")

    decided = table.when(PlaceBid(seat=1, quantity=11, face=6, reroll=reroll))

    rerolled = decided.one(DiceRerolled)
    assert (rerolled.seat, rerolled.shown, rerolled.rerolled) == (1, cup("6 *"), 2)
    after = decided.state
    assert isinstance(after, Bidding)
    assert after.cups[1].shown == cup("6 *")
    assert after.cups[1].hidden == rerolled.hand
    resolved = given(table.events, decided.events).when(challenges(2)).one(ChallengeResolved)
    matching = sum(face in (1, 6) for face in rerolled.hand)
    assert resolved.actual == 5 + 2 + matching + 3


@pytest.mark.proves("BT-19")
def test_shown_dice_can_be_any_but_must_lie_under_the_own_cup() -> None:
    chains = chains_of(BOOK, 2)
    table = dealt(BOOK, "6 * 4 4 2", "3 3 3 3 3").after(bids(0, "2x6"))

    table.when(ShowAndReroll(seat=0, reroll=chains.reroll(table.state, 0, "4 2"))).one(DiceRerolled)
    table.when(ShowAndReroll(seat=0, reroll=chains.reroll(table.state, 0, "6 6"))).refuses(DiceNotInCup, "BT-19")
    table.when(ShowAndReroll(seat=0, reroll=chains.reroll(table.state, 0, "3"))).refuses(DiceNotInCup, "BT-19")
    table.when(ShowAndReroll(seat=0, reroll=chains.reroll(table.state, 0, ""))).refuses(NothingShown, "BT-19")


@pytest.mark.proves("BT-19")
def test_at_least_one_die_must_be_left_to_reroll() -> None:
    chains = chains_of(BOOK, 2)
    table = dealt(BOOK, "6", "3 3").after(bids(0, "1x6"))

    table.when(ShowAndReroll(seat=0, reroll=chains.reroll(table.state, 0, "6"))).refuses(
        TooFewHiddenDice, "BT-19", hidden=1, shown=1
    )
    later = table.after(bids(1, "2x3"))
    later.when(ShowAndReroll(seat=1, reroll=chains.reroll(later.state, 1, "3 3"))).refuses(
        TooFewHiddenDice, "BT-19", hidden=2, shown=2
    )


@pytest.mark.proves("R7")
def test_show_and_reroll_is_possible_once_per_bid_until_the_next_player_acts() -> None:
    chains = chains_of(BOOK, 2)
    table = dealt(BOOK, "6 * 4 4 2", "3 3 3 3 3").after(bids(0, "2x6"))
    once = table.after(ShowAndReroll(seat=0, reroll=chains.reroll(table.state, 0, "6")))
    later = table.after(bids(1, "3x6"))

    again = once.state.cups[0].hidden  # type: ignore[union-attr]  # the state is Bidding
    shown = str(again[0])  # type: ignore[index]  # the test sees all dice
    once.when(ShowAndReroll(seat=0, reroll=chains.reroll(once.state, 0, shown))).refuses(AlreadyRerolled, "R7")
    later.when(ShowAndReroll(seat=0, reroll=chains.reroll(later.state, 0, "6"))).refuses(NotYourBid, "BT-19", "R7")
    table.when(ShowAndReroll(seat=1, reroll=chains.reroll(table.state, 1, "3"))).refuses(NotYourBid, "BT-19", "R7")


@pytest.mark.proves("R7", "BT-19")
def test_dice_once_shown_stay_open_and_cannot_be_shown_or_rerolled_again() -> None:
    chains = chains_of(BOOK, 2)
    table = dealt(BOOK, "6 * 4 4 2", "3 3 3 3 3").after(bids(0, "2x6"))
    once = table.after(ShowAndReroll(seat=0, reroll=chains.reroll(table.state, 0, "6 *")), bids(1, "3x6"))
    raised = once.after(bids(0, "4x6"))
    state = raised.state
    assert isinstance(state, Bidding)
    assert state.cups[0].hidden is not None
    die = str(state.cups[0].hidden[0])

    twice = raised.after(ShowAndReroll(seat=0, reroll=chains.reroll(state, 0, die))).state

    assert isinstance(twice, Bidding)
    assert twice.cups[0].shown == (6, 1, int(die))
    assert twice.cups[0].hidden_count == 2


@pytest.mark.proves("BT-19", "BT-13")
def test_the_reveal_holds_every_deal_of_the_round_also_the_dice_rerolled_away() -> None:
    chains = chains_of(BOOK, 2)
    table = dealt(BOOK, "6 * 4 4 2", "3 3 3 3 3").after(bids(0, "2x6"))
    once = table.after(ShowAndReroll(seat=0, reroll=chains.reroll(table.state, 0, "6 *")))

    lifted = once.when(challenges(1)).one(CupsLifted)

    assert lifted.deals[0].hands == (cup("6 * 4 4 2"), cup("3 3 3 3 3"))
    assert lifted.deals[1].reroll_of == 0
    assert lifted.dice[0] == cup("6 *") + lifted.deals[1].hands[0]
    assert [deal.server_link for deal in lifted.deals] == [chains.server.link(1), chains.server.link(2)]
