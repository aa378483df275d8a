"""The game record, as it was published and as others may write it."""

import json

import pytest

from domain.history.record import decode_record, encode_record
from domain.history.recording import record_of
from domain.refusals import Malformed
from tests.golden.games import GAMES, read_events

PUBLISHED = {
    "record_version": 1,
    "game_id": "game-1",
    "rulebook": "bidding-track",
    "rulebook_version": 1,
    "options": {"chips": False, "wild_aces": False, "raise_rule": "quantity_or_face", "dice_each": 5},
    "seats": [
        {"seat": 0, "player_id": "ann", "name": "Ann", "kind": "human"},
        {"seat": 1, "player_id": "bob", "name": "Bob", "kind": "bot"},
    ],
    "opening_rolls": [{"seat": 0, "dice": [3]}],
    "rounds": [
        {
            "number": 1,
            "opener": 0,
            "palafico": False,
            "dice_counts": [5, 5],
            "antes": [{"seat": 0, "round_pot": 1, "game_pot": 1}],
            "actions": [
                {"type": "roll", "seat": 0},
                {"type": "bid", "seat": 0, "quantity": 2, "face": 5},
                {"type": "show_and_reroll", "seat": 0, "shown": [5, 5], "rerolled": 3},
                {"type": "challenge", "seat": 1},
            ],
            "dice": [[5, 5, 1, 2, 6], [3, 3, 4, 6, 6]],
            "result": {
                "bid": {"seat": 0, "quantity": 2, "face": 5},
                "challenger": 1,
                "actual": 3,
                "penalties": [{"seat": 1, "penalty": 1, "lost": 1}],
                "winner": 0,
                "eliminated": [],
            },
        }
    ],
    "forfeits": [],
    "winner": 0,
    "places": [[0], [1]],
    "chips": None,
}


def test_the_published_fields_alone_make_a_record() -> None:
    record = decode_record(json.dumps(PUBLISHED))

    assert record.rounds[0].actions[2].shown == (5, 5)  # type: ignore[union-attr]  # it is the reroll
    assert record.places == ((0,), (1,))
    written = json.loads(encode_record(record))
    assert PUBLISHED.keys() <= written.keys()


def test_fields_that_were_added_later_are_passed_over() -> None:
    later = json.loads(json.dumps(PUBLISHED))
    later["rated"] = True
    later["seats"][0]["rating"] = 1500
    later["options"]["music"] = "loud"
    later["rounds"][0]["result"]["applause"] = 3

    assert decode_record(json.dumps(later)) == decode_record(json.dumps(PUBLISHED))


@pytest.mark.parametrize("line", ["", "{}", "[]", "null", "{", '{"record_version": 2}', b"\xff", "[" * 100_000])
def test_what_is_no_record_is_refused(line: str | bytes) -> None:
    with pytest.raises(Malformed):
        decode_record(line)


@pytest.mark.parametrize("rulebook", GAMES)
def test_a_log_with_events_missing_doubled_or_swapped_is_refused_or_recorded_but_breaks_nothing(rulebook: str) -> None:
    events = read_events(rulebook)
    refused = 0
    for index in range(len(events)):
        for log in (
            events[:index] + events[index + 1 :],
            events[: index + 1] + events[index:],
            events[index:],
            events[index:] + events[:index],
        ):
            try:
                record_of(log)
            except Malformed:
                refused += 1

    assert refused >= len(events)


def test_an_empty_log_is_refused() -> None:
    with pytest.raises(Malformed, match="does not begin with the creation"):
        record_of([])
