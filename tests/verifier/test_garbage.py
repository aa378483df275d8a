"""For any input, the verifier says what is wrong and never crashes.

It catches no errors of Python but where it reads JSON, UTF-8 and base64. So if one of these tests meets another error than
`Failed`, it has found a mistake in the verifier.
"""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.verifier import BUNDLE_BYTES_MAX, Failed, verify
from tests.extent import extent
from tests.memory import memory_growth_max
from tests.verifier.games import Entry, SignedPlay, bundle, stored
from tests.verifier.log import SERVER

ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 7, 1.5, 10**15, 2**64, 10**400, float("inf")),
    *("", "x", "é", "\ud800", "\0", "A" * 44, "game-created.v1", "dice-dealt.v1", b64encode(b"\0" * 32).decode()),
    *([], {}, [[]], [None], {"": 0}, [1, 2, 3], {"seat": 0}, [[1], [2]], list(range(30))),
)
GARBAGE = (
    b"",
    b"\n",
    b"{}\n",
    b"[]\n",
    b"null\n",
    b"\xff\xfe\n",
    b"[" * 200_000 + b"\n",
    b'{"a":' * 100_000 + b"\n",
    b"9" * 10_000 + b"\n",
    b'"\\ud800"\n',
    "\ufeff{}\n".encode(),
    b'{"format":"liarsdice.bundle.v1"}\n',
    b"NaN\n",
)


def play_of(rulebook: str) -> SignedPlay:
    play = SignedPlay("garbage", rulebook, 3, frozenset(), dice_each=2)
    play.play()
    return play


def refused(data: bytes) -> Failed:
    with pytest.raises(Failed) as failed:
        verify(data)
    return failed.value


@pytest.mark.parametrize("data", GARBAGE, ids=lambda data: repr(data[:20]))
def test_what_is_no_bundle_has_no_form(data: bytes) -> None:
    assert refused(data).check == "form"


@given(st.binary(max_size=200))
def test_bytes_at_random_have_no_form(data: bytes) -> None:
    assert refused(data).check == "form"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=8,
    )
)
@settings(max_examples=extent(20, 500))
def test_json_at_random_has_no_form(value: Any) -> None:
    assert refused(json.dumps(value, ensure_ascii=True).encode() + b"\n").check == "form"


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON value where something stands."""
    for key in [*value] if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


def spelled(value: Any) -> bytes:
    with suppress(UnicodeEncodeError):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    return json.dumps(value).encode() + b"\n"


@pytest.mark.parametrize("rulebook", ["bidding-track", "pirates"])
def test_a_bundle_with_odd_values_is_refused(rulebook: str) -> None:
    chance = Random(rulebook)
    whole = json.loads(bundle(stored(play_of(rulebook)), None))
    for _ in range(150):
        data = deepcopy(whole)
        where, key = chance.choice(list(places(data)))
        where[key] = chance.choice(ODD_VALUES)
        if data != whole:
            refused(spelled(data))


def parts_of(play: SignedPlay) -> list[Any]:
    """Values of the right types from everywhere in a game: these come further than nonsense does."""
    return [where[key] for entry in play.entries for where, key in places(entry.public)]


@pytest.mark.at_length
@pytest.mark.parametrize("rulebook", ["bidding-track", "single-hand", "prediction-track", "palafico"])
def test_events_with_odd_values_that_are_hashed_and_signed_never_break_the_verifier(rulebook: str) -> None:
    """Most are refused; a few of the server's own words may be anything."""
    chance = Random(rulebook)
    play = play_of(rulebook)
    values = [*(value for value in ODD_VALUES if value != "\ud800"), *parts_of(play)]
    for _ in range(extent(150, 20_000)):
        entries = deepcopy(play.entries)
        for _ in range(chance.choice([1, 1, 2, 5])):
            entry = chance.choice(entries)
            where, key = chance.choice(list(places(entry.public)) + list(places(entry.secret)))
            where[key] = chance.choice(values)
        with suppress(Failed):
            verify(bundle_of(play, entries))


@pytest.mark.at_length
@pytest.mark.parametrize("rulebook", ["bidding-track", "single-hand", "pirates", "palafico"])
def test_events_in_any_order_that_are_hashed_and_signed_never_break_the_verifier(rulebook: str) -> None:
    chance = Random(rulebook)
    play = play_of(rulebook)
    for _ in range(extent(150, 20_000)):
        entries = list(play.entries)
        for _ in range(chance.choice([1, 1, 2, 5])):
            entry = entries.pop(chance.randrange(len(entries)))
            if chance.random() < 0.7:
                entries.insert(chance.randrange(len(entries)), entry)
        with suppress(Failed):
            verify(bundle_of(play, entries))


def bundle_of(play: SignedPlay, entries: list[Entry]) -> bytes:
    """A bundle of whatever the entries are, or of the first round if the game does not end any more."""
    game = stored(play, entries)
    ends = any(event.topic.startswith(("game-ended", "game-abandoned")) for event in game.events)
    return bundle(game, None) if ends else bundle(stored(play), 1)


def test_a_key_that_is_none_is_refused() -> None:
    data = bundle(stored(play_of("pirates")), 1)
    for key in ("", "x", "a+b+c", SERVER.key[:-1], SERVER.key.upper(), " " + SERVER.key, "\ud800"):
        with pytest.raises(Failed):
            verify(data, key)
        with pytest.raises(Failed):
            verify(data, SERVER.key, [key])


HUGE: dict[str, Callable[[bytes], bytes]] = {
    "a string": lambda data: data.replace(b'"game_id":"', b'"game_id":"' + b"x" * 30_000_000, 1),
    "a string of escapes": lambda data: data.replace(b'"game_id":"', b'"game_id":"' + b"\\n" * 15_000_000, 1),
    "a name": lambda data: data.replace(b'\\"name\\":\\"', b'\\"name\\":\\"' + b"x" * 30_000_000, 1),
    "a checkpoint": lambda data: data.replace(
        b'"checkpoint":"', b'"checkpoint":"' + "— a b\\n".encode() * 2_000_000, 1
    ),
    "all of it": lambda data: data + b" " * BUNDLE_BYTES_MAX,
    "a number": lambda data: data.replace(b'"leaf":', b'"leaf":' + b"9" * 1_000_000, 1),
    "a depth": lambda data: data.replace(b'"proof":[', b'"proof":[' + b"[" * 100_000, 1),
}


@pytest.mark.parametrize("huge", HUGE)
def test_what_is_too_large_is_refused_in_a_sentence_and_in_bounded_memory(huge: str) -> None:
    data = HUGE[huge](bundle(stored(play_of("single-hand")), 1))
    with memory_growth_max(512):
        refused(data)
