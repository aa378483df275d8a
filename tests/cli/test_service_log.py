"""The log of a service grows with what happens, not with how often a caller makes it happen."""

import logging

from services.cli.service_log import REPEATS_MAX, SPAN_SECONDS, Repeats, _Printable


def record(sentence: str, *values: object) -> logging.LogRecord:
    return logging.LogRecord("test", logging.WARNING, "file", 1, sentence, values, None)


def test_the_same_sentence_is_logged_a_few_times_in_a_span_and_others_are_not_touched() -> None:
    now = 0.0
    repeats = Repeats(lambda: now)

    logged = [repeats.filter(record("a call failed: %s", number)) for number in range(1_000)]
    assert sum(logged) == REPEATS_MAX
    assert repeats.filter(record("something else"))
    now = SPAN_SECONDS
    told = record("a call failed: %s", "again")
    assert repeats.filter(told)
    assert told.getMessage() == "a call failed: again (and 980 more like this were not logged)"
    assert repeats.filter(record("a call failed: %s", "and again"))


def test_a_line_of_the_log_draws_nothing() -> None:
    written = _Printable("%(message)s").format(record("a request for %s failed", "\x1b[1;32mVerified\r\x9b"))

    assert written == "a request for \\x1b[1;32mVerified\\r\\x9b failed"
