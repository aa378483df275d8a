"""Open streams: each caller, each address and the process have room for so many."""

from contextlib import ExitStack

import pytest

from services.access.open_streams import OpenStreams
from services.access.payer import payer_of
from services.access.refusals import StreamsTooMany


def test_one_stream_too_many_is_refused_until_another_ends() -> None:
    streams, ann, bob = OpenStreams(2), payer_of("ann", "10.0.0.1"), payer_of("bob", "10.0.0.1")
    with streams.opened(ann):
        with streams.opened(ann):
            with pytest.raises(StreamsTooMany), streams.opened(ann):
                pass
            with streams.opened(bob):
                assert streams.count == 3
        with streams.opened(ann):
            pass
    assert streams.count == 0


def test_an_address_has_room_for_ten_callers() -> None:
    streams = OpenStreams(1)
    with ExitStack() as stack:
        for number in range(10):
            stack.enter_context(streams.opened(payer_of(f"player{number}", "10.0.0.1")))
        with pytest.raises(StreamsTooMany):
            streams.check(payer_of("ann", "10.0.0.1"))
        streams.check(payer_of("ann", "10.0.0.2"))


def test_without_a_limit_all_are_admitted() -> None:
    streams, ann = OpenStreams(0), payer_of("ann", "10.0.0.1")
    with ExitStack() as stack:
        for _ in range(500):
            stack.enter_context(streams.opened(ann))
        assert streams.count == 500


def test_behind_a_proxy_only_players_and_the_process_have_limits() -> None:
    streams, stranger, ann = OpenStreams(1, by_address=False), payer_of("", "10.0.0.1"), payer_of("ann", "10.0.0.1")
    with ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(streams.opened(stranger))
        stack.enter_context(streams.opened(ann))
        with pytest.raises(StreamsTooMany):
            streams.check(ann)
        for _ in range(99):
            stack.enter_context(streams.opened(stranger))
        with pytest.raises(StreamsTooMany):
            streams.check(stranger)
