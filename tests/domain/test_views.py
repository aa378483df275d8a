"""What each viewer sees, and what a seat may do."""

from domain.commands import Forfeit, ShowAndReroll, StartGame
from domain.events import DiceDealt
from domain.moves import NO_MOVES, legal_moves
from domain.state import Bidding
from domain.values import PlacedBid
from domain.views import GameView, Viewer, seen_by, view
from tests.made_tables import bid, bids, chains_of, challenges, cup, dealt, gathered, started
from tests.specification import Given, given


def seen(table: Given, viewer: Viewer) -> GameView:
    state = view(table.state, viewer)
    assert state is not None
    return state


def test_where_there_is_no_game_there_is_nothing_to_see() -> None:
    assert view(given().state, None) is None


def test_a_seat_sees_its_own_dice_and_only_counts_the_others() -> None:
    table = dealt("pirates", "* 3 3 5 6", "2 2 2 2 2", "")

    own, other, out = seen(table, 0).seats

    assert (own.hidden, own.hidden_count) == (cup("* 3 3 5 6"), 5)
    assert (other.hidden, other.hidden_count) == (None, 5)
    assert (out.out, out.hidden_count) == (True, 0)


def test_a_spectator_sees_no_hidden_dice_and_has_no_moves() -> None:
    watching = seen(dealt("pirates", "* 3 3 5 6", "2 2 2 2 2"), None)

    assert [seat.hidden for seat in watching.seats] == [None, None]
    assert watching.moves == NO_MOVES


def test_everybody_sees_shown_dice_and_the_bids_of_the_round() -> None:
    chains = chains_of("bidding-track", 2)
    table = dealt("bidding-track", "6 * 4 4 2", "3 3 3 3 3").after(bids(0, "2x6"))
    table = table.after(ShowAndReroll(seat=0, reroll=chains.reroll(table.state, 0, "6 *")))

    for viewer in (None, 0, 1):
        assert seen(table, viewer).seats[0].shown == cup("6 *")
        assert seen(table, viewer).bids == (PlacedBid(0, 2, 6),)
    assert seen(table, 1).seats[0].hidden is None


def test_after_the_round_everybody_sees_all_its_dice_and_how_it_ended() -> None:
    table = dealt("pirates", "* 3 3 5 6", "2 2 2 2 2").after(bids(0, "4x3"), challenges(1))

    for viewer in (None, 0, 1):
        last = seen(table, viewer).last_round
        assert last is not None
        assert last.dice == (cup("* 3 3 5 6"), cup("2 2 2 2 2"))
        assert last.settlement is not None
        assert last.settlement.actual == 3


def test_after_a_forfeit_everybody_sees_the_dice_of_the_round_that_ended() -> None:
    table = dealt("pirates", "* 3 3", "2 2", "4 4").after(Forfeit(seat=1))

    last = seen(table, None).last_round
    assert last is not None
    assert last.dice == (cup("* 3 3"), cup("2 2"), cup("4 4"))
    assert last.settlement is None


def test_a_dealt_hand_is_shown_to_its_owner_alone() -> None:
    event = DiceDealt(server_link=b"s" * 32, hands=(cup("* 2"), cup("3 4")))

    assert seen_by(event, 1) == DiceDealt(server_link=None, hands=(None, cup("3 4")))
    assert seen_by(event, None) == DiceDealt(server_link=None, hands=(None, None))


def test_an_event_that_was_read_without_the_key_stays_sealed_for_every_viewer() -> None:
    event = DiceDealt(server_link=None, hands=None)

    assert seen_by(event, 0) == event


def test_before_the_start_a_player_may_leave_and_start_once_enough_have_joined() -> None:
    alone, two = given(gathered("pirates", 2)[:2]), given(gathered("pirates", 2))

    assert (legal_moves(alone.state, 0).leave, legal_moves(alone.state, 0).start) == (True, False)
    assert legal_moves(two.state, 1).start
    assert legal_moves(two.state, 2) == NO_MOVES


def test_who_is_to_roll_may_roll_once() -> None:
    chains = chains_of("pirates", 2)
    table = given(started("pirates", 2))
    rolled = table.after(chains.roll(table.state, 0))

    assert legal_moves(table.state, 0).roll
    assert not legal_moves(rolled.state, 0).roll
    assert legal_moves(rolled.state, 1).roll


def test_who_is_to_bid_is_told_the_lowest_bid_of_each_face() -> None:
    opening = dealt("pirates", "2 2", "3 3")
    raised = opening.after(bids(0, "2x3"))

    assert legal_moves(opening.state, 0).lowest_bids == tuple(bid(f"1x{face}") for face in (2, 3, 4, 5, 6))
    assert not legal_moves(opening.state, 0).challenge
    assert legal_moves(opening.state, 1).lowest_bids == ()
    assert legal_moves(raised.state, 1).lowest_bids == tuple(map(bid, ("3x2", "3x3", "2x4", "2x5", "2x6")))
    assert legal_moves(raised.state, 1).challenge


def test_a_bidder_may_show_all_but_one_of_the_hidden_dice_until_the_next_player_acts() -> None:
    table = dealt("bidding-track", "6 * 4", "3 3", "2").after(bids(0, "2x6"))

    after = legal_moves(table.state, 0)
    assert (after.show_now, after.show_max) == (True, 2)
    assert (legal_moves(table.state, 1).show_now, legal_moves(table.state, 1).show_max) == (False, 1)
    assert legal_moves(table.state, 2).show_max == 0
    assert not legal_moves(table.after(bids(1, "3x6")).state, 0).show_now


def test_who_is_out_may_do_nothing() -> None:
    assert legal_moves(dealt("pirates", "2 2", "3 3", "").state, 2) == NO_MOVES


def test_a_game_that_is_over_shows_winner_and_places() -> None:
    over = seen(dealt("pirates", "2", "3").after(bids(0, "2x3"), challenges(1)), None)

    assert (over.phase, over.winner, over.places) == ("ended", 1, ((1,), (0,)))


def test_the_named_opener_is_the_one_the_game_waits_for() -> None:
    chains = chains_of("palafico", 2)
    table = given(started("palafico", 2, StartGame(opener=1)))
    table = table.after(chains.roll(table.state, 0))
    table = table.after(chains.roll(table.state, 1))

    assert isinstance(table.state, Bidding)
    assert seen(table, None).waiting == (1,)
