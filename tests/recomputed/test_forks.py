"""What counts of a practice game follows from its record, at whatever step it was forked."""

import json
from itertools import chain
from random import Random

import msgspec
from msgspec.structs import replace

from domain.events import AnyEvent
from domain.history.forking import waits
from domain.history.recording import record_of
from domain.statistics.counting import facts_of
from domain.statistics.course import course_of
from tests.domain.notation.play import SETTINGS, events_of
from tests.recomputed.game import Game, game_of
from tests.recomputed.made_games import over, timed

SEEDS = range(3)
STEPS = 8
"""So many forks of each game are tried: all in the choice of the opener and the first rounds, where records differ most."""


def recounted(events: list[AnyEvent], fork: int) -> Game:
    """The game as its record tells it."""
    record = replace(record_of(events), forked_from="past", forked_version=fork)
    return game_of(json.loads(msgspec.json.encode(record)))


def test_the_length_and_the_rounds_of_a_practice_game_follow_from_its_record_at_every_step() -> None:
    tried = without_rounds = 0
    for setting, seed in ((setting, seed) for setting in SETTINGS for seed in SEEDS):
        events = list(timed(over(events_of(setting, seed)), Random(seed)))
        forks = [step for step, _ in waits(events)]
        for fork in sorted(set(chain(forks[:STEPS], forks[-2:]))):
            game, course, facts = recounted(events, fork), course_of(events, fork), facts_of(events, fork)
            where = f"{setting} {seed}, forked at {fork} of {len(events)}"
            assert (game.milliseconds, game.rounds, game.moves) == (course.time, course.rounds, course.moves), where
            assert [seat.rounds for seat in game.seats] == [seat.rounds for seat in facts], where
            assert [seat.clock_moves for seat in game.seats] == [seat.clock_moves for seat in facts], where
            tried += 1
            without_rounds += not game.rounds
    assert tried > 250
    assert without_rounds, "some of these games end before a round is played"
