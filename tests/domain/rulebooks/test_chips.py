"""Playing the bidding track for chips: the antes, the two pots and who takes them."""

from collections.abc import Iterator

import pytest

from domain.commands import AbandonGame, AnyCommand, Forfeit, StartGame
from domain.events import Ante, AntesPaid, GameEnded, PotWon, RoundStarted
from domain.evolve import evolve
from domain.refusals import OptionNotInRulebook
from domain.state import NOTHING, Bidding, Ended, Gathering, Nothing, Rolling, Standing, State
from tests.made_tables import Chains, bids, chains_of, challenges, dealt, gathered, started
from tests.specification import Decided, Given, given

BOOK = "bidding-track"


def antes_paid(table: Given, *antes: Ante) -> Given:
    """The same table with antes paid at the start of its round."""
    begun = 1 + next(index for index, event in enumerate(table.events) if isinstance(event, RoundStarted))
    return given(table.events[:begun], AntesPaid(antes=antes), table.events[begun:])


def with_stacks(*stacks: int) -> Given:
    """Seat 0 holds five 2s, the others none, and everyone has so many chips left; the others lie in the game pot."""
    table = dealt(BOOK, "2 2 2 2 2", *["3 3 3 3 3"] * (len(stacks) - 1), chips=True)
    return antes_paid(table, *(Ante(seat, 0, 50 - stack) for seat, stack in enumerate(stacks)))


def standing_of(state: State) -> Standing:
    """What is carried from round to round, in a game that has started."""
    assert not isinstance(state, Nothing | Gathering)
    assert state.standing is not None
    return state.standing


def played_out(table: Given, chains: Chains) -> Given:
    """The game to its end: all roll, every opener bids one 2 fewer than there are, and the next player challenges."""
    state, events = table.state, list(table.events)
    while not isinstance(state, Ended):
        decided = Decided(state, _next_command(state, chains))
        state = decided.state
        events += decided.events
    return given(events)


def _next_command(state: State, chains: Chains) -> AnyCommand:
    if isinstance(state, Rolling):
        return chains.roll(state, state.waiting[0])
    assert isinstance(state, Bidding)
    dice = [die for cup in state.cups for die in cup.hidden or ()]
    claim = max(1, dice.count(2) + dice.count(1) - 1)
    return challenges(state.turn) if state.bids else bids(state.turn, f"{claim}x2")


def chips_on_the_table(table: Given) -> Iterator[int]:
    """All stacks and both pots together, after each event since the game started."""
    state: State = NOTHING
    for event in table.events:
        state = evolve(state, event)
        if not isinstance(state, Nothing | Gathering):
            standing = standing_of(state)
            assert standing.chips is not None
            assert min(*standing.chips, standing.round_pot, standing.game_pot) >= 0
            yield sum(standing.chips) + standing.round_pot + standing.game_pot


@pytest.mark.proves("BT-20")
def test_everyone_starts_with_fifty_chips_and_pays_one_to_each_pot() -> None:
    table = given(started(BOOK, 3, StartGame(opener=0), chips=True))

    assert table.one(AntesPaid) == AntesPaid(antes=(Ante(0, 1, 1), Ante(1, 1, 1), Ante(2, 1, 1)))
    standing = standing_of(table.state)
    assert standing.chips == (48, 48, 48)
    assert (standing.round_pot, standing.game_pot) == (3, 3)


@pytest.mark.proves("BT-20")
def test_without_the_option_nobody_has_chips() -> None:
    table = given(started(BOOK, 3, StartGame(opener=0)))

    assert standing_of(table.state).chips is None
    assert not [event for event in table.events if isinstance(event, AntesPaid)]


@pytest.mark.proves("BT-20")
@pytest.mark.parametrize(
    ("claim", "winner"), [("4x2", 0), ("5x2", 0), ("6x2", 1)], ids=["holds", "is exact", "is too high"]
)
def test_the_winner_of_the_challenge_takes_the_round_pot(claim: str, winner: int) -> None:
    table = dealt(BOOK, "2 2 2 2 2", "3 3 3 3 3", "4 4 4 4 4", chips=True)
    paid = antes_paid(table, Ante(0, 1, 1), Ante(1, 1, 1), Ante(2, 1, 1)).after(bids(0, claim))

    decided = paid.when(challenges(1))

    assert decided.one(PotWon) == PotWon(seat=winner, pot="round", chips=3)
    standing = standing_of(decided.state)
    assert standing.chips == tuple(49 if seat == winner else 46 for seat in range(3))
    assert (standing.round_pot, standing.game_pot) == (3, 6)


@pytest.mark.proves("BT-17", "BT-20")
def test_a_player_who_is_out_pays_no_more_antes_and_keeps_the_chips() -> None:
    table = dealt(BOOK, "2 2", "3", "4 4", chips=True).after(bids(0, "1x2"))

    decided = table.when(challenges(1))

    assert decided.one(AntesPaid) == AntesPaid(antes=(Ante(0, 1, 1), Ante(2, 1, 1)))
    assert standing_of(decided.state).chips == (48, 50, 48)


@pytest.mark.proves("BT-20", "BT-21")
def test_the_winner_of_the_game_takes_the_game_pot_after_the_last_round_pot() -> None:
    table = antes_paid(dealt(BOOK, "2 2", "3", chips=True), Ante(0, 1, 6), Ante(1, 1, 3)).after(bids(0, "1x2"))

    decided = table.when(challenges(1))

    decided.includes(
        PotWon(seat=0, pot="round", chips=2),
        PotWon(seat=0, pot="game", chips=9),
        GameEnded(winner=0, places=((0,), (1,)), chips=(54, 46)),
    )
    standing = standing_of(decided.state)
    assert (standing.chips, standing.round_pot, standing.game_pot) == ((54, 46), 0, 0)


@pytest.mark.proves("R8")
def test_a_player_with_one_chip_pays_it_into_the_round_pot_and_one_with_none_plays_on_for_nothing() -> None:
    table = with_stacks(50, 1, 0, 2).after(bids(0, "4x2"))

    decided = table.when(challenges(1))

    assert decided.one(AntesPaid).antes == (Ante(0, 1, 1), Ante(1, 1, 0), Ante(2, 0, 0), Ante(3, 1, 1))
    after = decided.state
    assert isinstance(after, Rolling)
    assert after.waiting == (0, 1, 2, 3)
    assert (after.standing.chips, after.standing.round_pot) == ((48, 0, 0, 0), 3)


@pytest.mark.proves("R8")
def test_when_nobody_can_pay_there_is_no_round_pot_to_win() -> None:
    table = with_stacks(0, 0).after(bids(0, "4x2"))

    decided = table.when(challenges(1))

    decided.lacks(PotWon)
    assert decided.one(AntesPaid).antes == (Ante(0, 0, 0), Ante(1, 0, 0))


@pytest.mark.proves("R8", "BT-20")
def test_a_player_without_chips_can_win_the_round_pot_and_pays_again() -> None:
    table = antes_paid(dealt(BOOK, "2 2 2", "3 3 3", chips=True), Ante(0, 1, 49), Ante(1, 1, 1)).after(bids(0, "2x2"))

    decided = table.when(challenges(1))

    assert decided.one(PotWon) == PotWon(seat=0, pot="round", chips=2)
    assert decided.one(AntesPaid).antes == (Ante(0, 1, 1), Ante(1, 1, 1))


@pytest.mark.proves("R12", "R10")
def test_the_round_pot_of_a_forfeited_round_stays_and_grows_for_the_next() -> None:
    chains = chains_of(BOOK, 3, chips=True)
    forfeited = given(started(BOOK, 3, StartGame(opener=0), chips=True)).after(Forfeit(seat=2))

    standing = standing_of(forfeited.state)
    assert (standing.chips, standing.round_pot, standing.game_pot) == ((46, 46, 48), 5, 5)
    rolled = forfeited.after(chains.roll(forfeited.state, 0))
    dealt_next = rolled.after(chains.roll(rolled.state, 1)).after(bids(0, "1000x2"))
    dealt_next.when(challenges(1)).includes(
        PotWon(seat=1, pot="round", chips=5),
        PotWon(seat=1, pot="game", chips=5),
        GameEnded(winner=1, places=((1,), (0,), (2,)), chips=(46, 56, 48)),
    )


@pytest.mark.proves("R12", "R10")
def test_whoever_wins_by_the_forfeit_of_the_last_other_player_takes_both_pots() -> None:
    table = given(started(BOOK, 2, StartGame(opener=0), chips=True))

    table.when(Forfeit(seat=0)).includes(
        PotWon(seat=1, pot="round", chips=2),
        PotWon(seat=1, pot="game", chips=2),
        GameEnded(winner=1, places=((1,), (0,)), chips=(48, 52)),
    )


@pytest.mark.proves("R17")
def test_an_abandoned_game_leaves_the_pots_where_they_are() -> None:
    table = given(started(BOOK, 2, StartGame(opener=0), chips=True))

    decided = table.when(AbandonGame(reason="the table is needed"))

    decided.lacks(PotWon)
    standing = standing_of(decided.state)
    assert (standing.chips, standing.round_pot, standing.game_pot) == ((48, 48), 2, 2)


@pytest.mark.proves("BT-20")
@pytest.mark.parametrize("rulebook", ["single-hand", "pirates", "prediction-track", "palafico"])
def test_no_other_book_is_played_for_chips(rulebook: str) -> None:
    with pytest.raises(OptionNotInRulebook) as refused:
        gathered(rulebook, 2, chips=True)

    assert refused.value.clauses == ("BT-20",)
    assert refused.value.fields["option"] == "chips"


@pytest.mark.proves("BT-20", "R8")
def test_no_chip_is_made_or_lost_in_a_game_so_long_that_players_run_short() -> None:
    chains = chains_of(BOOK, 6, chips=True, dice_each=10)
    over = played_out(given(started(BOOK, 6, StartGame(opener=0), chips=True, dice_each=10)), chains)

    ended = over.events[-1]

    assert set(chips_on_the_table(over)) == {300}
    assert isinstance(ended, GameEnded)
    assert ended.chips == standing_of(over.state).chips
    antes = [ante for event in over.events if isinstance(event, AntesPaid) for ante in event.antes]
    assert {(ante.round_pot, ante.game_pot) for ante in antes} >= {(1, 1), (0, 0)}


@pytest.mark.proves("BT-20", "R12")
def test_no_chip_is_made_or_lost_when_a_player_forfeits() -> None:
    chains = chains_of(BOOK, 4, chips=True)
    forfeited = given(started(BOOK, 4, StartGame(opener=0), chips=True)).after(Forfeit(seat=1))

    assert set(chips_on_the_table(played_out(forfeited, chains))) == {200}
