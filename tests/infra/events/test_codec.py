"""Bytes that are not an event are refused, and nothing else happens."""

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.refusals import Malformed
from infra.events.codec import decode_event, encode_event, encode_fields
from infra.postgres.failures import EventTooNew
from tests.golden.samples import EVENTS


def test_an_unknown_topic_is_refused_by_name() -> None:
    with pytest.raises(EventTooNew, match=r"of the kind coup-declared\.v1"):
        decode_event("coup-declared.v1", b"{}")


@pytest.mark.parametrize("state", [b"", b"{}", b"[]", b"null", b"\xff\xfe", b'{"seat":"0"}', b"[" * 100_000])
def test_bytes_that_do_not_fit_their_topic_are_refused(state: bytes) -> None:
    with pytest.raises(Malformed):
        decode_event("bid-placed.v1", state)


@for_all(st.sampled_from(EVENTS), st.integers(min_value=0), st.binary(max_size=3))
def test_a_damaged_event_is_refused_or_read_as_an_event_but_raises_nothing_else(
    event: object, position: int, junk: bytes
) -> None:
    topic, state = encode_event(event)  # type: ignore[arg-type]  # sampled from events
    place = position % len(state)
    try:
        decoded = decode_event(topic, state[:place] + junk + state[place + 1 :])
    except Malformed:
        return
    assert topic == decoded.TOPIC


def test_some_fields_are_written_as_they_are_written_in_the_whole() -> None:
    for event in EVENTS:
        names = event.__struct_fields__
        assert encode_fields(event, names) == encode_event(event)[1]
