"""Decisions as data: what a seat knew, what it did, and what came of it."""

from collections import Counter
from fractions import Fraction

import pytest

from domain.commands import AbandonGame, Challenge, PlaceBid, ShowAndReroll, TimeOut
from domain.history.replaying import revealed
from domain.statistics.counting import counted, decisions_of
from domain.statistics.course import course_of
from domain.statistics.decisions import Decision, decile_of, phase_of
from domain.statistics.facts import ONE
from domain.values import Bid
from domain.views import seen_by
from tests.domain.notation.play import SETTINGS, Setting, events_of
from tests.made_tables import bids, chains_of, challenges, dealt
from tests.specification import Given


def decisions(game: Given, copied: int = 0) -> tuple[Decision, ...]:
    """The decisions of a game as a reader without keys knows it."""
    return decisions_of(revealed([seen_by(event, None) for event in game.events]), copied)


def billionths(share: Fraction) -> int:
    return round(share * ONE)


def test_a_bid_and_the_challenge_to_it_are_two_decisions_with_one_outcome() -> None:
    """Ann could have bid one five and be right for sure; three fives need Bob's single die to be one."""
    game = dealt("single-hand", "5 5", "2").after(
        PlaceBid(at=1_500, seat=0, quantity=3, face=5), Challenge(at=41_500, seat=1)
    )
    bid, challenge = decisions(game)

    assert (bid.action, bid.seat, bid.round, bid.at, bid.took) == ("bid", 0, 1, 1_500, 1_500)
    assert (bid.bid, bid.standing, bid.standing_chance) == (Bid(3, 5), None, None)
    assert (bid.hidden, bid.shown, bid.own_dice, bid.dice_left, bid.players_left) == ((5, 5), (), 2, 3, 2)
    assert (bid.chance, bid.best_chance, bid.best_bid) == (billionths(Fraction(1, 6)), ONE, Bid(1, 5))
    assert (bid.regret, bid.bluff, bid.opened) == (billionths(Fraction(5, 6)), False, True)
    assert (bid.challenged_by, bid.challenged_by_clock, bid.won, bid.exact) == (1, False, False, False)
    assert bid.final_chance == bid.chance
    assert (challenge.action, challenge.bid, challenge.standing, challenge.challenged) == (
        "challenge",
        None,
        Bid(3, 5),
        0,
    )
    assert (challenge.best_action, challenge.best_bid, challenge.won) == ("challenge", None, True)
    assert challenge.chance == ONE - (challenge.standing_chance or 0)
    assert (challenge.opened, challenge.took) == (False, 40_000)
    assert game.events[bid.version - 1].at == bid.at, "the number of an event counts from 1"


def test_a_bid_that_nobody_challenged_has_no_outcome() -> None:
    first, second, _ = decisions(
        dealt("single-hand", "3 4", "5 2").after(bids(0, "1x5"), bids(1, "1x6"), challenges(0))
    )

    assert (first.bluff, first.won, first.challenged_by, first.final_chance) == (True, None, None, None)
    assert (second.standing, second.won) == (Bid(1, 5), False)


def test_what_the_clock_does_is_no_decision_but_it_can_challenge_one() -> None:
    game = dealt("single-hand", "5 5", "3 4", turn_seconds=10, on_timeout="challenge")
    (bid,) = decisions(game.after(bids(0, "2x5"), TimeOut(seat=1, at=10_000)))

    assert (bid.challenged_by, bid.challenged_by_clock, bid.won, bid.exact) == (1, True, True, True)


def test_dice_that_are_shown_are_known_with_the_next_decision_and_change_the_chance_of_the_challenged_bid() -> None:
    chains = chains_of("bidding-track", 2)
    game = dealt("bidding-track", "5 5 2 3", "2 2").after(bids(0, "4x5"))
    game = game.after(ShowAndReroll(seat=0, reroll=chains.reroll(game.state, 0, "5 5")), bids(1, "5x5"), challenges(0))
    first, _, challenge = decisions(game)

    assert (first.hidden, first.shown) == ((5, 5, 2, 3), ())
    assert (challenge.shown, challenge.own_dice, len(challenge.hidden)) == ((5, 5), 4, 2)
    assert challenge.dice_left == first.dice_left == 6, "a die that is shown is still in play"


def test_what_was_copied_from_another_game_is_no_decision() -> None:
    game = dealt("single-hand", "3 4", "5 2").after(bids(0, "1x5"), bids(1, "1x6"), challenges(0))
    versions = [one.version for one in decisions(game)]

    assert [one.version for one in decisions(game, versions[0])] == versions[1:]


@pytest.mark.parametrize(("left", "phase"), [(12, "early"), (9, "early"), (8, "middle"), (5, "middle"), (4, "late")])
def test_the_phase_of_a_game_is_the_share_of_dice_that_are_left(left: int, phase: str) -> None:
    assert phase_of(left, 12) == phase


def test_chances_go_into_ten_bins_and_certainty_into_the_last() -> None:
    assert [decile_of(chance) for chance in (0, ONE // 10 - 1, ONE // 10, ONE - 1, ONE)] == [0, 0, 1, 9, 9]


@pytest.mark.parametrize("setting", SETTINGS[::3], ids=lambda setting: setting.rulebook)
def test_the_facts_of_a_seat_are_sums_over_its_decisions(setting: Setting) -> None:
    found = counted(events_of(setting, 3))
    sums = Counter[tuple[int, str]]()
    for one in found.decisions:
        bid = one.action == "bid"
        sums[one.seat, "decisions"] += 1
        sums[one.seat, "regret"] += one.regret
        sums[one.seat, "bids" if bid else "challenges"] += bid or one.won is not None
        sums[one.seat, "held" if bid else "challenges_won"] += bool(one.won)
        assert one.regret == one.best_chance - one.chance >= 0
        assert one.best_action == "challenge" or one.best_bid is not None

    for seat, facts in enumerate(found.facts):
        names = ("decisions", "regret", "bids", "challenges", "held", "challenges_won")
        assert {name: getattr(facts, name) for name in names} == {name: sums[seat, name] for name in names}


def test_the_course_of_a_game_says_how_long_it_was_and_what_opening_was_worth() -> None:
    game = dealt("single-hand", "5", "2").after(
        PlaceBid(at=1_500, seat=0, quantity=1, face=5), Challenge(at=41_500, seat=1)
    )
    course = course_of(game.events)

    assert (course.rounds, course.moves, course.challenges, course.won) == (1, 2, 1, 1)
    assert (course.opener_wins, course.opener_expected) == (1, ONE // 2)
    assert (course.opener_rounds_won, course.opener_rounds_expected) == (1, ONE // 2)
    assert course.time == game.events[-1].at - 0


def test_a_practice_game_lasts_from_the_first_action_of_a_round_after_the_fork() -> None:
    game = dealt("single-hand", "5", "2")
    copied = len(game.events)
    played = game.after(PlaceBid(at=1_500, seat=0, quantity=1, face=5), Challenge(at=41_500, seat=1))

    course = course_of(played.events, copied)
    assert (course.rounds, course.moves, course.time) == (1, 2, 40_000)
    abandoned = game.after(AbandonGame(at=90_000, reason="enough"))
    assert course_of(abandoned.events, copied).time == 0, "nothing was done in it"
