"""The rulings: what no book says, or what one can read in two ways. R6 and R7 stand with the bidding track, R8 and R12
with the chips.
"""

from collections import Counter
from itertools import count

import pytest
from msgspec.structs import replace

from domain.commands import AbandonGame, AnyCommand, Forfeit, JoinGame, LeaveGame, PlaceBid, StartGame, TimeOut
from domain.events import (
    BidChallenged,
    BidPlaced,
    ChallengeResolved,
    CupsLifted,
    DiceLost,
    GameAbandoned,
    GameCreated,
    GameEnded,
    GameStarted,
    Hand,
    OpenerChosen,
    OpeningDiceRolled,
    PlayerForfeited,
    PlayerJoined,
    PlayerLeft,
    PlayersEliminated,
    RollCalled,
    Rolled,
    RoundEnded,
    RoundStarted,
    TurnTimedOut,
)
from domain.fairness.derivation import deal_key, drawn, first_transcript
from domain.refusals import (
    BidNotHigher,
    FaceOutOfRange,
    GameAlreadyStarted,
    GameNotStarted,
    GameOver,
    NoSuchGame,
    NoSuchSeat,
    NotOnTheClock,
    NotRollingForOpener,
    NoTurnClock,
    OptionOutOfRange,
    QuantityOutOfRange,
    ReasonInvalid,
    SeatOut,
    SeatsOutOfRange,
    TimeNotUp,
)
from domain.rulebooks import BOOKS
from domain.state import Bidding, ChoosingOpener, Ended, Gathering, Rolling
from domain.values import PlacedBid
from tests.made_tables import bid, bids, chains_of, challenges, cup, dealt, gathered, started
from tests.openings import (
    all_contenders_roll,
    chains_of_table,
    opening_dice,
    opening_roll_like,
    opening_roll_of_game,
    wheels_and_sum,
)
from tests.specification import Given, given

BOOK_IDS = [book.id for book in BOOKS]
BOOKS_THAT_CHOOSE = ["bidding-track", "single-hand", "palafico"]

in_every_book = pytest.mark.parametrize("rulebook", BOOK_IDS)
in_every_book_that_chooses = pytest.mark.parametrize("rulebook", BOOKS_THAT_CHOOSE)


@pytest.mark.proves("R1")
def test_single_hand_seats_up_to_twenty_and_palafico_up_to_four() -> None:
    for rulebook, seats in (("single-hand", 20), ("palafico", 4)):
        assert len(gathered(rulebook, seats)) == 1 + seats
        with pytest.raises(SeatsOutOfRange) as refused:
            gathered(rulebook, seats + 1)
        assert refused.value.clauses == ("R1",)


@pytest.mark.proves("R2")
@in_every_book_that_chooses
def test_the_opener_may_be_named_when_the_game_is_created(rulebook: str) -> None:
    given(gathered(rulebook, 3, opener=2)).when(StartGame()).includes(
        OpenerChosen(seat=2, how="named"),
        RoundStarted(number=1, opener=2, palafico=False, dice_counts=(5, 5, 5)),
    )


@pytest.mark.proves("R2")
@in_every_book_that_chooses
def test_the_opener_may_be_named_at_the_start_even_if_another_was_named_before(rulebook: str) -> None:
    given(gathered(rulebook, 3)).when(StartGame(opener=1)).includes(OpenerChosen(seat=1, how="named"))
    given(gathered(rulebook, 3, opener=2)).when(StartGame(opener=1)).includes(OpenerChosen(seat=1, how="named"))


@pytest.mark.proves("R2")
@pytest.mark.parametrize("opener", [-1, 3])
def test_an_opener_must_sit_at_the_table(opener: int) -> None:
    with pytest.raises(OptionOutOfRange) as refused:
        gathered("palafico", 3, opener=opener)

    assert refused.value.clauses == ("R2",)
    given(gathered("palafico", 3)).when(StartGame(opener=opener)).refuses(NoSuchSeat, seat=opener, players=3)


@pytest.mark.proves("R2")
def test_if_nobody_took_the_seat_that_was_named_another_is_named_at_the_start() -> None:
    two_of_three = given(gathered("palafico", 3, opener=2)[:-1])

    two_of_three.when(StartGame()).refuses(NoSuchSeat, seat=2, players=2)
    two_of_three.when(StartGame(opener=0)).includes(OpenerChosen(seat=0, how="named"))


@pytest.mark.proves("R2")
@in_every_book_that_chooses
def test_if_nobody_is_named_the_opener_is_drawn_from_everybodys_links(rulebook: str) -> None:
    called = given(started(rulebook, 3))
    assert called.events[-1] == RollCalled(seats=(0, 1, 2), call=1, calls=1)

    table = all_contenders_roll(called)

    (made,) = [event for event in table.events if isinstance(event, OpeningDiceRolled)]
    (chosen,) = [event for event in table.events if isinstance(event, OpenerChosen)]
    assert made.rolls == ()
    assert chosen == OpenerChosen(seat=drawn_again(table, made.server_link), how="drawn")
    assert isinstance(table.state, Rolling)
    assert table.state.round.opener == chosen.seat


def drawn_again(table: Given, server_link: bytes) -> int:
    """The opener, computed from public information alone."""
    created = table.events[0]
    assert isinstance(created, GameCreated)
    anchors = tuple(event.anchor for event in table.events if isinstance(event, PlayerJoined))
    links = tuple((event.seat, event.link) for event in table.events if isinstance(event, Rolled))
    transcript = first_transcript(created.game_id, created.fairness.server_anchor, anchors)
    return drawn(deal_key(transcript, 1, server_link, links), tuple(range(len(anchors))))


@pytest.mark.proves("R2")
def test_every_seat_is_drawn_about_as_often_as_any_other() -> None:
    games = [opening_roll_of_game(number, "palafico", 3) for number in range(300)]

    openers = Counter(event.seat for game in games for event in game.events if isinstance(event, OpenerChosen))

    assert sum(openers.values()) == 300
    assert all(70 <= openers[seat] <= 130 for seat in range(3))


@pytest.mark.proves("R3", "PI-2")
def test_those_tied_for_the_highest_die_roll_again_alone() -> None:
    table = opening_roll_like(lambda dice: dice[0] == dice[2] > dice[1], "pirates", 3)
    chains = chains_of_table(table)

    assert table.events[-1] == RollCalled(seats=(0, 2), call=2, calls=1)
    table.when(chains.roll(table.state, 1)).refuses(NotRollingForOpener, "PI-2", seat=1, seats=(0, 2))
    again = all_contenders_roll(table)
    (made,) = [event for event in again.events[len(table.events) :] if isinstance(event, OpeningDiceRolled)]
    assert [(roll.seat, len(roll.dice)) for roll in made.rolls] == [(0, 1), (2, 1)]


@pytest.mark.proves("R3")
def test_those_who_tie_again_roll_until_one_is_highest() -> None:
    games = (opening_roll_of_game(number, "pirates", 2) for number in count())
    tied_once = (game for game in games if isinstance(game.state, ChoosingOpener))
    tied_twice = next(
        again for again in (all_contenders_roll(game) for game in tied_once) if isinstance(again.state, ChoosingOpener)
    )

    while isinstance(tied_twice.state, ChoosingOpener):
        tied_twice = all_contenders_roll(tied_twice)

    first, second = opening_dice(tied_twice)
    assert isinstance(tied_twice.state, Rolling)
    assert tied_twice.state.round.opener == (0 if first > second else 1)


@pytest.mark.proves("R3")
def test_a_skull_counts_one_in_the_opening_roll() -> None:
    lower = opening_roll_like(lambda dice: dice == (cup("*"), cup("2")), "pirates", 2)
    tied = opening_roll_like(lambda dice: dice == (cup("*"), cup("*")), "pirates", 2)

    assert OpenerChosen(seat=1, how="rolled") in lower.events
    assert tied.events[-1] == RollCalled(seats=(0, 1), call=2, calls=1)


@pytest.mark.proves("R4", "PT-2")
def test_those_tied_on_wheels_and_sum_roll_all_their_dice_again_alone() -> None:
    def first_two_tie(dice: tuple[Hand, ...]) -> bool:
        first, second, third = (wheels_and_sum(hand) for hand in dice)
        return first == second > third

    table = opening_roll_like(first_two_tie, "prediction-track", 3)
    chains = chains_of_table(table)

    assert table.events[-1] == RollCalled(seats=(0, 1), call=2, calls=1)
    table.when(chains.roll(table.state, 2)).refuses(NotRollingForOpener, "PT-2", seat=2, seats=(0, 1))
    again = all_contenders_roll(table)
    (made,) = [event for event in again.events[len(table.events) :] if isinstance(event, OpeningDiceRolled)]
    assert [(roll.seat, len(roll.dice)) for roll in made.rolls] == [(0, 5), (1, 5)]


@pytest.mark.proves("R5")
def test_in_pirates_the_opener_after_a_loser_who_is_out_is_found_round_the_table() -> None:
    table = dealt("pirates", "", "2 2 2", "3", opener=1).after(bids(1, "3x2"))
    last_seat = dealt("pirates", "5 5", "2 2 2", "3", opener=1).after(bids(1, "3x2"))

    table.when(challenges(2)).includes(GameEnded(winner=1, places=((1,), (2,), (0,)), chips=None))
    last_seat.when(challenges(2)).includes(
        PlayersEliminated(seats=(2,), place=3),
        RoundStarted(number=2, opener=0, palafico=False, dice_counts=(2, 3, 0)),
    )


@pytest.mark.proves("R9")
@in_every_book
@pytest.mark.parametrize("quantity", [1, 11, 1000])
def test_a_bid_on_up_to_a_thousand_dice_is_accepted_even_if_fewer_are_in_play(rulebook: str, quantity: int) -> None:
    table = dealt(rulebook, "2 2 2 2 2", "3 3 3 3 3")

    table.when(bids(0, f"{quantity}x2")).then(BidPlaced(seat=0, quantity=quantity, face=2))


@pytest.mark.proves("R9")
@in_every_book
@pytest.mark.parametrize("quantity", [-1, 0, 1001])
def test_a_bid_on_no_dice_or_on_more_than_a_thousand_is_refused(rulebook: str, quantity: int) -> None:
    table = dealt(rulebook, "2 2 2 2 2", "3 3 3 3 3")
    raised = table.after(bids(0, "1x2"))

    for refused in (table.when(bids(0, f"{quantity}x3")), raised.when(bids(1, f"{quantity}x3"))):
        refused.refuses(QuantityOutOfRange, "R9", quantity=quantity, quantity_max=1000)


@pytest.mark.proves("R9")
@pytest.mark.parametrize("rulebook", ["single-hand", "pirates", "palafico"])
def test_a_thousand_sixes_can_only_be_challenged(rulebook: str) -> None:
    table = dealt(rulebook, "2 2 2 2 2", "3 3 3 3 3").after(bids(0, "1000x6"))

    refusal = table.when(bids(1, "1000x6")).refuses(BidNotHigher, bid=bid("1000x6"), lowest=())

    assert "the lowest legal bids are none" in str(refusal)
    table.when(challenges(1)).includes(BidChallenged(seat=1, bid=PlacedBid(0, 1000, 6)))


@pytest.mark.proves("R10")
@in_every_book
def test_a_forfeit_ends_the_round_without_a_loser_and_lays_the_dice_open(rulebook: str) -> None:
    table = dealt(rulebook, "2 2 2 2 2", "3 3 3", "4 4 4 4", number=7).after(bids(0, "2x2"))

    decided = table.when(Forfeit(seat=1))

    lifted = decided.one(CupsLifted)
    assert lifted.dice == (cup("2 2 2 2 2"), cup("3 3 3"), cup("4 4 4 4"))
    decided.then(
        lifted,
        PlayerForfeited(seat=1, reason="resigned", lost=3),
        PlayersEliminated(seats=(1,), place=3),
        RoundEnded(number=7),
        RoundStarted(number=8, opener=2, palafico=False, dice_counts=(5, 0, 4)),
        decided.one(RollCalled),
    )
    decided.lacks(DiceLost, ChallengeResolved)


@pytest.mark.proves("R10")
@pytest.mark.parametrize(
    ("seat", "opener"), [(0, 2), (2, 3), (3, 0)], ids=["the bidder", "whose turn it is", "a bystander"]
)
def test_anyone_may_forfeit_at_any_time_of_the_bidding_and_the_player_to_the_left_opens(seat: int, opener: int) -> None:
    table = dealt("single-hand", "2 2", "", "4 4", "5 5")

    for moment in (table, table.after(bids(0, "1x2"))):
        assert moment.when(Forfeit(seat=seat)).one(RoundStarted).opener == opener


@pytest.mark.proves("R10")
@in_every_book_that_chooses
def test_a_forfeit_before_all_have_rolled_ends_the_round_and_those_who_rolled_roll_again(rulebook: str) -> None:
    chains = chains_of(rulebook, 3)
    rolling = given(started(rulebook, 3, StartGame(opener=0)))
    one_rolled = rolling.after(chains.roll(rolling.state, 1))

    decided = one_rolled.when(Forfeit(seat=0))
    decided.then(
        PlayerForfeited(seat=0, reason="resigned", lost=5),
        PlayersEliminated(seats=(0,), place=3),
        RoundEnded(number=1),
        RoundStarted(number=2, opener=1, palafico=False, dice_counts=(0, 5, 5)),
        decided.one(RollCalled),
    )
    table = one_rolled.after(Forfeit(seat=0))
    for seat in (1, 2):
        table = table.after(chains.roll(table.state, seat))
    assert isinstance(table.state, Bidding)


@pytest.mark.proves("R10")
@in_every_book
def test_when_one_of_the_last_two_forfeits_the_other_wins(rulebook: str) -> None:
    chains = chains_of(rulebook, 3)
    bidding = dealt(rulebook, "2 2", "", "4 4", opener=2).after(bids(2, "1x2"))
    rolling = bidding.after(bids(0, "2x2"), challenges(2))

    bidding.when(Forfeit(seat=2)).includes(
        PlayersEliminated(seats=(2,), place=2),
        RoundEnded(number=1),
        GameEnded(winner=0, places=((0,), (2,), (1,)), chips=None),
    ).lacks(RoundStarted)
    assert isinstance(rolling.state, Rolling)
    one_rolled = rolling.after(chains.roll(rolling.state, 0))
    one_rolled.when(Forfeit(seat=0)).includes(GameEnded(winner=2, places=((2,), (0,), (1,)), chips=None))


@pytest.mark.proves("R10")
def test_only_a_player_in_a_running_game_can_forfeit() -> None:
    running = dealt("single-hand", "2 2", "", "4 4")

    given().when(Forfeit(seat=0)).refuses(NoSuchGame)
    given(gathered("single-hand", 2)).when(Forfeit(seat=0)).refuses(GameNotStarted)
    running.when(Forfeit(seat=1)).refuses(SeatOut, "SH-12", seat=1)
    running.when(Forfeit(seat=3)).refuses(NoSuchSeat, seat=3, players=3)
    running.after(Forfeit(seat=0)).when(Forfeit(seat=2)).refuses(GameOver)


@pytest.mark.proves("R11")
def test_each_book_has_its_own_name_for_face_one() -> None:
    assert {book.id: book.wild_name for book in BOOKS} == {
        "bidding-track": "star",
        "single-hand": "ace",
        "pirates": "skull",
        "prediction-track": "wheel",
        "palafico": "one",
    }


@pytest.mark.proves("R11")
@pytest.mark.parametrize(
    ("rulebook", "sentence"), [("pirates", "Nobody may bid on skulls"), ("palafico", "a bid on ones")]
)
def test_a_refusal_calls_the_wild_by_its_name_in_the_book(rulebook: str, sentence: str) -> None:
    refusal = dealt(rulebook, "2 2 2 2 2", "3 3 3 3 3").when(bids(0, "1x1")).refusal

    assert sentence in str(refusal)


@pytest.mark.proves("R11")
@pytest.mark.parametrize("rulebook", ["bidding-track", "pirates", "prediction-track", "palafico"])
def test_the_wild_symbol_is_face_one(rulebook: str) -> None:
    table = dealt(rulebook, "1 1 3 4 5", "2 1 6 6 6").after(bids(0, "4x2"))

    resolved = table.when(challenges(1)).one(ChallengeResolved)

    assert [(count.natural, count.wild) for count in resolved.counts] == [(0, 2), (1, 1)]


@pytest.mark.proves("R11")
@in_every_book
@pytest.mark.parametrize("face", [-1, 0, 7])
def test_a_face_is_a_number_from_one_to_six(rulebook: str, face: int) -> None:
    table = dealt(rulebook, "2 2 2 2 2", "3 3 3 3 3")

    table.when(PlaceBid(seat=0, quantity=1, face=face)).refuses(FaceOutOfRange, "R11", face=face)


@pytest.mark.proves("R13")
@in_every_book
@pytest.mark.parametrize("dice", [1, 3, 10])
def test_every_book_may_be_played_with_one_to_ten_dice_each(rulebook: str, dice: int) -> None:
    table = given(started(rulebook, 2, dice_each=dice))

    assert GameStarted(dice_each=dice, chips_each=None) in table.events
    assert isinstance(table.state, ChoosingOpener)
    assert table.state.standing.dice_counts == (dice, dice)


@pytest.mark.proves("R13")
@in_every_book
@pytest.mark.parametrize("dice", [-1, 0, 11])
def test_no_dice_and_more_than_ten_are_refused(rulebook: str, dice: int) -> None:
    with pytest.raises(OptionOutOfRange) as refused:
        gathered(rulebook, 2, dice_each=dice)

    assert refused.value.clauses == ("R13",)
    assert refused.value.fields == {"option": "dice_each", "allowed": "1 to 10", "value": dice}


@pytest.mark.proves("R13", "PI-2", "PT-2")
@pytest.mark.parametrize(("rulebook", "rolled"), [("pirates", 1), ("prediction-track", 3)])
def test_with_other_dice_counts_pirates_roll_one_for_the_opener_and_the_others_all(rulebook: str, rolled: int) -> None:
    chains = chains_of(rulebook, 2, dice_each=3)
    table = given(started(rulebook, 2, dice_each=3))
    for seat in (0, 1):
        table = table.after(chains.roll(table.state, seat))

    assert [len(dice) for dice in opening_dice(table)] == [rolled, rolled]


@pytest.mark.proves("R14")
@in_every_book
@pytest.mark.parametrize(("seat", "opener"), [(0, 1), (2, 0)])
def test_after_a_forfeit_during_the_opening_roll_the_player_to_the_left_opens(
    rulebook: str, seat: int, opener: int
) -> None:
    chains = chains_of(rulebook, 3)
    table = given(started(rulebook, 3))
    one_rolled = table.after(chains.roll(table.state, 1))
    counts = tuple(0 if player == seat else 5 for player in range(3))

    for moment in (table, one_rolled):
        decided = moment.when(Forfeit(seat=seat))
        decided.then(
            PlayerForfeited(seat=seat, reason="resigned", lost=5),
            PlayersEliminated(seats=(seat,), place=3),
            RoundStarted(number=1, opener=opener, palafico=False, dice_counts=counts),
            decided.one(RollCalled),
        )


@pytest.mark.proves("R14")
def test_a_forfeit_among_those_who_tied_ends_the_opening_roll_too() -> None:
    tied = opening_roll_like(lambda dice: dice[0] == dice[2] > dice[1], "pirates", 3)

    assert tied.when(Forfeit(seat=2)).one(RoundStarted).opener == 0
    assert tied.when(Forfeit(seat=0)).one(RoundStarted).opener == 1


@pytest.mark.proves("R14", "R10")
@in_every_book
def test_a_forfeit_of_one_of_two_players_during_the_opening_roll_ends_the_game(rulebook: str) -> None:
    given(started(rulebook, 2)).when(Forfeit(seat=0)).then(
        PlayerForfeited(seat=0, reason="resigned", lost=5),
        PlayersEliminated(seats=(0,), place=2),
        GameEnded(winner=1, places=((1,), (0,)), chips=None),
    )


def on_the_clock(rulebook: str, on_timeout: str, *commands: AnyCommand) -> Given:
    """A game with thirty seconds for each turn. The dice of its first round were dealt at time 0."""
    table = dealt(rulebook, "2 2 2 2 2", "3 3 3 3 3", "4 4 4 4 4", turn_seconds=30, on_timeout=on_timeout)
    return table.after(*commands)


@pytest.mark.proves("R15", "R10")
@in_every_book
def test_a_missing_bid_can_be_a_forfeit(rulebook: str) -> None:
    table = on_the_clock(rulebook, "forfeit", bids(0, "1x2"))

    decided = table.when(TimeOut(seat=1, at=30_000))

    decided.includes(
        TurnTimedOut(seat=1, at=30_000),
        PlayerForfeited(seat=1, reason="time", lost=5, at=30_000),
        RoundStarted(number=2, opener=2, palafico=False, dice_counts=(5, 0, 5), at=30_000),
    )
    assert isinstance(decided.events[0], TurnTimedOut)


@pytest.mark.proves("R15")
@in_every_book
def test_a_missing_bid_can_be_a_challenge(rulebook: str) -> None:
    table = on_the_clock(rulebook, "challenge", bids(0, "9x2"))

    decided = table.when(TimeOut(seat=1, at=30_000))

    by_hand = table.when(replace(challenges(1), at=30_000))
    decided.then(TurnTimedOut(seat=1, at=30_000), *by_hand.events)
    decided.lacks(PlayerForfeited)


@pytest.mark.proves("R15")
@pytest.mark.parametrize("on_timeout", ["challenge", "lowest_bid"])
@pytest.mark.parametrize(
    ("rulebook", "lowest"), [("single-hand", "1x1"), ("pirates", "1x2"), ("palafico", "1x2"), ("bidding-track", "1x2")]
)
def test_where_there_is_nothing_to_challenge_the_lowest_bid_opens(on_timeout: str, rulebook: str, lowest: str) -> None:
    made = bid(lowest)

    on_the_clock(rulebook, on_timeout).when(TimeOut(seat=0, at=30_000)).then(
        TurnTimedOut(seat=0, at=30_000),
        BidPlaced(seat=0, quantity=made.quantity, face=made.face, at=30_000),
    )


@pytest.mark.proves("R15")
@pytest.mark.parametrize(
    ("rulebook", "standing", "raised"),
    [
        ("single-hand", "4x3", "4x4"),
        ("single-hand", "4x6", "5x1"),
        ("pirates", "4x6", "5x2"),
        ("palafico", "4x6", "5x1"),
        ("bidding-track", "4x3", "4x4"),
        ("bidding-track", "4x6", "5x2"),
        ("prediction-track", "1x6", "1x*"),
        ("prediction-track", "2x*", "4x2"),
    ],
)
def test_a_missing_bid_can_be_the_lowest_raise(rulebook: str, standing: str, raised: str) -> None:
    made = bid(raised)

    on_the_clock(rulebook, "lowest_bid", bids(0, standing)).when(TimeOut(seat=1, at=30_000)).then(
        TurnTimedOut(seat=1, at=30_000),
        BidPlaced(seat=1, quantity=made.quantity, face=made.face, at=30_000),
    )


@pytest.mark.proves("R15")
def test_a_clock_that_is_set_back_does_not_cost_the_next_player_the_turn() -> None:
    table = dealt("single-hand", "2 2", "3 3", "4 4", turn_seconds=10)
    late = table.after(replace(bids(0, "1x2"), at=1_000_000))

    early = late.when(replace(bids(1, "2x2"), at=0))

    assert early.one(BidPlaced).at == 1_000_000
    given(late.events, early.events).when(TimeOut(seat=2, at=1_000_001)).refuses(TimeNotUp, "R15", milliseconds=9_999)


@pytest.mark.proves("R15", "R9")
def test_where_no_bid_is_higher_a_missing_one_is_a_challenge() -> None:
    table = on_the_clock("single-hand", "lowest_bid", bids(0, "1000x6"))

    table.when(TimeOut(seat=1, at=30_000)).includes(DiceLost(seat=0, penalty=1, lost=1, at=30_000))


@pytest.mark.proves("R15")
@in_every_book
@pytest.mark.parametrize("on_timeout", ["forfeit", "challenge", "lowest_bid"])
def test_a_missing_roll_is_always_a_forfeit(rulebook: str, on_timeout: str) -> None:
    opening = given(started(rulebook, 3, turn_seconds=30, on_timeout=on_timeout))
    first_round = opening.after(Forfeit(seat=2))

    assert isinstance(opening.state, ChoosingOpener)
    assert isinstance(first_round.state, Rolling)
    for table in (opening, first_round):
        decided = table.when(TimeOut(seat=1, at=30_000))
        assert decided.events[:2] == (
            TurnTimedOut(seat=1, at=30_000),
            PlayerForfeited(seat=1, reason="time", lost=5, at=30_000),
        )


@pytest.mark.proves("R15")
def test_nobodys_time_is_up_before_the_last_millisecond() -> None:
    table = on_the_clock("single-hand", "forfeit")

    table.when(TimeOut(seat=0, at=0)).refuses(TimeNotUp, "R15", seat=0, milliseconds=30_000)
    table.when(TimeOut(seat=0, at=29_999)).refuses(TimeNotUp, "R15", seat=0, milliseconds=1)
    table.when(TimeOut(seat=0, at=30_000)).includes(TurnTimedOut(seat=0, at=30_000))


@pytest.mark.proves("R15")
def test_each_bid_gives_the_next_player_the_whole_time() -> None:
    table = on_the_clock("single-hand", "forfeit", PlaceBid(seat=0, quantity=1, face=2, at=20_000))

    table.when(TimeOut(seat=1, at=49_999)).refuses(TimeNotUp, "R15", seat=1, milliseconds=1)
    table.when(TimeOut(seat=1, at=50_000)).includes(TurnTimedOut(seat=1, at=50_000))


@pytest.mark.proves("R15")
def test_only_those_the_game_waits_for_run_out_of_time() -> None:
    chains = chains_of("single-hand", 3)
    bidding = on_the_clock("single-hand", "forfeit")
    rolling = given(started("single-hand", 3, StartGame(opener=0), turn_seconds=30))
    one_rolled = rolling.after(chains.roll(rolling.state, 1))

    bidding.when(TimeOut(seat=1, at=99_999)).refuses(NotOnTheClock, "R15", seat=1, waiting=(0,))
    one_rolled.when(TimeOut(seat=1, at=99_999)).refuses(NotOnTheClock, "R15", seat=1, waiting=(0, 2))
    one_rolled.when(TimeOut(seat=2, at=99_999)).includes(TurnTimedOut(seat=2, at=99_999))


@pytest.mark.proves("R15")
def test_a_game_without_a_clock_has_all_the_time_in_the_world() -> None:
    dealt("single-hand", "2 2", "3 3").when(TimeOut(seat=0, at=10**12)).refuses(NoTurnClock)


@pytest.mark.proves("R16")
@in_every_book
def test_who_leaves_before_the_start_gives_the_seat_back_and_the_higher_seats_move_down(rulebook: str) -> None:
    table = given(gathered(rulebook, 4))

    table.when(LeaveGame(seat=1)).then(PlayerLeft(seat=1))
    after = table.after(LeaveGame(seat=1)).state
    assert isinstance(after, Gathering)
    assert [player.name for player in after.table.players] == ["Ann", "Cleo", "Dan"]


@pytest.mark.proves("R16")
def test_who_left_can_come_back_to_the_last_seat_with_the_same_chain() -> None:
    chains = chains_of("palafico", 3)
    left = given(gathered("palafico", 3)).after(LeaveGame(seat=0))
    back = JoinGame(player_id="player-0", name="Ann", anchor=chains.players[0].anchor)

    joined = left.when(back).one(PlayerJoined)

    assert (joined.seat, joined.name) == (2, "Ann")


@pytest.mark.proves("R16")
def test_only_a_seat_that_is_taken_can_be_left_and_none_after_the_start() -> None:
    waiting = given(gathered("palafico", 2))

    waiting.when(LeaveGame(seat=2)).refuses(NoSuchSeat, seat=2, players=2)
    waiting.when(LeaveGame(seat=-1)).refuses(NoSuchSeat, seat=-1)
    waiting.after(StartGame()).when(LeaveGame(seat=0)).refuses(GameAlreadyStarted)
    given().when(LeaveGame(seat=0)).refuses(NoSuchGame)


REASON = "the lights went out"


@pytest.mark.proves("R17")
@in_every_book
def test_abandoning_a_game_before_the_first_round_ends_it_without_a_winner(rulebook: str) -> None:
    chains = chains_of(rulebook, 2)
    opening = given(started(rulebook, 2))
    one_rolled = opening.after(chains.roll(opening.state, 0))

    for table in (given(gathered(rulebook, 2)), opening, one_rolled):
        decided = table.when(AbandonGame(reason=REASON))
        decided.then(GameAbandoned(reason=REASON))
        assert isinstance(decided.state, Ended)
        assert (decided.state.winner, decided.state.places, decided.state.abandoned) == (None, (), REASON)


@pytest.mark.proves("R17")
@in_every_book_that_chooses
def test_abandoning_a_round_before_the_dice_fell_has_nothing_to_reveal(rulebook: str) -> None:
    chains = chains_of(rulebook, 2)
    rolling = given(started(rulebook, 2, StartGame(opener=0)))

    rolling.after(chains.roll(rolling.state, 0)).when(AbandonGame(reason=REASON)).then(
        RoundEnded(number=1), GameAbandoned(reason=REASON)
    )


@pytest.mark.proves("R17")
@in_every_book
def test_abandoning_a_round_that_was_dealt_reveals_its_dice(rulebook: str) -> None:
    table = dealt(rulebook, "2 2 2", "3 3 3 3").after(bids(0, "1x2"))

    decided = table.when(AbandonGame(reason=REASON))

    lifted = decided.one(CupsLifted)
    assert lifted.dice == (cup("2 2 2"), cup("3 3 3 3"))
    assert [deal.server_link for deal in lifted.deals] == [chains_of(rulebook, 2).server.link(1)]
    decided.then(lifted, RoundEnded(number=1), GameAbandoned(reason=REASON))
    assert isinstance(decided.state, Ended)
    assert (decided.state.winner, decided.state.abandoned) == (None, REASON)


@pytest.mark.proves("R17")
def test_an_abandoned_or_finished_game_is_over_for_every_command() -> None:
    abandoned = dealt("single-hand", "2 2", "3 3").after(AbandonGame(reason=REASON))
    finished = dealt("single-hand", "2 2", "3 3").after(Forfeit(seat=0))

    for over in (abandoned, finished):
        for command in (AbandonGame(reason=REASON), Forfeit(seat=1), bids(0, "1x2"), StartGame(), LeaveGame(seat=0)):
            over.when(command).refuses(GameOver)
    given().when(AbandonGame(reason=REASON)).refuses(NoSuchGame)


@pytest.mark.proves("R17")
@pytest.mark.parametrize("reason", ["", "x" * 201, "two\nlines", "a bell \x07"])
def test_the_reason_must_be_a_line_of_text(reason: str) -> None:
    given(gathered("palafico", 2)).when(AbandonGame(reason=reason)).refuses(ReasonInvalid, reason=reason)


@pytest.mark.proves("R17")
@pytest.mark.parametrize("reason", ["x", "x" * 200, "Ärger 🎲"])
def test_any_short_line_is_a_reason(reason: str) -> None:
    given(gathered("palafico", 2)).when(AbandonGame(reason=reason)).then(GameAbandoned(reason=reason))
