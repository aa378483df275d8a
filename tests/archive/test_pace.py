"""The time at which each step of a replay is shown, on a clock that the test sets."""

from services.archive.pace import Pace

TIMES = (0, 1_000, 1_000, 5_000, 3_605_000, 3_604_000)


class Clock:
    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def pace(clock: Clock, first: int = 1, speed: float = 1.0) -> Pace:
    return Pace(TIMES, first, speed=speed, wait_seconds_max=5.0, clock=clock)


def shown(clock: Clock, paced: Pace) -> float:
    """When the next step is shown, from where the clock stands."""
    assert paced.due is not None
    waited = paced.due - clock.time
    clock.time = paced.due
    paced.shown()
    return waited


def test_steps_follow_each_other_as_they_did_with_long_waits_cut_short_and_never_back_in_time() -> None:
    clock = Clock()
    paced = pace(clock)

    assert [shown(clock, paced) for _ in TIMES] == [0.0, 1.0, 0.0, 4.0, 5.0, 0.0]
    assert paced.is_over
    assert paced.due is None


def test_with_twice_the_speed_waits_are_half_as_long() -> None:
    clock = Clock()
    paced = pace(clock, speed=2.0)

    assert [shown(clock, paced) for _ in TIMES] == [0.0, 0.5, 0.0, 2.0, 5.0, 0.0]


def test_a_replay_may_begin_anywhere_and_the_first_step_comes_at_once() -> None:
    clock = Clock()
    paced = pace(clock, first=4)

    assert paced.version == 4
    assert [shown(clock, paced) for _ in TIMES[3:]] == [0.0, 5.0, 0.0]


def test_a_pause_in_the_midst_of_a_wait_neither_loses_nor_repeats_any_of_it() -> None:
    clock = Clock()
    paced = pace(clock, first=3)
    shown(clock, paced)
    clock.time += 1.0
    paced.pause()
    assert paced.due is None
    clock.time += 50.0
    paced.pause()
    clock.time += 50.0
    paced.resume()

    assert paced.version == 3
    assert shown(clock, paced) == 3.0


def test_another_speed_in_the_midst_of_a_wait_counts_for_the_rest_of_it() -> None:
    clock = Clock()
    paced = pace(clock, first=3)
    shown(clock, paced)
    clock.time += 1.0
    paced.change_speed(3.0)

    assert shown(clock, paced) == 1.0


def test_a_step_that_is_sought_comes_at_once_also_while_the_replay_stands_still() -> None:
    clock = Clock()
    paced = pace(clock)
    shown(clock, paced)
    paced.pause()
    paced.seek(4)

    assert paced.version == 4
    assert shown(clock, paced) == 0.0
    assert paced.due is None
    paced.seek(6)
    shown(clock, paced)
    assert paced.is_over
    paced.seek(1)
    assert not paced.is_over
