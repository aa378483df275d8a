"""The pirates' book, clause by clause."""

import pytest

from domain.commands import JoinGame, Roll, StartGame
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
    OpenerNotChosen,
    SeatOut,
    SeatsOutOfRange,
    TableFull,
    WildNotBiddable,
)
from domain.state import Bidding, ChoosingOpener, Rolling
from tests.made_tables import bid, bids, chains_of, challenges, cup, dealt, gathered, started
from tests.openings import opening_roll_like
from tests.specification import Given, given

BOOK = "pirates"


def opening_roll(players: int) -> tuple[Given, Roll]:
    """A table at which all but the last have rolled for the first opener, and the roll that settles it."""
    chains = chains_of(BOOK, players)
    table = given(started(BOOK, players))
    for seat in range(players - 1):
        table = table.after(chains.roll(table.state, seat))
    return table, chains.roll(table.state, players - 1)


@pytest.mark.proves("PI-1")
@pytest.mark.parametrize("players", [2, 4])
def test_two_to_four_players_get_five_dice_each(players: int) -> None:
    state = given(started(BOOK, players)).state

    assert isinstance(state, ChoosingOpener)
    assert state.standing.dice_counts == (5,) * players


@pytest.mark.proves("PI-1")
@pytest.mark.parametrize("players", [1, 5])
def test_a_table_for_fewer_than_two_or_more_than_four_is_refused(players: int) -> None:
    with pytest.raises(SeatsOutOfRange) as refused:
        gathered(BOOK, players)

    assert refused.value.clauses == ("PI-1",)


@pytest.mark.proves("PI-1")
def test_nobody_joins_a_full_table() -> None:
    fifth = JoinGame(player_id="player-4", name="Eve", anchor=b"5" * 32)

    given(gathered(BOOK, 4)).when(fifth).refuses(TableFull, "PI-1", seats=4)


@pytest.mark.proves("PI-2")
@pytest.mark.parametrize(
    ("dice", "opener"),
    [(("4", "3"), 0), (("5", "4", "6"), 2), (("3", "5", "3"), 1)],
)
def test_everyone_rolls_one_die_and_the_highest_opens(dice: tuple[str, ...], opener: int) -> None:
    rolled = tuple(cup(die) for die in dice)

    table = opening_roll_like(lambda hands: hands == rolled, BOOK, len(dice))

    assert OpenerChosen(seat=opener, how="rolled") in table.events
    assert RoundStarted(number=1, opener=opener, palafico=False, dice_counts=(5,) * len(dice)) in table.events


@pytest.mark.proves("PI-2")
def test_the_first_opener_is_found_by_the_roll_and_never_named() -> None:
    given(gathered(BOOK, 2)).when(StartGame(opener=0)).refuses(OpenerNotChosen, "PI-2", rulebook=BOOK)


@pytest.mark.proves("PI-2")
def test_nobody_rolls_twice_for_the_opener_and_nobody_bids_before_it_is_known() -> None:
    chains = chains_of(BOOK, 3)
    table = given(started(BOOK, 3))
    one = table.after(chains.roll(table.state, 1))

    one.when(chains.roll(one.state, 1)).refuses(AlreadyRolled, "PI-2", seat=1, waiting=(0, 2))
    one.when(bids(0, "1x2")).refuses(DiceNotRolled, "PI-3", waiting=(0, 2))


@pytest.mark.proves("PI-3")
def test_bidding_waits_until_every_player_has_rolled_all_dice() -> None:
    chains = chains_of(BOOK, 2)
    table, last_roll = opening_roll(2)
    rolling = table.after(last_roll)
    half = rolling.after(chains.roll(rolling.state, 0))

    half.when(bids(0, "1x2")).refuses(DiceNotRolled, "PI-3", waiting=(1,))
    half.when(chains.roll(half.state, 0)).refuses(AlreadyRolled, "PI-3", seat=0, waiting=(1,))
    whole = half.after(chains.roll(half.state, 1)).state
    assert isinstance(whole, Bidding)
    assert [cup.hidden_count for cup in whole.cups] == [5, 5]


@pytest.mark.proves("PI-4")
@pytest.mark.parametrize("opening", ["4x2", "1x6", "20x3"])
def test_a_bid_names_a_number_and_how_many_dice_of_it_there_are(opening: str) -> None:
    """The example: four 2s."""
    made = bid(opening)

    dealt(BOOK, "3 3 3 3 3", "4 4 4 4 4").when(bids(0, opening)).then(
        BidPlaced(seat=0, quantity=made.quantity, face=made.face)
    )


@pytest.mark.proves("PI-5")
def test_two_fives_and_three_skulls_make_five_fives() -> None:
    table = dealt(BOOK, "5 5 * * *", "2 2 3 3 4").after(bids(0, "5x5"))

    resolved = table.when(challenges(1)).one(ChallengeResolved)

    assert (resolved.actual, resolved.winner) == (5, 0)
    assert [(count.natural, count.wild) for count in resolved.counts] == [(2, 3), (0, 0)]


@pytest.mark.proves("PI-6")
def test_skulls_cannot_be_bid_to_open() -> None:
    refusal = (
        dealt(BOOK, "* * * * *", "4 4 4 4 4").when(bids(0, "1x*")).refuses(WildNotBiddable, "PI-6", wild_name="skull")
    )

    assert refusal.fields["lowest"] == tuple(bid(low) for low in ("1x2", "1x3", "1x4", "1x5", "1x6"))


@pytest.mark.proves("PI-6")
def test_skulls_cannot_be_bid_as_a_raise_either() -> None:
    table = dealt(BOOK, "* * * * *", "4 4 4 4 4").after(bids(0, "1x4"))

    table.when(bids(1, "9x*")).refuses(WildNotBiddable, "PI-6", wild_name="skull")


@pytest.mark.proves("PI-7")
def test_the_turn_passes_to_the_left_and_nobody_acts_out_of_turn() -> None:
    table = dealt(BOOK, "2 2 2 2 2", "", "4 4 4 4 4", "5 5 5 5 5").after(bids(0, "1x2"))

    table.when(bids(3, "2x2")).refuses(NotYourTurn, "PI-7", turn=2, seat=3)
    table.when(challenges(0)).refuses(NotYourTurn, "PI-7", turn=2, seat=0)
    table.when(bids(2, "2x2")).then(BidPlaced(seat=2, quantity=2, face=2))


@pytest.mark.proves("PI-8")
@pytest.mark.parametrize(
    ("standing", "raised"),
    [
        ("4x2", "5x2"),
        ("2x5", "4x5"),
        ("4x2", "4x3"),
        ("2x2", "2x6"),
        ("4x2", "5x4"),
        ("3x2", "6x3"),
        ("4x4", "5x2"),
    ],
)
def test_the_raising_examples(standing: str, raised: str) -> None:
    """More dice, a higher number, both at once, and more dice of a lower number."""
    made = bid(raised)

    dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3").after(bids(0, standing)).when(bids(1, raised)).then(
        BidPlaced(seat=1, quantity=made.quantity, face=made.face)
    )


@pytest.mark.proves("PI-8")
@pytest.mark.parametrize("same_or_lower", ["4x4", "4x3", "3x6", "1x5"])
def test_the_quantity_never_falls_and_the_same_bid_is_no_raise(same_or_lower: str) -> None:
    table = dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3").after(bids(0, "4x4"))

    refusal = table.when(bids(1, same_or_lower)).refuses(BidNotHigher, "PI-8", standing=bid("4x4"))

    assert refusal.fields["lowest"] == tuple(bid(low) for low in ("5x2", "5x3", "5x4", "4x5", "4x6"))


@pytest.mark.proves("PI-9")
def test_without_a_bid_there_is_nothing_to_challenge() -> None:
    dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3").when(challenges(0)).refuses(NoBidToChallenge, "PI-9", seat=0)


@pytest.mark.proves("PI-9")
def test_a_challenge_lifts_all_cups_and_counts_the_number_and_the_skulls_of_everyone() -> None:
    table = dealt(BOOK, "4 4 * 2 2", "* 3 3 3 3", "4 5 5 5 5").after(bids(0, "3x4"))

    decided = table.when(challenges(1))

    assert decided.one(CupsLifted).dice == (cup("4 4 * 2 2"), cup("* 3 3 3 3"), cup("4 5 5 5 5"))
    assert decided.one(ChallengeResolved).actual == 5


@pytest.mark.proves("PI-10", "PI-11")
@pytest.mark.parametrize(
    ("claim", "loser"),
    [("1x4", 1), ("3x4", 1), ("4x4", 0), ("9x4", 0)],
    ids=["far more than bid", "exactly as bid", "one fewer than bid", "far fewer than bid"],
)
def test_whoever_was_wrong_loses_one_die_and_opens_the_next_round(claim: str, loser: int) -> None:
    table = dealt(BOOK, "4 4 * 2 2", "3 3 3 3 3", "5 5 5 5 5").after(bids(0, claim))

    decided = table.when(challenges(1))

    assert decided.one(DiceLost) == DiceLost(seat=loser, penalty=1, lost=1)
    assert decided.one(RoundStarted).opener == loser


@pytest.mark.proves("PI-12", "R5")
def test_a_player_without_dice_is_out_and_the_player_to_the_left_opens() -> None:
    table = dealt(BOOK, "2 2", "3", "", "5 5").after(bids(0, "2x2"))
    chains = chains_of(BOOK, 4)

    table.when(challenges(1)).includes(
        DiceLost(seat=1, penalty=1, lost=1),
        PlayersEliminated(seats=(1,), place=3),
        RoundStarted(number=2, opener=3, palafico=False, dice_counts=(2, 0, 0, 2)),
    )
    after = table.after(challenges(1))
    assert isinstance(after.state, Rolling)
    assert after.state.waiting == (0, 3)
    after.when(chains.roll(after.state, 1)).refuses(SeatOut, "PI-12", seat=1)


@pytest.mark.proves("PI-13")
def test_the_last_player_with_dice_wins() -> None:
    table = dealt(BOOK, "2 2", "", "3").after(bids(0, "3x2"))
    again = dealt(BOOK, "2", "", "3").after(bids(0, "2x2"))

    table.when(challenges(2)).lacks(GameEnded)
    again.when(challenges(2)).includes(GameEnded(winner=2, places=((2,), (0,), (1,)), chips=None)).lacks(RoundStarted)
