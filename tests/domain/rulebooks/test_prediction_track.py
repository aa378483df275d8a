"""The book of the prediction track, clause by clause."""

import operator
from collections.abc import Callable

import pytest

from domain.commands import Roll, StartGame
from domain.events import (
    BidPlaced,
    ChallengeResolved,
    CupsLifted,
    DiceLost,
    GameEnded,
    Hand,
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
    OpenerNotChosen,
    SeatOut,
    SeatsOutOfRange,
)
from domain.state import Bidding, ChoosingOpener
from tests.made_tables import bid, bids, chains_of, challenges, cup, dealt, gathered, started
from tests.openings import opening_dice, opening_roll_like, wheels_and_sum
from tests.specification import Given, given

BOOK = "prediction-track"
COMPARES: dict[str, Callable[[int, int], bool]] = {"<": operator.lt, "==": operator.eq, ">": operator.gt}


def opening_roll(players: int) -> tuple[Given, Roll]:
    """A table at which all but the last have rolled for the first opener, and the roll that settles it."""
    chains = chains_of(BOOK, players)
    table = given(started(BOOK, players))
    for seat in range(players - 1):
        table = table.after(chains.roll(table.state, seat))
    return table, chains.roll(table.state, players - 1)


def lowest(standing: str) -> tuple[str, ...]:
    """The lowest legal predictions after a standing one."""
    state = dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3").after(bids(0, standing)).state
    assert isinstance(state, Bidding)
    return tuple(str(low) for low in state.round_rules.lowest_bids(state.standing_bid))


@pytest.mark.proves("PT-1")
@pytest.mark.parametrize("players", [2, 6])
def test_two_to_six_players_get_five_dice_each(players: int) -> None:
    state = given(started(BOOK, players)).state

    assert isinstance(state, ChoosingOpener)
    assert state.standing.dice_counts == (5,) * players


@pytest.mark.proves("PT-1")
@pytest.mark.parametrize("players", [1, 7])
def test_a_table_for_fewer_than_two_or_more_than_six_is_refused(players: int) -> None:
    with pytest.raises(SeatsOutOfRange) as refused:
        gathered(BOOK, players)

    assert refused.value.clauses == ("PT-1",)


@pytest.mark.proves("PT-2")
@pytest.mark.parametrize(
    ("wheels", "sums", "opener"),
    [(">", "<", 0), ("<", ">", 1), ("==", ">", 0), ("==", "<", 1)],
    ids=["more wheels, lower sum", "fewer wheels, higher sum", "as many wheels, higher sum", "as many, lower sum"],
)
def test_most_wheels_open_and_among_equals_the_highest_sum_of_the_other_dice(
    wheels: str, sums: str, opener: int
) -> None:
    def as_wanted(hands: tuple[Hand, ...]) -> bool:
        first, second = (wheels_and_sum(hand) for hand in hands)
        return COMPARES[wheels](first[0], second[0]) and COMPARES[sums](first[1], second[1])

    table = opening_roll_like(as_wanted, BOOK, 2)

    assert [len(hand) for hand in opening_dice(table)] == [5, 5]
    assert OpenerChosen(seat=opener, how="rolled") in table.events
    assert RoundStarted(number=1, opener=opener, palafico=False, dice_counts=(5, 5)) in table.events


@pytest.mark.proves("PT-2")
def test_the_first_opener_is_found_by_the_roll_and_never_named() -> None:
    given(gathered(BOOK, 2)).when(StartGame(opener=0)).refuses(OpenerNotChosen, "PT-2", rulebook=BOOK)


@pytest.mark.proves("PT-2")
def test_nobody_rolls_twice_for_the_opener() -> None:
    chains = chains_of(BOOK, 3)
    table = given(started(BOOK, 3))
    one = table.after(chains.roll(table.state, 2))

    one.when(chains.roll(one.state, 2)).refuses(AlreadyRolled, "PT-2", seat=2, waiting=(0, 1))


@pytest.mark.proves("PT-3")
def test_predicting_waits_until_every_player_has_rolled_all_dice() -> None:
    chains = chains_of(BOOK, 2)
    table, last_roll = opening_roll(2)
    rolling = table.after(last_roll)
    half = rolling.after(chains.roll(rolling.state, 0))

    half.when(bids(1, "1x2")).refuses(DiceNotRolled, "PT-3", waiting=(1,))
    half.when(chains.roll(half.state, 0)).refuses(AlreadyRolled, "PT-3", seat=0, waiting=(1,))
    whole = half.after(chains.roll(half.state, 1)).state
    assert isinstance(whole, Bidding)
    assert [cup.hidden_count for cup in whole.cups] == [5, 5]


@pytest.mark.proves("PT-4")
@pytest.mark.parametrize("opening", ["6x3", "4x*", "1x2", "1x*", "20x6"])
def test_the_first_prediction_may_stand_on_any_space(opening: str) -> None:
    """The two figures: six 3s on a number space, four wheels on a wheel space."""
    made = bid(opening)

    dealt(BOOK, "5 5 5 5 5", "4 4 4 4 4").when(bids(0, opening)).then(
        BidPlaced(seat=0, quantity=made.quantity, face=made.face)
    )


@pytest.mark.proves("PT-5")
def test_wheels_count_towards_every_number() -> None:
    table = dealt(BOOK, "3 3 * 2 2", "* * 4 4 4").after(bids(0, "5x3"))

    resolved = table.when(challenges(1)).one(ChallengeResolved)

    assert resolved.actual == 5
    assert [(count.natural, count.wild) for count in resolved.counts] == [(2, 1), (0, 2)]


@pytest.mark.proves("PT-5")
def test_only_wheels_count_towards_a_prediction_of_wheels() -> None:
    table = dealt(BOOK, "3 3 * 2 2", "* * 4 4 4").after(bids(0, "3x*"))

    assert table.when(challenges(1)).one(ChallengeResolved).actual == 3


@pytest.mark.proves("PT-6", "PT-7")
def test_six_threes_may_advance_with_any_value_or_stay_with_a_higher_one() -> None:
    assert lowest("6x3") == ("4x1", "7x2", "7x3", "6x4", "6x5", "6x6")


@pytest.mark.proves("PT-6", "R6")
@pytest.mark.parametrize(("standing", "next_space"), [("5x6", "3x*"), ("6x6", "7x2"), ("7x6", "4x*"), ("20x6", "21x2")])
def test_advancing_by_one_space_is_enough(standing: str, next_space: str) -> None:
    made = bid(next_space)

    dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3").after(bids(0, standing)).when(bids(1, next_space)).then(
        BidPlaced(seat=1, quantity=made.quantity, face=made.face)
    )


@pytest.mark.proves("PT-7")
@pytest.mark.parametrize("same_or_lower", ["6x3", "6x2", "5x6", "3x*"])
def test_staying_with_the_same_or_a_lower_value_and_going_back_are_refused(same_or_lower: str) -> None:
    table = dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3").after(bids(0, "6x3"))

    refusal = table.when(bids(1, same_or_lower)).refuses(BidNotHigher, "PT-6", "PT-7", "PT-8", standing=bid("6x3"))

    assert refusal.fields["lowest"] == tuple(bid(low) for low in ("4x*", "7x2", "7x3", "6x4", "6x5", "6x6"))


@pytest.mark.proves("PT-8")
def test_from_a_wheel_space_only_a_later_space_will_do() -> None:
    table = dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3").after(bids(0, "4x*"))

    assert lowest("4x*") == ("5x1", "8x2", "8x3", "8x4", "8x5", "8x6")
    for not_later in ("4x*", "4x6", "7x6"):
        table.when(bids(1, not_later)).refuses(BidNotHigher, "PT-6", "PT-7", "PT-8", standing=bid("4x*"))


@pytest.mark.proves("PT-9")
def test_the_turn_passes_to_the_left_and_nobody_acts_out_of_turn() -> None:
    table = dealt(BOOK, "2 2 2 2 2", "", "4 4 4 4 4", "5 5 5 5 5").after(bids(0, "1x2"))

    table.when(bids(3, "2x2")).refuses(NotYourTurn, "PT-9", turn=2, seat=3)
    table.when(challenges(0)).refuses(NotYourTurn, "PT-9", turn=2, seat=0)
    table.when(bids(2, "2x2")).then(BidPlaced(seat=2, quantity=2, face=2))


@pytest.mark.proves("PT-10")
def test_without_a_prediction_there_is_nothing_to_challenge() -> None:
    dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3").when(challenges(0)).refuses(NoBidToChallenge, "PT-10", seat=0)


@pytest.mark.proves("PT-10", "PT-12", "PT-14")
def test_the_example_jack_is_challenged_by_morgan_who_loses_two_dice_and_opens() -> None:
    """Jack predicts five 3s; four 3s and three wheels make seven."""
    jack, morgan = "3 3 * 2 6", "3 3 * * 5"
    table = dealt(BOOK, jack, morgan).after(bids(0, "5x3"))

    decided = table.when(challenges(1))

    assert decided.one(CupsLifted).dice == (cup(jack), cup(morgan))
    assert decided.one(ChallengeResolved).actual == 7
    decided.includes(
        DiceLost(seat=1, penalty=2, lost=2),
        RoundStarted(number=2, opener=1, palafico=False, dice_counts=(5, 3)),
    )


@pytest.mark.proves("PT-11", "PT-14")
def test_too_few_dice_cost_the_predictor_the_difference_and_the_challenger_opens() -> None:
    table = dealt(BOOK, "3 3 * 2 6", "4 4 5 5 5", "6 6 6 2 2").after(bids(0, "6x3"))

    decided = table.when(challenges(1))

    assert decided.one(ChallengeResolved).actual == 3
    decided.includes(
        DiceLost(seat=0, penalty=3, lost=3),
        RoundStarted(number=2, opener=1, palafico=False, dice_counts=(2, 5, 5)),
    )


@pytest.mark.proves("PT-11")
def test_the_difference_takes_no_more_dice_than_the_predictor_has() -> None:
    table = dealt(BOOK, "3 3", "4 4 5 5 5", "6 6 6 2 2").after(bids(0, "9x3"))

    table.when(challenges(1)).includes(DiceLost(seat=0, penalty=7, lost=2), PlayersEliminated(seats=(0,), place=3))


@pytest.mark.proves("PT-13")
def test_an_exact_prediction_costs_the_challenger_one_die_and_nobody_else_any() -> None:
    table = dealt(BOOK, "3 3 * 2 6", "4 4 5 5 5", "6 6 6 2 2").after(bids(0, "3x3"))

    decided = table.when(challenges(1))

    assert decided.one(DiceLost) == DiceLost(seat=1, penalty=1, lost=1)
    assert decided.one(RoundStarted).dice_counts == (5, 4, 5)


@pytest.mark.proves("PT-14", "PT-15")
def test_if_the_challenger_is_out_the_next_player_in_turn_order_opens() -> None:
    table = dealt(BOOK, "3 3 3", "4", "", "6 6").after(bids(0, "2x3"))
    chains = chains_of(BOOK, 4)

    table.when(challenges(1)).includes(
        PlayersEliminated(seats=(1,), place=3),
        RoundStarted(number=2, opener=3, palafico=False, dice_counts=(3, 0, 0, 2)),
    )
    after = table.after(challenges(1))
    after.when(chains.roll(after.state, 1)).refuses(SeatOut, "PT-15", seat=1)


@pytest.mark.proves("PT-16")
def test_the_last_player_with_dice_wins() -> None:
    table = dealt(BOOK, "3 3", "", "4").after(bids(0, "2x3"))

    table.when(challenges(2)).includes(
        PlayersEliminated(seats=(2,), place=2),
        GameEnded(winner=0, places=((0,), (2,), (1,)), chips=None),
    ).lacks(RoundStarted)
