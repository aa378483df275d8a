"""The facts about each seat, in games that are small enough to count on paper."""

from fractions import Fraction
from itertools import product

import pytest

from domain.commands import Challenge, PlaceBid, ShowAndReroll, TimeOut
from domain.events import BidPlaced, DiceRerolled
from domain.history.replaying import revealed
from domain.options import DEFAULT_OPTIONS
from domain.rulebooks import latest, rules_of
from domain.statistics.chances import reckoning_of
from domain.statistics.counting import facts_of, places_of
from domain.statistics.facts import ONE, TIME_BINS, TIME_MAX, SeatFacts
from domain.views import seen_by
from tests.made_tables import bids, chains_of, challenges, dealt
from tests.specification import Given


def facts(game: Given, copied: int = 0) -> tuple[SeatFacts, ...]:
    """The facts of a game as a reader without keys knows it."""
    return facts_of(revealed([seen_by(event, None) for event in game.events]), copied)


def billionths(share: Fraction) -> int:
    return round(share * ONE)


def test_a_safe_bid_and_a_well_founded_challenge_are_both_the_best_decision() -> None:
    ann, bob = facts(dealt("single-hand", "5 5", "3 4").after(bids(0, "2x5"), challenges(1)))

    assert (ann.decisions, ann.best_decisions, ann.regret) == (1, 1, 0)
    assert (ann.bids, ann.risk, ann.bluffs) == (1, 0, 0)
    assert (ann.challenged, ann.held, ann.exact, ann.brier) == (1, 1, 1, 0)
    assert (bob.decisions, bob.best_decisions, bob.regret) == (1, 1, 0)
    assert (bob.challenges, bob.challenges_won, bob.bids) == (1, 0, 0)
    assert (bob.against, bob.against_won) == ((1, 0), (0, 0))
    assert ann.party_expected == ONE
    assert bob.party_expected == billionths(Fraction(35, 36))
    assert bob.party_variance == billionths(Fraction(35, 36) * Fraction(1, 36))


def test_regret_is_how_far_the_chance_to_be_right_was_below_the_best_one() -> None:
    """Ann could have bid one five and be right for sure; three fives need Bob's single die to be one."""
    ann, bob = facts(dealt("single-hand", "5 5", "2").after(bids(0, "3x5"), challenges(1)))

    assert (ann.best_decisions, ann.regret) == (0, billionths(Fraction(5, 6)))
    assert ann.risk == billionths(Fraction(5, 6))
    assert ann.risk_squares == billionths(Fraction(5, 6)) ** 2 // ONE
    assert ann.calibration_bids == (0, 1, 0, 0, 0, 0, 0, 0, 0, 0)
    assert ann.calibration_held == (0,) * 10
    assert ann.calibration_chance == (0, billionths(Fraction(1, 6)), 0, 0, 0, 0, 0, 0, 0, 0)
    assert ann.brier == billionths(Fraction(1, 6)) ** 2 // ONE
    assert (bob.challenges_won, bob.against_won) == (1, (1, 0))


def test_a_challenge_that_gives_up_a_safe_raise_is_regretted() -> None:
    """Bob has a six himself and sees none of Ann's dice: one six is certain, that one five fails is 5 in 6."""
    _, bob = facts(dealt("single-hand", "5", "6").after(bids(0, "1x5"), challenges(1)))

    assert (bob.best_decisions, bob.regret) == (0, billionths(Fraction(1, 6)))


@pytest.mark.parametrize(
    ("rulebook", "cups", "bid", "is_bluff"),
    [
        ("single-hand", ("3 4", "5 5"), "1x5", True),
        ("single-hand", ("3 5", "5 5"), "9x5", False),
        ("single-hand", ("* 3", "5 5"), "1x5", True),
        ("bidding-track", ("* 3", "5 5"), "1x5", False),
        ("bidding-track", ("2 3", "5 5"), "1x5", True),
        ("pirates", ("* 3", "4 4"), "2x4", False),
    ],
)
def test_a_bluff_is_a_bid_to_which_none_of_the_own_dice_counts(
    rulebook: str, cups: tuple[str, ...], bid: str, *, is_bluff: bool
) -> None:
    ann, _ = facts(dealt(rulebook, *cups).after(bids(0, bid), challenges(1)))

    assert (ann.bids, ann.bluffs, ann.bluffs_challenged) == (1, is_bluff, is_bluff)


def test_a_bluff_is_caught_if_it_is_challenged_and_fails() -> None:
    held, _ = facts(dealt("single-hand", "3 4", "5 5").after(bids(0, "2x5"), challenges(1)))
    caught, _ = facts(dealt("single-hand", "3 4", "5 2").after(bids(0, "2x5"), challenges(1)))
    let_go, bob = facts(dealt("single-hand", "3 4", "5 2").after(bids(0, "1x5"), bids(1, "1x6"), challenges(0)))

    assert (held.bluffs_challenged, held.bluffs_caught) == (1, 0)
    assert (caught.bluffs_challenged, caught.bluffs_caught) == (1, 1)
    assert (let_go.bluffs, let_go.bluffs_challenged, let_go.challenges_won) == (1, 0, 1)
    assert (bob.bluffs, bob.bluffs_caught) == (1, 1)


def test_in_a_palafico_round_ones_are_no_wilds() -> None:
    plain, _ = facts(dealt("palafico", "* *", "4 4").after(bids(0, "2x4"), challenges(1)))
    special, *_ = facts(dealt("palafico", "*", "4 4", "3 3", palafico=True).after(bids(0, "2x4"), challenges(1)))

    assert (plain.bluffs, plain.risk) == (0, 0)
    assert special.bluffs == 1
    assert special.risk == ONE - billionths(1 - Fraction(5, 6) ** 4 - 4 * Fraction(1, 6) * Fraction(5, 6) ** 3)


def test_the_gain_of_a_reroll_is_the_chance_after_it_less_the_chance_before() -> None:
    chains = chains_of("bidding-track", 2)
    game = dealt("bidding-track", "5 5 2 3", "2 2").after(bids(0, "4x5"))
    game = game.after(ShowAndReroll(seat=0, reroll=chains.reroll(game.state, 0, "5 5")))
    ann, _ = facts(game.after(challenges(1)))
    rerolled = game.one(DiceRerolled).hand
    matching = 2 + sum(face in {1, 5} for face in rerolled)
    before = Fraction(1, 9)
    after = {2: Fraction(1, 9), 3: Fraction(5, 9), 4: Fraction(1)}[matching]

    assert (ann.rerolls, ann.gain) == (1, billionths(after) - billionths(before))
    assert ann.risk == ONE - billionths(before), "the risk is that of the bid when it was made"
    assert ann.party_expected == billionths(after), "a challenge is about the dice as they lie then"


def test_what_the_clock_does_counts_for_nobody() -> None:
    game = dealt("single-hand", "5 5", "3 4", turn_seconds=10, on_timeout="lowest_bid")
    game = game.after(TimeOut(seat=0, at=10_000), challenges(1))
    ann, bob = facts(game)

    assert any(isinstance(event, BidPlaced) for event in game.events)
    assert (ann.clock_moves, ann.decisions, ann.bids, ann.challenged) == (1, 0, 0, 0)
    assert (ann.party_expected, sum(ann.times), sum(ann.calibration_bids)) == (0, 0, 0)
    assert (bob.challenges, bob.decisions) == (1, 1), "the challenge was Bob's own"


def test_time_is_counted_from_the_beginning_of_a_turn() -> None:
    game = dealt("single-hand", "5 5", "3 4").after(
        PlaceBid(at=1_500, seat=0, quantity=1, face=5), Challenge(at=1_500 + 40_000, seat=1)
    )
    ann, bob = facts(game)

    assert (ann.time, ann.time_squares) == (1_500, 1_500**2)
    assert ann.times[TIME_BINS.index(2_000)] == 1
    assert bob.time == 40_000
    assert bob.times[TIME_BINS.index(60_000)] == 1


def test_a_move_that_took_weeks_counts_as_one_of_a_day() -> None:
    late = PlaceBid(at=30 * TIME_MAX, seat=0, quantity=1, face=5)
    ann, bob = facts(dealt("single-hand", "5 5", "3 4").after(late, Challenge(at=0, seat=1)))

    assert (ann.time, ann.times[-1]) == (TIME_MAX, 1)
    assert bob.time == 0, "a clock that was set back takes no time away"


def test_what_was_copied_from_another_game_counts_for_nobody() -> None:
    game = dealt("single-hand", "5 5", "3 4").after(bids(0, "1x5"))
    copied = len(game.events)
    ann, bob = facts(game.after(challenges(1)), copied)

    assert (ann.bids, ann.challenged, ann.hands, ann.rounds) == (0, 0, 0, 1), (
        "the round that goes on after the copy is hers"
    )
    assert (bob.challenges, bob.decisions) == (1, 1)


@pytest.mark.parametrize("rulebook", ["single-hand", "bidding-track"])
@pytest.mark.parametrize("dice", [1, 2, 3, 4])
def test_the_expected_strength_is_the_mean_over_all_hands(rulebook: str, dice: int) -> None:
    book = latest(rulebook)
    assert book is not None
    reckoning = reckoning_of(rules_of(rulebook, book.version, DEFAULT_OPTIONS).plain)
    found = [reckoning.strength(hand) for hand in product(range(1, 7), repeat=dice)]
    mean = Fraction(sum(found), len(found))
    variance = Fraction(sum(one * one for one in found), len(found)) - mean**2

    assert reckoning.expected_strength(dice) == (billionths(mean), billionths(variance))


def test_the_strength_of_a_hand_is_how_many_dice_count_for_its_best_face() -> None:
    ann, bob = facts(dealt("bidding-track", "* * 3 3 5", "2 3 4 5 6").after(bids(0, "1x3"), challenges(1)))

    assert (ann.hands, ann.strength) == (1, 4)
    assert (bob.hands, bob.strength) == (1, 1)
    assert ann.strength_expected == bob.strength_expected


def test_those_who_share_a_place_have_the_best_of_them() -> None:
    assert places_of(((2,), (0, 3), (1,))) == {2: 1, 0: 2, 3: 2, 1: 4}
