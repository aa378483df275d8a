"""What was once written about a table is read the same for ever."""

from typing import Any, get_args

import pytest
from msgspec.structs import replace

from infra.events.mapping import EventTranscoder
from infra.events.sealing import Place
from services.access.table_events import TABLE_TOPICS, TABLE_UPCASTS, AnyTableEvent, TableOpened, table_stream
from tests.golden.samples import AT, LINK
from tests.golden.sealed import GOLDEN_KEYS
from tests.golden.tables import EVENTS, FOLDER, golden_file, in_the_golden_stream, stored_with_a_fixed_nonce

# The signature of a transcoder knows the events of games only.
WITH_KEYS: Any = EventTranscoder(GOLDEN_KEYS, must_open=True, topics=TABLE_TOPICS)
WITHOUT_KEYS: Any = EventTranscoder(topics=TABLE_TOPICS)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: str(event.TOPIC))
def test_the_bytes_of_an_event_of_a_table_never_change(event: AnyTableEvent) -> None:
    frozen, place = golden_file(event.TOPIC).read_bytes(), in_the_golden_stream(event).place

    assert stored_with_a_fixed_nonce(event) == frozen
    assert WITH_KEYS.decode_at(place, frozen) == event
    assert WITHOUT_KEYS.decode_at(place, frozen) == replace(event, **dict.fromkeys(event.SECRETS))


def test_every_kind_of_event_of_a_table_has_golden_bytes_and_so_has_every_older_version() -> None:
    frozen = {path.name.removesuffix(".json") for path in FOLDER.iterdir()}

    assert {type(event) for event in EVENTS} == set(get_args(AnyTableEvent))
    assert frozen == {event.TOPIC for event in EVENTS} | {upcast.topic for upcast in TABLE_UPCASTS}


def test_a_table_that_was_opened_before_there_were_practice_games_is_of_none() -> None:
    frozen = golden_file("table-opened.v1").read_bytes()
    place = Place(table_stream("golden"), 1, "table-opened.v1")
    opened = TableOpened(
        at=AT,
        owner_id="ann",
        private=True,
        spectator_delay_seconds=30,
        rematch_of="before",
        seed=LINK,
        invitation_code="abcdefghjk",
        forked_from=None,
        forked_version=None,
    )

    assert WITH_KEYS.decode_at(place, frozen) == opened
    assert WITHOUT_KEYS.decode_at(place, frozen) == replace(opened, seed=None, invitation_code=None)
