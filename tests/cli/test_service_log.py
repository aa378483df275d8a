"""The log of a service grows with what happens, not with how often a caller makes it happen."""

import json
import logging
import re
import subprocess
import sys

from services.cli.service_log import REPEATS_MAX, SPAN_SECONDS, JsonLines, Repeats, _Printable


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


def test_a_line_in_json_has_the_sentence_with_and_without_its_values_and_draws_nothing() -> None:
    failed = record("a request for %s failed", "\x1b[1;32mVerified\r\x7f\x9b")
    try:
        raise ValueError("why")  # noqa: TRY301 - a record of an error needs one that was raised
    except ValueError:
        failed.exc_info = sys.exc_info()
    written = JsonLines().format(failed)
    line = json.loads(written)

    assert written.isascii()
    assert written.isprintable()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line.pop("time"))
    assert line.pop("error").endswith("ValueError: why")
    assert line == {
        "level": "WARNING",
        "logger": "test",
        "message": "a request for \x1b[1;32mVerified\r\x7f\x9b failed",
        "sentence": "a request for %s failed",
    }


def test_the_log_in_json_has_one_object_in_a_line_and_the_same_limit() -> None:
    program = (
        "import logging; from services.cli.service_log import start_log; start_log('json')\n"
        "for number in range(100): logging.getLogger('test').warning('again %s', number)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    lines = [json.loads(line) for line in ran.stderr.splitlines()]

    assert [line["message"] for line in lines] == [f"again {number}" for number in range(REPEATS_MAX)]
    assert {line["sentence"] for line in lines} == {"again %s"}
