"""The course on the page about the format is that of the games and of the verifier: nothing else can come, and no honest game is refused."""

from copy import deepcopy
from random import Random
from typing import Any

import pytest

from domain.commands import AbandonGame
from domain.deciding import decide
from domain.state import Ended
from services.verifier import Failed, verify
from services.verifier.kinds import HASH, ID, Kind, ListOf, ObjectOf, OrNull, Text, Truth, Whole, Word
from services.verifier.topics import TOPICS
from tests.verifier.changes import cut
from tests.verifier.decided import GOOD, NOBODY, game
from tests.verifier.games import Entry, SignedPlay, played
from tests.verifier.grammar import LAST, course, fits, states_after
from tests.verifier.test_verifier import setups

ONCE_AT_LEAST = {"game-created", "round-started", "round-ended", "cups-lifted", "challenge-resolved"}
"""Events without which nothing that comes before or after them fits."""
UNSIGNED = [about for about, spec in GOOD.items() if spec.signing == NOBODY]
HASH_TEXT = "A" * 43 + "="


def kinds_of(play: SignedPlay) -> list[str]:
    return [entry.kind for entry in play.entries]


@pytest.mark.parametrize("part", range(3))
def test_every_game_follows_the_course_and_without_one_of_its_events_it_does_not(part: int) -> None:
    chance = Random(part)
    for index, setup in enumerate(setups(part)):
        play = played(setup, f"grammar-{part}-{index}", quits=chance.choice([0.0, 0.05, 0.2]))
        kinds = kinds_of(play)
        assert fits(kinds), kinds
        for kind in ONCE_AT_LEAST & set(kinds):
            at = kinds.index(kind)
            assert not fits(kinds[:at] + kinds[at + 1 :]), kind
        assert not fits([*kinds, "round-ended"])


def test_a_game_may_be_abandoned_after_every_step() -> None:
    """Whatever the phase is, what abandoning emits is in the course."""
    phases = set[str]()

    def check(play: SignedPlay) -> None:
        caused = decide(AbandonGame(at=play.clock, reason="The end of this test."), play.state)
        kinds = kinds_of(play) + [event.TOPIC.partition(".")[0] for event in caused]
        assert fits(kinds), kinds
        phases.add(type(play.state).__name__)

    for setup in setups(9)[:12]:
        play = SignedPlay("abandoned", setup.rulebook, setup.players, frozenset(), dice_each=2)
        check(play)
        play.start()
        while not isinstance(play.state, Ended):
            check(play)
            play.step(quits=0.05)
    assert phases == {"Gathering", "ChoosingOpener", "Rolling", "Bidding"}


def test_what_the_course_does_not_have_fails_for_its_place_alone() -> None:
    """In every state that a good game comes through, the verifier refuses each event that the table does not name."""
    tried = set[frozenset[str]]()
    for about in UNSIGNED:
        play = game(about)
        kinds = kinds_of(play)
        for count in range(1, len(kinds) + 1):
            states = states_after(kinds[:count])
            if states in tried:
                continue
            tried.add(states)
            can_come = set().union(*(course()[state] for state in states))
            for topic, kind in TOPICS.items():
                if topic.partition(".")[0] not in can_come:
                    assert failed_check(play, count, topic, any_of(kind)) == "outcome", (states, topic)
    assert frozenset({LAST}) in tried
    assert len(tried) > len(course()) / 2


def failed_check(play: SignedPlay, count: int, topic: str, fields: dict[str, Any]) -> str | None:
    """The check that fails if an event of this topic comes after the first events of a game."""
    entries = deepcopy(play.entries[:count])
    entries.append(Entry(topic, {**fields, "at": entries[-1].public["at"]}))
    for entry in entries:
        entry.bare = True
    try:
        verify(cut(play, entries, len(entries)))
    except Failed as failed:
        return failed.check
    return None


def any_of(kind: Kind) -> Any:
    """A value of a kind."""
    match kind:
        case Whole():
            return 0
        case Truth():
            return False
        case Text():
            return "text"
        case Word(words=words):
            return words[0]
        case OrNull():
            return None
        case ListOf():
            return []
        case ObjectOf(members=members):
            return {name: any_of(inner) for name, inner in members.items()}
        case _:
            return {HASH: HASH_TEXT, ID: "id"}[kind]


def test_the_course_has_every_kind_of_event_and_no_other() -> None:
    used = set().union(*course().values())
    after = {state for kinds in course().values() for states in kinds.values() for state in states}

    assert used == {topic.partition(".")[0] for topic in TOPICS}
    assert after == set(course()) - {"empty"}
