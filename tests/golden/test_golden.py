"""What was once written is read the same for ever."""

from typing import get_args

import pytest

from domain.deciding import decide
from domain.events import AnyEvent, DiceRerolled, PlayerJoined, PotWon, RoundStarted, TurnTimedOut
from domain.evolve import fold
from domain.history.record import decode_record, encode_record
from domain.history.recording import record_of
from domain.notation import read_game, write_game, write_unchecked
from domain.rulebooks import BOOKS
from domain.state import NOTHING, Ended, State
from infra.events.codec import decode_event, encode_event
from infra.events.upcasting import UPCASTS
from tests.golden.games import FOLDER, GAMES, event_line, read_commands, read_event_line, read_events, without_times
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
    """What was written under a topic that has a newer version by now is read as the newer one."""
    state: State = NOTHING
    caused: list[AnyEvent] = []
    for command in read_commands(rulebook):
        events = decide(command, state)
        state = fold(events, state)
        caused += events

    frozen = (FOLDER / rulebook / "events").read_bytes().splitlines()
    topics_of_today = {event.TOPIC.encode() for event in EVENTS}
    assert len(frozen) == len(caused)
    for line, event in zip(frozen, caused, strict=True):
        if line.partition(b" ")[0] in topics_of_today:
            assert event_line(event) == line
        else:
            assert read_event_line(line) == event
    assert isinstance(state, Ended)


def test_what_was_written_under_older_topics_is_still_read() -> None:
    files = {path.name.removesuffix(".json"): path.read_bytes() for path in (FOLDER / "events").iterdir()}
    older = files.keys() - {event.TOPIC for event in EVENTS}

    assert older == {upcast.topic for upcast in UPCASTS}
    joined = decode_event("player-joined.v1", files["player-joined.v1"])
    assert isinstance(joined, PlayerJoined)
    assert (joined.player_id, joined.signing_key) == ("ann", None)


@pytest.mark.parametrize("rulebook", GAMES)
def test_the_events_of_a_golden_game_give_the_same_record_and_notation(rulebook: str) -> None:
    record = record_of(read_events(rulebook))

    frozen = (FOLDER / rulebook / "record-with-times").read_bytes()
    notation = (FOLDER / rulebook / "notation-with-times").read_text()
    assert encode_record(record) + b"\n" == frozen
    assert decode_record(frozen) == record
    assert write_game(record) == write_unchecked(record) == notation
    assert read_game(notation) == record


@pytest.mark.parametrize("rulebook", GAMES)
def test_a_record_and_a_notation_without_times_are_read_and_written_as_they_were(rulebook: str) -> None:
    frozen = (FOLDER / rulebook / "record").read_bytes()
    notation = (FOLDER / rulebook / "notation").read_text()

    record = decode_record(frozen)

    assert record == read_game(notation) == without_times(record_of(read_events(rulebook)))
    assert encode_record(record) + b"\n" == frozen
    assert write_game(record) == notation


def test_the_golden_games_show_what_is_special_about_their_books() -> None:
    """Chips and rerolls, time running out and a Palafico round are all among them."""
    assert any(isinstance(event, DiceRerolled) for event in read_events("bidding-track"))
    assert any(isinstance(event, PotWon) for event in read_events("bidding-track"))
    assert any(isinstance(event, TurnTimedOut) for event in read_events("prediction-track"))
    palafico = [event for event in read_events("palafico") if isinstance(event, RoundStarted)]
    assert any(started.palafico for started in palafico)
