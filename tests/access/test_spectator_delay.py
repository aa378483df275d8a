"""What spectators may know of a game at a moment follows from what they have seen by then, and from nothing else."""

from itertools import count
from random import Random
from typing import Any

import msgspec
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.commands import AbandonGame, StartGame
from domain.deciding import decide
from domain.events import AnyEvent, GameStarted
from domain.evolve import fold
from domain.state import Ended, Nothing
from services.access.spectator_delay import SpectatorDelay, rematch_shown
from services.simulation.simulation import Setup, setups_of_all
from tests.domain.properties.choices import legal_commands
from tests.extent import extent
from tests.made_tables import Chains, chains_of, gathered

SETUPS = setups_of_all()
LATE = SpectatorDelay(10)
TICK = 1_000
"""The milliseconds between two events of the games here."""


def timed(events: list[AnyEvent]) -> list[AnyEvent]:
    """The same events, a tick apart."""
    return [replace(event, at=at) for event, at in zip(events, count(TICK, TICK), strict=False)]


def played_on(events: list[AnyEvent], chains: Chains, steps: int, chance: Random) -> list[AnyEvent]:
    """A game after some more commands, chosen at random, or until it is over."""
    for _ in range(steps):
        state = fold(events)
        if isinstance(state, Ended):
            break
        commands = [command for command in legal_commands(state, chains, 0) if not isinstance(command, AbandonGame)]
        events = [*events, *decide(chance.choice(commands), state)]
    return events


def begun(setup: Setup) -> tuple[list[AnyEvent], Chains]:
    """A game that has just started."""
    options: dict[str, Any] = msgspec.structs.asdict(setup.options)
    events = gathered(setup.rulebook, setup.players, **options)
    return [*events, *decide(StartGame(), fold(events))], chains_of(setup.rulebook, setup.players, **options)


@settings(max_examples=extent(40, 1_000))
@for_all(st.sampled_from(SETUPS), st.integers(0, 10**9), st.integers(0, 60), st.integers(0, 30))
def test_two_games_that_spectators_have_seen_the_same_of_look_the_same_to_them(
    setup: Setup, seed: int, steps: int, delay_seconds: int
) -> None:
    """Non-interference over time: how a game goes on within the delay changes nothing that spectators are told."""
    delay, chance = SpectatorDelay(delay_seconds), Random(seed)
    start, chains = begun(setup)
    common = played_on(start, chains, steps, chance)
    now = len(common) * TICK + delay.seconds * 1_000
    one, other = (timed(played_on(common, chains, 40, Random(seed + change))) for change in (1, 2))
    then = [[event for event in events if event.at <= now] for events in (one, other)]

    seen = [tuple(delay.visible(events, now)) for events in (one, other)]
    states = [fold(events) for events in then]

    assert seen[0] == seen[1] == tuple(timed(common))
    assert delay.known_until(None, now) in {None, timed(common)[-1].at}
    if delay.seconds and not isinstance(fold(common), Ended):
        assert {delay.phase_shown(state, now) for state in states} == {"rolling"}
        assert all(delay.holds_back(state, now) for state in states)
        assert {rematch_shown("rematch", fold(events)) for events in seen} == {None}


@settings(max_examples=extent(20, 500))
@for_all(st.sampled_from(SETUPS), st.integers(0, 10**9))
def test_event_after_event_becomes_visible_as_late_as_it_should_and_never_goes_away(setup: Setup, seed: int) -> None:
    start, chains = begun(setup)
    events = timed(played_on(start, chains, 30, Random(seed)))
    first = next(number for number, event in enumerate(events) if isinstance(event, GameStarted))

    assert tuple(LATE.visible(events, 0)) == tuple(events[:first])
    for number, event in enumerate(events[first:], first):
        shown_at = event.at + 10_000
        assert len(LATE.visible(events, shown_at - 1)) == number
        assert len(LATE.visible(events, shown_at)) == number + 1
        assert LATE.wait_seconds(event, fold(events[:number]), event.at) == 10
        assert LATE.wait_seconds(event, fold(events[:number]), shown_at + 1) == 0


def test_players_see_everything_at_once_and_so_does_everybody_at_a_table_without_a_delay() -> None:
    assert [LATE.applies_to(viewer) for viewer in (None, 0, 3)] == [True, False, False]
    assert not SpectatorDelay().applies_to(None)
    assert LATE.known_until(0, 99_000) is None
    assert LATE.known_until(None, 99_000) == 89_000
    assert SpectatorDelay().known_until(None, 99_000) is None


def test_nothing_is_held_back_until_the_game_starts() -> None:
    events = timed(gathered("single-hand", 3))
    state = fold(events)

    assert LATE.visible(events, 0) == events
    assert LATE.wait_seconds(events[-1], fold(events[:-1]), events[-1].at) == 0
    assert LATE.phase_shown(state, 0) == "gathering"
    assert not LATE.holds_back(state, 0)


def test_a_table_that_was_given_up_before_its_game_started_is_shown_as_it_is() -> None:
    events = gathered("single-hand", 3)
    state = fold([*events, *decide(AbandonGame(reason="nobody came"), fold(events))])

    assert LATE.end_shown_at(state) is None
    assert LATE.phase_shown(state, 0) == "ended"


def test_spectators_see_the_end_as_late_as_everything_else() -> None:
    start, _ = begun(Setup("single-hand", SETUPS[0].options, 3))
    running = fold(timed(start))
    assert not isinstance(running, Nothing)
    over = fold(decide(AbandonGame(at=50_000, reason="fire"), running), running)

    assert LATE.end_shown_at(running) is None
    assert LATE.end_shown_at(over) == 60_000
    assert [LATE.phase_shown(over, now) for now in (50_000, 59_999, 60_000)] == ["rolling", "rolling", "ended"]
    assert SpectatorDelay().phase_shown(over, 50_000) == "ended"


def test_a_rematch_says_which_game_it_follows_once_spectators_have_seen_the_end_of_that_game() -> None:
    assert [LATE.tells_rematch(50_000, now) for now in (50_000, 59_999, 60_000)] == [False, False, True]
    assert SpectatorDelay().tells_rematch(50_000, 50_000)
