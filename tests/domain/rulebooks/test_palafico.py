"""The book of Palafico, clause by clause."""

import pytest

from domain.commands import Forfeit, StartGame
from domain.events import (
    BidPlaced,
    ChallengeResolved,
    CupsLifted,
    DiceLost,
    GameEnded,
    OpenerChosen,
    PlayersEliminated,
    RoundStarted,
)
from domain.refusals import (
    AlreadyRolled,
    BidNotHigher,
    DiceNotRolled,
    NoBidToChallenge,
    NotYourTurn,
    SeatOut,
    SeatsOutOfRange,
    WildCannotOpen,
)
from domain.state import Bidding
from tests.made_tables import bid, bids, chains_of, challenges, cup, dealt, gathered, started
from tests.specification import given

BOOK = "palafico"


def lowest(standing: str, *, palafico: bool = False) -> tuple[str, ...]:
    """The lowest legal bids after a standing bid."""
    state = dealt(BOOK, "2", "3 3 3 3 3", "4 4", palafico=palafico).after(bids(0, standing)).state
    assert isinstance(state, Bidding)
    return tuple(str(low) for low in state.round_rules.lowest_bids(state.standing_bid))


@pytest.mark.proves("PA-1", "R1")
@pytest.mark.parametrize("players", [2, 4])
def test_everyone_at_a_table_of_two_to_four_gets_five_dice(players: int) -> None:
    after = given(started(BOOK, players, StartGame(opener=0))).one(RoundStarted)

    assert after.dice_counts == (5,) * players


@pytest.mark.proves("PA-1", "R1")
@pytest.mark.parametrize("players", [1, 5])
def test_a_table_for_fewer_than_two_or_more_than_four_is_refused(players: int) -> None:
    with pytest.raises(SeatsOutOfRange) as refused:
        gathered(BOOK, players)

    assert refused.value.clauses == ("R1",)


@pytest.mark.proves("PA-2", "R2")
def test_the_youngest_named_at_creation_opens_the_first_round() -> None:
    youngest = 2

    given(gathered(BOOK, 3, opener=youngest)).when(StartGame()).includes(
        OpenerChosen(seat=youngest, how="named"),
        RoundStarted(number=1, opener=youngest, palafico=False, dice_counts=(5, 5, 5)),
    )


@pytest.mark.proves("PA-3")
def test_bidding_waits_until_every_player_has_rolled_all_dice() -> None:
    chains = chains_of(BOOK, 2)
    rolling = given(started(BOOK, 2, StartGame(opener=0)))
    half = rolling.after(chains.roll(rolling.state, 1))

    half.when(bids(0, "1x2")).refuses(DiceNotRolled, "PA-3", waiting=(0,))
    half.when(chains.roll(half.state, 1)).refuses(AlreadyRolled, "PA-3", seat=1, waiting=(0,))
    whole = half.after(chains.roll(half.state, 0)).state
    assert isinstance(whole, Bidding)
    assert [cup.hidden_count for cup in whole.cups] == [5, 5]


@pytest.mark.proves("PA-4")
def test_the_opening_example_six_fives_from_a_hand_with_two() -> None:
    table = dealt(BOOK, "2 3 3 5 5", "4 4 4 4 4")

    table.when(bids(0, "6x5")).then(BidPlaced(seat=0, quantity=6, face=5))


@pytest.mark.proves("PA-4")
def test_the_turn_passes_to_the_left_and_nobody_acts_out_of_turn() -> None:
    table = dealt(BOOK, "2 2 2 2 2", "", "4 4 4 4 4", "5 5 5 5 5").after(bids(0, "1x2"))

    table.when(bids(3, "2x2")).refuses(NotYourTurn, "PA-4", turn=2, seat=3)
    table.when(challenges(0)).refuses(NotYourTurn, "PA-4", turn=2, seat=0)
    table.when(bids(2, "2x2")).then(BidPlaced(seat=2, quantity=2, face=2))


@pytest.mark.proves("PA-5")
def test_ones_cannot_open_a_round() -> None:
    refusal = dealt(BOOK, "1 1 1 1 1", "4 4 4 4 4").when(bids(0, "3x1")).refuses(WildCannotOpen, "PA-5")

    assert refusal.fields["lowest"] == tuple(bid(low) for low in ("1x2", "1x3", "1x4", "1x5", "1x6"))


@pytest.mark.proves("PA-5", "PA-6", "PA-7")
def test_ones_may_be_bid_as_a_raise_and_then_count_alone() -> None:
    table = dealt(BOOK, "1 3 3 2 2", "1 1 4 4 4").after(bids(0, "2x3"))

    table.when(bids(1, "2x1")).refuses(BidNotHigher, "PA-6", bid=bid("2x1"), standing=bid("2x3"))
    raised = table.after(bids(1, "3x1"))
    assert raised.when(challenges(0)).one(ChallengeResolved).actual == 3


@pytest.mark.proves("PA-6")
@pytest.mark.parametrize("raised", ["4x2", "4x3", "3x4", "5x6", "4x1"])
def test_the_raising_example_three_threes_may_become_four_twos(raised: str) -> None:
    """More dice, also of a lower number; a higher number; or both."""
    made = bid(raised)

    dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3").after(bids(0, "3x3")).when(bids(1, raised)).then(
        BidPlaced(seat=1, quantity=made.quantity, face=made.face)
    )


@pytest.mark.proves("PA-6")
@pytest.mark.parametrize("same_or_lower", ["3x3", "3x2", "2x6", "3x1"])
def test_a_higher_number_needs_as_many_dice_and_a_lower_one_more(same_or_lower: str) -> None:
    table = dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3").after(bids(0, "3x3"))

    refusal = table.when(bids(1, same_or_lower)).refuses(BidNotHigher, "PA-6", standing=bid("3x3"))

    assert refusal.fields["lowest"] == tuple(bid(low) for low in ("4x1", "4x2", "4x3", "3x4", "3x5", "3x6"))


@pytest.mark.proves("PA-7")
def test_three_fours_and_two_ones_make_five_fours() -> None:
    table = dealt(BOOK, "4 4 4 1 1", "2 2 3 3 5").after(bids(0, "5x4"))

    resolved = table.when(challenges(1)).one(ChallengeResolved)

    assert (resolved.actual, resolved.winner) == (5, 0)
    assert [(count.natural, count.wild) for count in resolved.counts] == [(3, 2), (0, 0)]


@pytest.mark.proves("PA-8")
def test_without_a_bid_there_is_nothing_to_challenge() -> None:
    dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3").when(challenges(0)).refuses(NoBidToChallenge, "PA-8", seat=0)


@pytest.mark.proves("PA-8")
def test_the_counting_example_seven_fours_are_all_fours_and_ones_on_the_table() -> None:
    table = dealt(BOOK, "4 4 1 2 2", "4 1 1 3 3", "4 5 5 5 5").after(bids(0, "7x4"))

    decided = table.when(challenges(1))

    assert decided.one(CupsLifted).dice == (cup("4 4 1 2 2"), cup("4 1 1 3 3"), cup("4 5 5 5 5"))
    assert decided.one(ChallengeResolved).actual == 7


@pytest.mark.proves("PA-9", "PA-10")
@pytest.mark.parametrize(
    ("claim", "loser"),
    [("1x4", 1), ("3x4", 1), ("4x4", 0), ("9x4", 0)],
    ids=["far more than bid", "exactly as bid", "one fewer than bid", "far fewer than bid"],
)
def test_whoever_was_wrong_loses_one_die_and_opens_the_next_round(claim: str, loser: int) -> None:
    table = dealt(BOOK, "4 4 1 2 2", "3 3 3 3 3", "5 5 5 5 5").after(bids(0, claim))

    decided = table.when(challenges(1))

    assert decided.one(DiceLost) == DiceLost(seat=loser, penalty=1, lost=1)
    assert decided.one(RoundStarted).opener == loser


@pytest.mark.proves("PA-10", "PA-11")
def test_if_the_loser_is_out_the_player_to_the_left_opens() -> None:
    table = dealt(BOOK, "2 2", "3", "", "5 5").after(bids(0, "2x2"))
    chains = chains_of(BOOK, 4)

    table.when(challenges(1)).includes(
        PlayersEliminated(seats=(1,), place=3),
        RoundStarted(number=2, opener=3, palafico=False, dice_counts=(2, 0, 0, 2)),
    )
    after = table.after(challenges(1))
    after.when(chains.roll(after.state, 1)).refuses(SeatOut, "PA-11", seat=1)


@pytest.mark.proves("PA-12")
@pytest.mark.parametrize(("claim", "loser"), [("3x3", 0), ("2x3", 1)], ids=["bidder", "challenger"])
def test_a_player_who_comes_down_to_one_die_opens_a_palafico_round(claim: str, loser: int) -> None:
    table = dealt(BOOK, "3 3", "4 4", "5 5 5").after(bids(0, claim))

    started_next = table.when(challenges(1)).one(RoundStarted)

    assert (started_next.opener, started_next.palafico) == (loser, True)


@pytest.mark.proves("PA-12")
def test_a_player_who_comes_down_to_two_dice_opens_a_plain_round() -> None:
    table = dealt(BOOK, "3 3 3", "4 4 4", "5 5 5").after(bids(0, "4x3"))

    started_next = table.when(challenges(1)).one(RoundStarted)

    assert (started_next.opener, started_next.palafico) == (0, False)


@pytest.mark.proves("PA-12")
def test_holding_one_die_later_on_starts_no_other_palafico_round() -> None:
    """Seat 0 came down to one die before; now seat 1 loses one and still has two."""
    table = dealt(BOOK, "3", "4 4 4", "5 5 5", palafico=True).after(bids(0, "1x3"))

    started_next = table.when(challenges(1)).one(RoundStarted)

    assert (started_next.dice_counts, started_next.opener) == ((1, 2, 3), 1)
    assert not started_next.palafico


@pytest.mark.proves("PA-12", "PA-10")
def test_one_die_to_the_left_of_a_loser_who_is_out_opens_a_plain_round() -> None:
    """Seat 1 has come down to one die in a round before, not by the loss that ended this one."""
    table = dealt(BOOK, "3", "4", "5 5 5", "6 6").after(bids(0, "9x3"))

    table.when(challenges(1)).includes(
        PlayersEliminated(seats=(0,), place=4),
        RoundStarted(number=2, opener=1, palafico=False, dice_counts=(0, 1, 3, 2)),
    )


@pytest.mark.proves("PA-12", "R13")
def test_starting_with_one_die_each_is_not_coming_down_to_one() -> None:
    first = given(started(BOOK, 4, StartGame(opener=0), dice_each=1)).one(RoundStarted)
    later = dealt(BOOK, "3", "4", "5", "6", dice_each=1).after(bids(0, "2x3")).when(challenges(1))

    assert isinstance(first, RoundStarted)
    assert not first.palafico
    assert not later.one(RoundStarted).palafico


@pytest.mark.proves("PA-12", "PA-13", "PA-14")
def test_a_palafico_round_ends_with_the_round() -> None:
    table = dealt(BOOK, "3", "4 4 4", "5 5 5", palafico=True).after(bids(0, "1x3"), challenges(1))
    chains = chains_of(BOOK, 3)
    for seat in range(3):
        table = table.after(chains.roll(table.state, seat))

    table.when(bids(1, "1x1")).refuses(WildCannotOpen, "PA-5")
    table.after(bids(1, "1x3")).when(bids(2, "1x4")).then(BidPlaced(seat=2, quantity=1, face=4))


@pytest.mark.proves("PA-13")
def test_in_a_palafico_round_ones_may_open() -> None:
    table = dealt(BOOK, "1", "1 4 4", "5 5 5", palafico=True)

    table.when(bids(0, "2x1")).then(BidPlaced(seat=0, quantity=2, face=1))
    assert table.after(bids(0, "2x1")).when(challenges(1)).one(ChallengeResolved).actual == 2


@pytest.mark.proves("PA-13")
@pytest.mark.parametrize(("palafico", "actual"), [(True, 2), (False, 5)], ids=["palafico round", "plain round"])
def test_in_a_palafico_round_ones_are_not_wild(*, palafico: bool, actual: int) -> None:
    table = dealt(BOOK, "3", "3 1 1", "1 5 5", palafico=palafico).after(bids(0, "3x3"))

    resolved = table.when(challenges(1)).one(ChallengeResolved)

    assert resolved.actual == actual


@pytest.mark.proves("PA-14")
def test_the_palafico_example_two_threes_go_on_as_three_four_or_five_threes() -> None:
    table = dealt(BOOK, "3", "3 4 4", "3 5 5", palafico=True).after(bids(0, "2x3"))

    assert lowest("2x3", palafico=True) == ("3x3",)
    for raised in ("3x3", "4x3", "5x3"):
        table.when(bids(1, raised)).then(BidPlaced(seat=1, quantity=bid(raised).quantity, face=3))


@pytest.mark.proves("PA-14")
@pytest.mark.parametrize("other", ["2x3", "1x3", "2x4", "3x4", "9x2", "9x1"])
def test_in_a_palafico_round_no_other_face_and_no_smaller_quantity_raises(other: str) -> None:
    table = dealt(BOOK, "3", "3 4 4", "3 5 5", palafico=True).after(bids(0, "2x3"))

    refusal = table.when(bids(1, other)).refuses(BidNotHigher, "PA-14", bid=bid(other), standing=bid("2x3"))

    assert refusal.fields["lowest"] == (bid("3x3"),)


@pytest.mark.proves("PA-14")
def test_in_a_palafico_round_opened_with_ones_only_ones_follow() -> None:
    assert lowest("2x1", palafico=True) == ("3x1",)


@pytest.mark.proves("PA-15")
def test_with_two_players_left_coming_down_to_one_die_opens_a_plain_round() -> None:
    table = dealt(BOOK, "3 3", "", "5 5 5").after(bids(0, "3x3"))

    started_next = table.when(challenges(2)).one(RoundStarted)

    assert (started_next.opener, started_next.dice_counts) == (0, (1, 0, 3))
    assert not started_next.palafico


@pytest.mark.proves("PA-15")
def test_when_a_palafico_round_leaves_two_players_the_next_round_is_plain() -> None:
    table = dealt(BOOK, "3", "4 4", "5 5 5", palafico=True).after(bids(0, "2x3"))

    started_next = table.when(challenges(1)).one(RoundStarted)

    assert (started_next.opener, started_next.dice_counts) == (1, (0, 2, 3))
    assert not started_next.palafico


@pytest.mark.proves("R10")
@pytest.mark.parametrize("palafico", [True, False], ids=["palafico round", "plain round"])
def test_after_a_forfeit_the_next_round_is_plain_even_if_its_opener_has_one_die(*, palafico: bool) -> None:
    table = dealt(BOOK, "3", "4", "5 5 5", "6 6", palafico=palafico)

    started_next = table.when(Forfeit(seat=0)).one(RoundStarted)

    assert (started_next.opener, started_next.dice_counts) == (1, (0, 1, 3, 2))
    assert not started_next.palafico


@pytest.mark.proves("PA-16")
def test_the_last_player_with_dice_wins() -> None:
    table = dealt(BOOK, "3 3", "", "5").after(bids(0, "2x3"))

    table.when(challenges(2)).includes(
        PlayersEliminated(seats=(2,), place=2),
        GameEnded(winner=0, places=((0,), (2,), (1,)), chips=None),
    ).lacks(RoundStarted)
