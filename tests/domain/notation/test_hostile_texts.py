"""Whatever a text holds, it is read or refused; and what was read can be written."""

from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from domain.history.record import GameRecord, decode_record, encode_record
from domain.notation import read_game, read_games, write_game
from domain.refusals import Malformed, Refusal
from tests.domain.notation.play import SETTINGS, game
from tests.extent import extent

GAMES = [game(setting, seed) for setting in SETTINGS for seed in (1, 2)]
TEXTS = [write_game(record) for record in GAMES]
WORDS = sorted({word for text in TEXTS for word in text.split()})
HOSTILE = (
    *(
        "-1",
        "+1",
        "1.5",
        "1e3",
        "007",
        "0x1",
        "9" * 5000,
        "²",
        "٣",
        "\uff11",
        "x",
        "4x",
        "x3",
        "4x3x2",
        "1000x6",
        "1001x1",
    ),
    *('"', '""', "\\", '"\\', '"\\"', '"\\x"', "'", "#", "\x00", "\x1b", "\r", "\v", "\x85", "\u2028", "\ufeff"),
    *("\ud800", "🎲", "{}", "{0}", "%s", "a" * 10_000, "a " * 10_000, ",", ",,", "=", ">", "none", "yes", "*", "* *"),
)


def read_or_refused(text: str) -> GameRecord | None:
    """The game in a text, if the text is accepted; then it can also be written and read again."""
    refusals: list[str] = []
    try:
        record = read_game(text)
    except Refusal as refusal:
        refusals.append(str(refusal))
    if refusals:
        assert refusals[0].startswith("This is not a valid game notation: line ")
        return None
    assert read_game(write_game(record)) == record
    assert decode_record(encode_record(record)) == record
    return record


@settings(max_examples=extent(60, 2_000))
@given(text=st.text() | st.text(alphabet=' \n"\\#,x*123', max_size=60))
@example("\ud800")
@example('"')
def test_any_text_is_refused_at_a_line(text: str) -> None:
    assert read_or_refused(text) is None
    assert read_or_refused(f"liarsdice notation 1\n{text}") is None


@settings(max_examples=extent(50, 1_500))
@given(content=st.binary(max_size=300), errors=st.sampled_from(["replace", "surrogateescape", "ignore"]))
def test_any_bytes_taken_as_text_are_refused_at_a_line(content: bytes, errors: str) -> None:
    assert read_or_refused(content.decode("utf-8", errors)) is None
    assert read_or_refused(content.decode("latin-1")) is None


def _other_word(chance: Random, text: str) -> str:
    words = text.split(" ")
    words[chance.randrange(len(words))] = chance.choice((*WORDS, *HOSTILE))
    return " ".join(words)


def _other_number(chance: Random, text: str) -> str:
    places = [place for place, letter in enumerate(text) if letter.isdigit()]
    place = chance.choice(places)
    return text[:place] + chance.choice("0123456789*") + text[place + 1 :]


def _other_letter(chance: Random, text: str) -> str:
    place = chance.randrange(len(text))
    return text[:place] + chance.choice(HOSTILE)[:1] + text[place + chance.randrange(2) :]


def _line_gone(chance: Random, text: str) -> str:
    lines = text.split("\n")
    del lines[chance.randrange(len(lines))]
    return "\n".join(lines)


def _line_twice(chance: Random, text: str) -> str:
    lines = text.split("\n")
    lines.insert(chance.randrange(len(lines)), chance.choice(lines))
    return "\n".join(lines)


def _lines_swapped(chance: Random, text: str) -> str:
    lines = text.split("\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)


def _cut(chance: Random, text: str) -> str:
    return text[: chance.randrange(len(text) + 1)]


def _spliced(chance: Random, text: str) -> str:
    return _cut(chance, text) + chance.choice(TEXTS)[chance.randrange(1000) :]


CHANGES: list[Callable[[Random, str], str]] = [
    *(_other_word, _other_number, _other_letter, _line_gone, _line_twice, _lines_swapped, _cut, _spliced)
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_game_with_a_few_changes_is_read_or_refused(change: Callable[[Random, str], str]) -> None:
    chance = Random(change.__name__)
    for _ in range(120):
        text = chance.choice(TEXTS)
        for _ in range(chance.choice((1, 1, 1, 2, 5))):
            text = change(chance, text)
        read_or_refused(text)


@pytest.mark.parametrize("place", range(0, TEXTS[0].index("round 1"), 7))
def test_a_hostile_word_anywhere_in_the_head_of_a_game_is_read_or_refused(place: int) -> None:
    for word in HOSTILE:
        read_or_refused(TEXTS[0][:place] + word + TEXTS[0][place:])


@pytest.mark.parametrize(
    "piece", ['"', '\\"', '"\\', "#", ",", "\n", "\r\n", "9", "seat 0 ", '"a" ', "option chips no\n", "\ud800"]
)
def test_a_very_long_text_is_refused_without_delay(piece: str) -> None:
    """A hundred thousand pieces: a search that starts over at each of them would take minutes."""
    for head in ("", '"', "liarsdice notation 1\ngame g\nrulebook pirates, version 1\nseat 0 "):
        assert read_or_refused(head + piece * 100_000) is None


@settings(max_examples=extent(50, 1_500))
@given(seed=st.integers(0, 2**32))
def test_a_record_with_a_changed_value_is_written_so_that_it_reads_back_or_refused(seed: int) -> None:
    chance = Random(seed)
    changed = _changed(chance, msgspec.json.decode(encode_record(chance.choice(GAMES))))
    try:
        record = decode_record(msgspec.json.encode(changed))
        text = write_game(record)
    except Malformed:
        return
    assert read_game(text) == record


def _changed(chance: Random, value: Any) -> Any:
    """The same value with something inside it changed."""
    if isinstance(value, dict) and value:
        key = chance.choice([*value])
        return {**value, key: _changed(chance, value[key])}
    if isinstance(value, list) and value and chance.random() < 0.8:
        index = chance.randrange(len(value))
        return [*value[:index], _changed(chance, value[index]), *value[index + 1 :]]
    if isinstance(value, list):
        return value[:-1] if chance.random() < 0.5 else [*value, *value[-1:]]
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return chance.choice((value + 1, value - 1, 0, -1, 10**18))
    return chance.choice((value + "x", "", "\n", "ends", "human", "server", "time"))


def test_several_games_are_read_or_refused_in_the_same_way() -> None:
    chance = Random(7)
    for _ in range(20):
        text = _other_word(chance, "\n".join(chance.sample(TEXTS, 3)))
        try:
            records = list(read_games(text))
        except Malformed:
            continue
        assert len(records) in {2, 3}
