"""Fixtures and settings for all tests."""

import gc
import signal
from itertools import groupby

import pytest
from hypothesis import is_hypothesis_test, settings

import services
from tests.extent import extent

assert services.__doc__, "loaded before gRPC, which reads its settings once (see there)"

# A shell lets what it starts in the background ignore Ctrl-C, and so would every process that a test wants to interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

LONG_FIRST = (
    "tests/attacks/",
    "tests/connect/foreign/",
    "tests/test_docs.py",
    "tests/test_how_to.py",
    "tests/test_manifests.py",
    "tests/test_node_example.py",
    "tests/web/",
)
"""Where single tests take many seconds: they start processes, browsers or builds, and wait for them."""

# How long an example takes depends on what else the machine does, and says nothing about the program.
settings.register_profile("any machine", deadline=None, max_examples=extent(30, 1_000))
settings.load_profile("any machine")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark every test that searches for examples: the longer it searches, the more it can find."""
    for item in items:
        if is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker("at_length")
    items[:] = dealt(items, getattr(config, "workerinput", {}).get("workercount", 1))


def dealt(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """The tests in an order that gives each worker files with long tests at first, so that none is left with them at last.

    At first each worker gets an equal part of the list (`--dist worksteal`).
    """
    long, rest = ([item for item in items if item.nodeid.startswith(LONG_FIRST) is wanted] for wanted in (True, False))
    hands: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for number, (_, file) in enumerate(groupby(long, key=lambda item: item.path)):
        hands[number % workers] += file
    order: list[pytest.Item] = []
    for number, hand in enumerate(hands, 1):
        fill = max(0, len(items) * number // workers - len(order) - len(hand))
        order += [*hand, *rest[:fill]]
        del rest[:fill]
    return [*order, *rest]


def pytest_collection_finish() -> None:
    """Keep the garbage collector away from thousands of tests and modules, as servers do (`services/app/run_loop.py`)."""
    gc.freeze()
    gc.set_threshold(20_000)
