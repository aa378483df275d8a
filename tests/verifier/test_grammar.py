"""The grammar on the page about the format is that of the games: whoever follows it refuses no honest game."""

from random import Random

import pytest

from domain.commands import AbandonGame
from domain.deciding import decide
from domain.state import Ended
from services.verifier.topics import TOPICS
from tests.verifier.games import SignedPlay, played
from tests.verifier.grammar import Course, grammar
from tests.verifier.test_verifier import setups

RULES = grammar()
ONCE_AT_LEAST = {"game-created", "round-started", "round-ended", "cups-lifted", "challenge-resolved"}
"""Events without which nothing that comes before or after them fits."""


def kinds_of(play: SignedPlay) -> list[str]:
    return [entry.kind for entry in play.entries]


@pytest.mark.parametrize("part", range(3))
def test_every_game_follows_the_grammar_and_without_one_of_its_events_it_does_not(part: int) -> None:
    chance = Random(part)
    for index, setup in enumerate(setups(part)):
        play = played(setup, f"grammar-{part}-{index}", quits=chance.choice([0.0, 0.05, 0.2]))
        kinds = kinds_of(play)
        assert Course(RULES, kinds).fits, kinds
        for kind in ONCE_AT_LEAST & set(kinds):
            at = kinds.index(kind)
            assert not Course(RULES, kinds[:at] + kinds[at + 1 :]).fits, kind
        assert not Course(RULES, [*kinds, "round-ended"]).fits


def test_a_game_may_be_abandoned_after_every_step() -> None:
    """Whatever the phase is, what abandoning emits is in the grammar."""
    phases = set[str]()

    def check(play: SignedPlay) -> None:
        caused = decide(AbandonGame(at=play.clock, reason="The end of this test."), play.state)
        kinds = kinds_of(play) + [event.TOPIC.partition(".")[0] for event in caused]
        assert Course(RULES, kinds).fits, kinds
        phases.add(type(play.state).__name__)

    for setup in setups(9)[:12]:
        play = SignedPlay("abandoned", setup.rulebook, setup.players, frozenset(), dice_each=2)
        check(play)
        play.start()
        while not isinstance(play.state, Ended):
            check(play)
            play.step(quits=0.05)
    assert phases == {"Gathering", "ChoosingOpener", "Rolling", "Bidding"}


def test_the_grammar_has_every_kind_of_event_and_no_other() -> None:
    def words(node: object) -> set[str]:
        if isinstance(node, str):
            return {node}
        assert isinstance(node, tuple)
        return set().union(*(words(part) for part in node[1]))

    used = set().union(*map(words, RULES.values()))
    assert used - set(RULES) - {"nothing"} == {topic.partition(".")[0] for topic in TOPICS}
