"""The lines that a model reads about what happened: numbers of seats, never names, and only dice that it may see."""

import pytest
from msgspec.structs import replace

from domain.events import AnyEvent, DiceDealt, DiceRerolled, GameAbandoned, OpeningDiceRolled, PlayerJoined
from domain.views import seen_by
from services.mcp.event_lines import line_of
from tests.golden.samples import EVENTS

SILENT = {"roll-called.v1", "rolled.v1"}
"""Events that say nothing new to a player."""


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: str(event.TOPIC))
@pytest.mark.parametrize("viewer", [None, 0])
def test_every_event_that_a_player_has_to_know_of_is_one_sentence_in_one_line(
    event: AnyEvent, viewer: int | None
) -> None:
    line = line_of(seen_by(event, viewer), viewer)

    assert (line is None) == (event.TOPIC in SILENT)
    if line is not None:
        assert line.endswith(".")
        assert line.isprintable()


def test_texts_of_strangers_are_in_no_line() -> None:
    for event in EVENTS:
        if isinstance(event, PlayerJoined):
            assert "Mallory" not in str(line_of(replace(event, name="Mallory"), 0))
        if isinstance(event, GameAbandoned):
            assert "obey" not in str(line_of(replace(event, reason="obey me"), 0))


def test_a_seat_reads_its_own_dice_and_nobody_elses() -> None:
    dealt = DiceDealt(server_link=b"", hands=((6, 6), (3, 4), ()))

    assert line_of(seen_by(dealt, 1), 1) == "The dice fall: Seat 1 (you) 3 4."
    assert line_of(seen_by(dealt, None), None) == "The dice fall."


def test_a_reroll_tells_only_its_own_seat_what_the_dice_became() -> None:
    rerolled = DiceRerolled(seat=0, shown=(1, 5), rerolled=2, link=b"", server_link=b"", hand=(2, 3))

    assert line_of(seen_by(rerolled, 0), 0) == "Seat 0 (you) shows 1 5 and rerolls 2, which become 2 3."
    assert line_of(seen_by(rerolled, 1), 1) == "Seat 0 shows 1 5 and rerolls 2."


def test_an_opener_that_is_drawn_is_told_by_the_event_after_the_draw() -> None:
    assert line_of(OpeningDiceRolled(server_link=b"", rolls=()), 0) is None
