"""Replaying: what a seat knew at a step is what it was shown then."""

from fractions import Fraction

import pytest

from domain.events import DiceDealt, DiceRerolled
from domain.evolve import evolve
from domain.history.odds import chance_of_bid
from domain.history.replaying import replay_of, revealed
from domain.state import NOTHING, Bidding, State
from domain.views import seen_by, view
from services.simulation.simulation import Setup, play_game, setups_of_all

SETUPS = setups_of_all()[:: len(setups_of_all()) // 25]


def _name(setup: Setup) -> str:
    return f"{setup.rulebook}-{setup.players}"


@pytest.mark.parametrize("setup", SETUPS, ids=_name)
def test_a_reader_without_keys_sees_after_the_reveals_every_die_as_it_fell(setup: Setup) -> None:
    events = play_game(setup, 5, 1).events
    assert revealed([seen_by(event, None) for event in events]) == tuple(events)


@pytest.mark.parametrize("setup", SETUPS, ids=_name)
def test_the_replayed_view_of_every_seat_at_every_step_is_the_one_that_was_sent(setup: Setup) -> None:
    events = play_game(setup, 5, 2).events
    replay = replay_of("game", revealed([seen_by(event, None) for event in events]))
    viewers = (None, *range(setup.players))
    sent: dict[int | None, State] = dict.fromkeys(viewers, NOTHING)
    for version, event in enumerate(events[:120], 1):
        for viewer in viewers:
            sent[viewer] = evolve(sent[viewer], seen_by(event, viewer))
            assert replay.view_at(version, viewer) == view(sent[viewer], viewer)


@pytest.mark.parametrize("setup", SETUPS, ids=_name)
def test_the_odds_of_a_step_are_those_of_each_seats_own_view(setup: Setup) -> None:
    events = play_game(setup, 5, 3).events
    state: State = NOTHING
    compared = 0
    for step in replay_of("game", tuple(events)).steps:
        state = evolve(state, step.event)
        if step.odds is None:
            continue
        assert isinstance(state, Bidding)
        bid = state.bids[-1].bid
        for viewer, chance in ((None, step.odds.public), *enumerate(step.odds.seats)):
            seen = view(state, viewer)
            assert seen is not None
            if chance is None:
                assert viewer is not None
                assert not state.standing.dice_counts[viewer]
            else:
                assert Fraction(chance) == pytest.approx(chance_of_bid(seen, bid))
                compared += 1
    assert compared


def test_what_was_never_revealed_stays_hidden() -> None:
    events = play_game(SETUPS[0], 5, 4).events
    dealt = next(index for index, event in enumerate(events) if isinstance(event, DiceDealt))
    hidden = [seen_by(event, None) for event in events[: dealt + 2]]
    assert revealed(hidden) == tuple(hidden)
    replay = replay_of("game", revealed(hidden))
    seen = replay.everything_at(len(hidden))
    assert seen is not None
    assert all(seat.hidden is None for seat in seen.seats)
    odds = [step.odds for step in replay.steps if step.odds is not None]
    assert odds
    assert all(chance is None for one in odds for chance in one.seats)


def test_everything_shows_all_dice_of_a_round_whose_cups_were_lifted() -> None:
    events = play_game(SETUPS[0], 5, 5).events
    replay = replay_of("game", tuple(events))
    dealt = next(index for index, event in enumerate(events, 1) if isinstance(event, DiceDealt))
    seen, event = replay.everything_at(dealt), events[dealt - 1]
    assert seen is not None
    assert isinstance(event, DiceDealt)
    assert tuple(seat.hidden for seat in seen.seats) == event.hands
    assert replay.everything_at(0) is None


def test_rerolled_dice_are_told_in_the_order_of_the_rerolls() -> None:
    games = [play_game(setup, 6, 0).events for setup in setups_of_all()[:150]]
    twice = [events for events in games if sum(isinstance(event, DiceRerolled) for event in events) >= 2]
    assert twice
    for events in twice:
        assert revealed([seen_by(event, None) for event in events]) == tuple(events)
