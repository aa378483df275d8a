"""What was once written about a club is read the same for ever."""

from typing import Any, get_args

import pytest
from msgspec.structs import replace

from infra.events.mapping import EventTranscoder
from services.clubs.club_events import CLUB_TOPICS, AnyClubEvent
from tests.golden.clubs import EVENTS, FOLDER, golden_file, in_the_golden_stream, stored_with_a_fixed_nonce
from tests.golden.sealed import GOLDEN_KEYS

# The signature of a transcoder knows the events of games only.
WITH_KEYS: Any = EventTranscoder(GOLDEN_KEYS, must_open=True, topics=CLUB_TOPICS)
WITHOUT_KEYS: Any = EventTranscoder(topics=CLUB_TOPICS)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: str(event.TOPIC))
def test_the_bytes_of_an_event_of_a_club_never_change(event: AnyClubEvent) -> None:
    frozen, place = golden_file(event.TOPIC).read_bytes(), in_the_golden_stream(event).place

    assert stored_with_a_fixed_nonce(event) == frozen
    assert WITH_KEYS.decode_at(place, frozen) == event
    assert WITHOUT_KEYS.decode_at(place, frozen) == replace(event, **dict.fromkeys(event.SECRETS))


def test_every_kind_of_event_of_a_club_has_golden_bytes() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(AnyClubEvent))
    assert {path.name.removesuffix(".json") for path in FOLDER.iterdir()} == {event.TOPIC for event in EVENTS}


def test_no_code_of_a_club_is_stored_in_the_clear() -> None:
    for event in EVENTS:
        code = getattr(event, "code", None)
        assert code is None or code.encode() not in golden_file(event.TOPIC).read_bytes()
