"""The book of the single hand, clause by clause."""

import pytest

from domain.commands import StartGame
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
    FaceOutOfRange,
    NoBidToChallenge,
    NotYourTurn,
    SeatOut,
    SeatsOutOfRange,
    TooFewPlayers,
)
from domain.state import Bidding, Rolling
from tests.made_tables import bid, bids, chains_of, challenges, cup, dealt, gathered, started
from tests.specification import given

BOOK = "single-hand"


def lowest(standing: str, raise_rule: str) -> tuple[str, ...]:
    """The lowest legal bids after a standing bid."""
    state = dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3", raise_rule=raise_rule).after(bids(0, standing)).state
    assert isinstance(state, Bidding)
    return tuple(str(low) for low in state.round_rules.lowest_bids(state.standing_bid))


@pytest.mark.proves("SH-1", "R1")
@pytest.mark.parametrize("players", [2, 7, 20])
def test_two_or_more_players_get_five_dice_each(players: int) -> None:
    after = given(started(BOOK, players, StartGame(opener=0))).one(RoundStarted)

    assert after.dice_counts == (5,) * players


@pytest.mark.proves("SH-1", "R1")
@pytest.mark.parametrize("players", [0, 1, 21])
def test_a_table_for_fewer_than_two_or_more_than_twenty_is_refused(players: int) -> None:
    with pytest.raises(SeatsOutOfRange) as refused:
        gathered(BOOK, players)

    assert refused.value.clauses == ("R1",)
    assert refused.value.fields["players_max"] == 20


@pytest.mark.proves("SH-1")
def test_a_game_does_not_start_with_one_player_alone() -> None:
    alone = gathered(BOOK, 2)[:-1]

    given(alone).when(StartGame(opener=0)).refuses(TooFewPlayers, "R1", players_min=2, players=1)


@pytest.mark.proves("SH-2")
def test_bidding_waits_until_every_player_has_rolled_once() -> None:
    chains = chains_of(BOOK, 2)
    rolling = given(started(BOOK, 2, StartGame(opener=0)))
    half = rolling.after(chains.roll(rolling.state, 1))

    half.when(bids(0, "1x2")).refuses(DiceNotRolled, "SH-2", waiting=(0,))
    half.when(chains.roll(half.state, 1)).refuses(AlreadyRolled, "SH-2", seat=1, waiting=(0,))
    whole = half.after(chains.roll(half.state, 0)).state
    assert isinstance(whole, Bidding)
    assert [cup.hidden_count for cup in whole.cups] == [5, 5]


@pytest.mark.proves("SH-2")
def test_a_player_rolls_only_the_dice_that_are_left() -> None:
    chains = chains_of(BOOK, 2)
    table = dealt(BOOK, "2 2 3", "4 4 4 4 4").after(bids(0, "9x2"), challenges(1))

    rolled = table.after(chains.roll(table.state, 0))
    state = rolled.after(chains.roll(rolled.state, 1)).state

    assert isinstance(state, Bidding)
    assert [cup.hidden_count for cup in state.cups] == [2, 5]


@pytest.mark.proves("SH-3")
def test_any_player_can_be_chosen_to_begin() -> None:
    given(gathered(BOOK, 3)).when(StartGame(opener=1)).includes(
        OpenerChosen(seat=1, how="named"),
        RoundStarted(number=1, opener=1, palafico=False, dice_counts=(5, 5, 5)),
    )


@pytest.mark.proves("SH-4")
@pytest.mark.parametrize("opening", ["4x3", "1x1", "6x6", "11x2"])
def test_a_bid_names_any_face_and_how_many_there_are_among_all_players(opening: str) -> None:
    """The example: four 3s."""
    made = bid(opening)

    dealt(BOOK, "2 2 2 2 2", "5 5 5 5 5").when(bids(0, opening)).then(
        BidPlaced(seat=0, quantity=made.quantity, face=made.face)
    )


@pytest.mark.proves("SH-4")
@pytest.mark.parametrize("face", [0, 7, -1])
def test_a_bid_on_a_face_that_no_die_has_is_refused(face: int) -> None:
    dealt(BOOK, "2 2 2 2 2", "5 5 5 5 5").when(bids(0, f"1x{face}")).refuses(FaceOutOfRange, "R11", face=face)


@pytest.mark.proves("SH-5")
def test_the_turn_passes_to_the_left_and_nobody_acts_out_of_turn() -> None:
    """The example: four 3s are raised to five 3s; the seat in between has no dice and is passed over."""
    table = dealt(BOOK, "2 2 2 2 2", "", "4 4 4 4 4", "5 5 5 5 5").after(bids(0, "4x3"))

    table.when(bids(3, "5x3")).refuses(NotYourTurn, "SH-5", turn=2, seat=3)
    table.when(challenges(0)).refuses(NotYourTurn, "SH-5", turn=2, seat=0)
    table.when(bids(2, "5x3")).then(BidPlaced(seat=2, quantity=5, face=3))


@pytest.mark.proves("SH-5")
def test_after_the_last_seat_the_turn_comes_round_to_the_first() -> None:
    table = dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3", opener=1).after(bids(1, "4x3"))

    table.when(bids(0, "5x3")).then(BidPlaced(seat=0, quantity=5, face=3))


@pytest.mark.proves("SH-6")
def test_without_a_bid_there_is_nothing_to_challenge() -> None:
    dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3").when(challenges(0)).refuses(NoBidToChallenge, "SH-6", seat=0)


@pytest.mark.proves("SH-6")
@pytest.mark.parametrize(
    ("claim", "winner"),
    [("3x3", 0), ("4x3", 0), ("5x3", 1)],
    ids=["more than bid", "exactly as bid", "fewer than bid"],
)
def test_a_challenged_bid_holds_if_at_least_as_many_dice_show_its_face(claim: str, winner: int) -> None:
    table = dealt(BOOK, "3 3 2 2 2", "3 3 1 1 1").after(bids(0, claim))

    decided = table.when(challenges(1))

    assert decided.one(CupsLifted).dice == (cup("3 3 2 2 2"), cup("3 3 1 1 1"))
    resolved = decided.one(ChallengeResolved)
    assert (resolved.actual, resolved.winner) == (4, winner)


@pytest.mark.proves("SH-7")
@pytest.mark.parametrize(
    ("claim", "loser"),
    [("1x3", 1), ("4x3", 1), ("5x3", 0), ("10x3", 0)],
    ids=["far more than bid", "exactly as bid", "one fewer than bid", "far fewer than bid"],
)
def test_whoever_was_wrong_loses_one_die_however_wrong(claim: str, loser: int) -> None:
    table = dealt(BOOK, "3 3 2 2 2", "3 3 4 4 4", "5 5 5 5 5").after(bids(0, claim))

    lost = table.when(challenges(1)).one(DiceLost)

    assert lost == DiceLost(seat=loser, penalty=1, lost=1)


@pytest.mark.proves("SH-8")
@pytest.mark.parametrize(("claim", "loser"), [("2x3", 1), ("3x3", 0)], ids=["challenger", "bidder"])
def test_the_loser_opens_the_next_round(claim: str, loser: int) -> None:
    table = dealt(BOOK, "3 3 2 2 2", "4 4 4 4 4", "5 5 5 5 5").after(bids(0, claim))

    started_next = table.when(challenges(1)).one(RoundStarted)

    assert (started_next.number, started_next.opener) == (2, loser)


@pytest.mark.proves("SH-8", "SH-12")
def test_if_the_loser_is_out_the_next_player_with_dice_opens() -> None:
    table = dealt(BOOK, "2 2", "3", "", "5 5", opener=0).after(bids(0, "2x2"))

    table.when(challenges(1)).includes(
        DiceLost(seat=1, penalty=1, lost=1),
        PlayersEliminated(seats=(1,), place=3),
        RoundStarted(number=2, opener=3, palafico=False, dice_counts=(2, 0, 0, 2)),
    )


@pytest.mark.proves("SH-9")
def test_first_variation_more_of_the_same_face_or_any_quantity_of_a_higher_face() -> None:
    assert lowest("4x3", "same_face_or_higher_face") == ("5x3", "1x4", "1x5", "1x6")
    assert lowest("2x6", "same_face_or_higher_face") == ("3x6",)


@pytest.mark.proves("SH-9")
@pytest.mark.parametrize("same_or_lower", ["4x3", "3x3", "5x2", "100x1"])
def test_first_variation_a_lower_face_is_no_raise_however_many(same_or_lower: str) -> None:
    table = dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3", raise_rule="same_face_or_higher_face").after(bids(0, "4x3"))

    refusal = table.when(bids(1, same_or_lower)).refuses(BidNotHigher, "SH-9", standing=bid("4x3"))

    assert refusal.fields["lowest"] == tuple(bid(low) for low in ("5x3", "1x4", "1x5", "1x6"))


@pytest.mark.proves("SH-10")
def test_second_variation_more_of_any_face_or_as_many_of_a_higher_face() -> None:
    assert lowest("4x3", "quantity_or_face") == ("5x1", "5x2", "5x3", "4x4", "4x5", "4x6")


@pytest.mark.proves("SH-10")
@pytest.mark.parametrize("same_or_lower", ["4x3", "4x2", "3x6"])
def test_the_second_variation_is_played_when_none_is_chosen(same_or_lower: str) -> None:
    table = dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3").after(bids(0, "4x3"))

    table.when(bids(1, same_or_lower)).refuses(BidNotHigher, "SH-10", bid=bid(same_or_lower), standing=bid("4x3"))
    table.when(bids(1, "5x1")).then(BidPlaced(seat=1, quantity=5, face=1))


@pytest.mark.proves("SH-11")
@pytest.mark.parametrize(
    ("standing", "raises"),
    [
        ("4x3", ("5x1", "5x2", "5x3", "5x4", "1x5", "1x6")),
        ("3x4", ("5x1", "5x2", "5x3", "5x4", "1x5", "1x6")),
        ("2x6", ("7x1", "7x2", "7x3", "7x4", "7x5", "7x6")),
        ("9x2", ("10x1", "10x2", "10x3", "10x4", "10x5", "10x6")),
    ],
)
def test_third_variation_quantity_or_face_above_the_higher_number(standing: str, raises: tuple[str, ...]) -> None:
    assert lowest(standing, "beat_the_higher_number") == raises


@pytest.mark.proves("SH-11")
@pytest.mark.parametrize("too_low", ["4x4", "4x3", "3x4"])
def test_third_variation_a_bid_with_neither_number_above_is_refused(too_low: str) -> None:
    table = dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3", raise_rule="beat_the_higher_number").after(bids(0, "4x3"))

    table.when(bids(1, too_low)).refuses(BidNotHigher, "SH-11", bid=bid(too_low), standing=bid("4x3"))


@pytest.mark.proves("SH-12")
def test_a_player_without_dice_is_out_and_takes_no_more_part() -> None:
    table = dealt(BOOK, "2 2", "3", "5 5").after(bids(0, "2x2"), challenges(1))
    chains = chains_of(BOOK, 3)

    assert isinstance(table.state, Rolling)
    assert table.state.waiting == (0, 2)
    table.when(chains.roll(table.state, 1)).refuses(SeatOut, "SH-12", seat=1)
    playing = dealt(BOOK, "2 2", "", "5 5")
    playing.when(bids(1, "1x2")).refuses(SeatOut, "SH-12", seat=1)


@pytest.mark.proves("SH-13")
def test_the_last_player_with_dice_wins() -> None:
    table = dealt(BOOK, "2 2", "", "3").after(bids(0, "2x2"))

    decided = table.when(challenges(2))

    decided.includes(
        PlayersEliminated(seats=(2,), place=2),
        GameEnded(winner=0, places=((0,), (2,), (1,)), chips=None),
    ).lacks(RoundStarted)


@pytest.mark.proves("SH-14")
def test_with_wild_aces_ones_count_towards_a_bid_on_another_face() -> None:
    table = dealt(BOOK, "3 3 1 2 2", "1 1 4 4 4", wild_aces=True).after(bids(0, "5x3"))

    resolved = table.when(challenges(1)).one(ChallengeResolved)

    assert resolved.actual == 5
    assert [(count.natural, count.wild) for count in resolved.counts] == [(2, 1), (0, 2)]


@pytest.mark.proves("SH-14")
def test_with_wild_aces_only_ones_count_towards_a_bid_on_ones() -> None:
    table = dealt(BOOK, "3 3 1 2 2", "1 1 4 4 4", wild_aces=True).after(bids(0, "3x1"))

    assert table.when(challenges(1)).one(ChallengeResolved).actual == 3


@pytest.mark.proves("SH-14", "SH-6")
def test_without_wild_aces_ones_are_a_face_like_any_other() -> None:
    table = dealt(BOOK, "3 3 1 2 2", "1 1 4 4 4").after(bids(0, "5x3"))

    resolved = table.when(challenges(1)).one(ChallengeResolved)

    assert resolved.actual == 2
    assert [count.wild for count in resolved.counts] == [0, 0]
