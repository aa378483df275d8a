"""Fixtures and settings for all tests."""

import gc
import signal

import pytest
from hypothesis import is_hypothesis_test, settings

import services
from tests.extent import extent

assert services.__doc__, "loaded before gRPC, which reads its settings once (see there)"

# A shell lets what it starts in the background ignore Ctrl-C, and so would every process that a test wants to interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes depends on what else the machine does, and says nothing about the program.
settings.register_profile("any machine", deadline=None, max_examples=extent(30, 1_000))
settings.load_profile("any machine")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that searches for examples: the longer it searches, the more it can find."""
    for item in items:
        if is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker("at_length")


def pytest_collection_finish() -> None:
    """Keep the garbage collector away from thousands of tests and modules, as servers do (`services/app/run_loop.py`)."""
    gc.freeze()
    gc.set_threshold(20_000)
