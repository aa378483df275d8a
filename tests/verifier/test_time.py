"""Times are the server's word, but they have to fit together, and a report names every move that the clock made (R15)."""

from collections.abc import Callable
from copy import deepcopy

import pytest

from services.verifier import Failed, Report, verify
from tests.verifier.games import Entry, SignedPlay, bundle, stored
from tests.verifier.log import SERVER
from tests.verifier.test_dishonest_server import game

A_WEEK = 604_800
ALL = frozenset({0, 1})
ON_TIMEOUT = ("forfeit", "challenge", "lowest_bid")
FOLLOWS = {"forfeit": "player-forfeited", "challenge": "bid-challenged", "lowest_bid": "bid-placed"}


def late_game(on_timeout: str) -> SignedPlay:
    """A game in which the clock makes such a move for a player who signs."""
    needed = ("turn-timed-out", FOLLOWS[on_timeout])
    return game("single-hand", needed, ALL, turn_seconds=1, on_timeout=on_timeout)


def verified(play: SignedPlay, change: Callable[[list[Entry]], None]) -> Report:
    entries = deepcopy(play.entries)
    change(entries)
    return verify(bundle(stored(play, entries), None), SERVER.key)


def late_index(entries: list[Entry]) -> int:
    return next(index for index, entry in enumerate(entries) if entry.kind == "turn-timed-out")


def clock_start(entries: list[Entry]) -> int:
    """When the clock started that ran down first."""
    starts = ("roll-called", "dice-dealt", "bid-placed")
    at: int = next(one.public["at"] for one in reversed(entries[: late_index(entries)]) if one.kind in starts)
    return at


def end_the_turn_at(entries: list[Entry], at: int) -> None:
    """Let the first turn that timed out, and all that comes after it, happen at a time."""
    shift = at - entries[late_index(entries)].public["at"]
    for entry in entries[late_index(entries) :]:
        entry.public["at"] += shift


@pytest.mark.parametrize("on_timeout", ON_TIMEOUT)
def test_a_turn_of_a_week_that_is_said_to_be_over_after_a_second(on_timeout: str) -> None:
    """R15"""

    def change(entries: list[Entry]) -> None:
        entries[0].public["options"]["turn_seconds"] = A_WEEK

    with pytest.raises(Failed, match=f"a turn has {A_WEEK} seconds") as failed:
        verified(late_game(on_timeout), change)
    assert failed.value.check == "bids"


@pytest.mark.parametrize("on_timeout", ON_TIMEOUT)
def test_a_turn_is_over_when_its_time_is_up_and_not_a_millisecond_before(on_timeout: str) -> None:
    """R15"""
    play = late_game(on_timeout)
    verified(play, lambda entries: end_the_turn_at(entries, clock_start(entries) + 1_000))

    with pytest.raises(Failed, match="1 milliseconds of them were left") as failed:
        verified(play, lambda entries: end_the_turn_at(entries, clock_start(entries) + 999))
    assert failed.value.check == "bids"


def test_an_event_that_is_earlier_than_the_one_before_it() -> None:
    def change(entries: list[Entry]) -> None:
        entries[5].public["at"] = entries[4].public["at"] + 5
        entries[6].public["at"] = entries[4].public["at"] + 4

    with pytest.raises(Failed, match=r"Event 7.*earlier than that of event 6") as failed:
        verified(game("pirates"), change)
    assert failed.value.check == "outcome"


@pytest.mark.parametrize("on_timeout", ON_TIMEOUT)
def test_a_report_names_every_move_of_the_clock_and_whose_word_it_is(on_timeout: str) -> None:
    play = late_game(on_timeout)
    report = verified(play, lambda _: None)
    late = [index for index, entry in enumerate(play.entries, 1) if entry.kind == "turn-timed-out"]

    assert [timeout.version for timeout in report.timeouts] == late
    for timeout in report.timeouts:
        (sentence,) = [one for one in report.not_proven if one.startswith(f"Event {timeout.version}, ")]
        assert f"the clock moved for seat {timeout.seat} ({timeout.move})" in sentence
        assert "server's word" in sentence
        assert timeout.waited >= 1_000
    assert sum(player["clock_moves"] for player in report.players) == len(late)
    signed = [entry.public["seat"] for entry in play.entries if entry.signer is not None]
    assert [player["signed_moves"] for player in report.players] == [signed.count(seat) for seat in range(3)]


def test_a_report_names_the_round_in_which_a_game_was_abandoned_and_its_clauses_only_once() -> None:
    for number in range(200):
        play = SignedPlay(f"abandoned-{number}", "single-hand", 3, frozenset())
        play.play(quits=0.02)
        if play.entries[-1].kind == "game-abandoned" and play.entries[-2].kind == "round-ended":
            break
    report = verify(bundle(stored(play), None), SERVER.key)

    last = report.rounds[-1]
    assert last.ending == "abandoned"
    told = f"The game was abandoned in round {last.number} (the operator stops): that somebody asked for it is the server's word."
    assert told in report.not_proven
    assert all(len(one.clauses) == len(set(one.clauses)) for one in report.rounds)
