"""What was once written is read the same for ever."""

from typing import get_args

import pytest

from domain.deciding import decide
from domain.events import AnyEvent, DiceRerolled, PotWon, RoundStarted, TurnTimedOut
from domain.evolve import fold
from domain.notation import read_game, write_game
from domain.record import decode_record, encode_record
from domain.recording import record_of
from domain.rulebooks import BOOKS
from domain.state import NOTHING, Ended, State
from infra.codec import decode_event, encode_event
from tests.golden.games import FOLDER, GAMES, event_line, read_commands, read_events
from tests.golden.samples import EVENTS


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: str(event.TOPIC))
def test_the_bytes_of_an_event_never_change(event: AnyEvent) -> None:
    frozen = (FOLDER / "events" / f"{event.TOPIC}.json").read_bytes()

    assert encode_event(event) == (event.TOPIC, frozen)
    assert decode_event(event.TOPIC, frozen) == event


def test_every_kind_of_event_has_golden_bytes() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(AnyEvent))


def test_every_rulebook_has_a_golden_game() -> None:
    assert set(GAMES) == {book.id for book in BOOKS}


@pytest.mark.parametrize("rulebook", GAMES)
def test_the_commands_of_a_golden_game_cause_the_same_events_byte_for_byte(rulebook: str) -> None:
    state: State = NOTHING
    lines = []
    for command in read_commands(rulebook):
        caused = decide(command, state)
        state = fold(caused, state)
        lines += [event_line(event) for event in caused]

    assert b"\n".join(lines) + b"\n" == (FOLDER / rulebook / "events").read_bytes()
    assert isinstance(state, Ended)


@pytest.mark.parametrize("rulebook", GAMES)
def test_the_events_of_a_golden_game_give_the_same_record_and_notation(rulebook: str) -> None:
    record = record_of(read_events(rulebook))

    frozen = (FOLDER / rulebook / "record").read_bytes()
    notation = (FOLDER / rulebook / "notation").read_text()
    assert encode_record(record) + b"\n" == frozen
    assert decode_record(frozen) == record
    assert write_game(record) == notation
    assert read_game(notation) == record


def test_the_golden_games_show_what_is_special_about_their_books() -> None:
    """Chips and rerolls, time running out and a Palafico round are all among them."""
    assert any(isinstance(event, DiceRerolled) for event in read_events("bidding-track"))
    assert any(isinstance(event, PotWon) for event in read_events("bidding-track"))
    assert any(isinstance(event, TurnTimedOut) for event in read_events("prediction-track"))
    palafico = [event for event in read_events("palafico") if isinstance(event, RoundStarted)]
    assert any(started.palafico for started in palafico)
