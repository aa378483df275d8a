"""What a replay says of events, and what a terminal says of refusals and cups."""

import re
from typing import get_args

import pytest
from grpc import StatusCode
from rich.cells import cell_len
from rich.console import Console

from domain.events import AnyEvent, OpeningDiceRolled, RollCalled, RoundStarted
from services.cli.play.refusal_words import in_words
from services.cli.replay.event_words import sentence_of
from services.cli.teller import Teller
from services.client import Refused
from tests.golden.samples import EVENTS, SERVER_LINK

TELLER = Teller(Console(width=80), "star", ("Ann", "Bob", "Eve"))


def said(event: AnyEvent) -> str:
    return sentence_of(event, TELLER).plain


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.TOPIC)
def test_every_kind_of_event_is_a_sentence_of_its_own_on_one_line(event: AnyEvent) -> None:
    sentence = said(event)

    assert re.fullmatch(r"[A-Z][^\n]* [^\n]*[^ .:][.!]", sentence)
    assert sentence.rstrip(".").lower() != event.TOPIC.partition(".")[0].replace("-", " ")
    assert [sentence == said(other) for other in EVENTS].count(True) == 1


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            "Seat 0 has no dice left and is out of the game. (BT-3)",
            "Ann has no dice left and is out of the game. (BT-3)",
        ),
        (
            "There is no bid to challenge yet; seat 1 opens the bidding.",
            "There is no bid to challenge yet; Bob opens the bidding.",
        ),
        ("It is the turn of seat 2, not of seat 0.", "It is the turn of Eve, not of Ann."),
        (
            "Not all players have rolled yet; seats 0, 2 have not.",
            "Not all players have rolled yet; Ann, Eve have not.",
        ),
        (
            "The game is not waiting for seat 0; it waits for 1, 2.",
            "The game is not waiting for Ann; it waits for Bob, Eve.",
        ),
        ("All 4 seats of this table are taken.", "All 4 seats of this table are taken."),
        ("3x 5 is not higher; at least 1, 2 of seat 9.", "3x 5 is not higher; at least 1, 2 of seat 9."),
    ],
)
def test_a_refusal_names_players_and_not_seats(message: str, told: str) -> None:
    assert in_words(Refused(StatusCode.FAILED_PRECONDITION, message, "ANY"), TELLER.names) == told


@pytest.mark.parametrize("reason", ["VERSION_MOVED", "SIGNATURE_STALE"])
def test_a_move_that_comes_too_late_is_told_without_versions(reason: str) -> None:
    message = "The game is at version 81, but the command was made for version 80."

    told = in_words(Refused(StatusCode.ABORTED, message, reason), TELLER.names)

    assert told == "The game has moved on meanwhile, so nothing was done. Look at the table, and decide anew."


def test_cups_stand_below_each_other_whatever_the_names_are() -> None:
    teller = Teller(Console(width=80), "star", ("Zoë 😀", "Bob", "Bartholomew"))

    cups = [[line.plain for line in teller.cup(seat, (3, 5))] for seat in range(3)]

    assert len({cell_len(line) for lines in cups for line in lines}) == 1


def test_there_is_an_event_of_every_kind_among_them() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(AnyEvent))


def test_what_differs_from_table_to_table_is_told() -> None:
    (rolled,) = [event for event in EVENTS if isinstance(event, OpeningDiceRolled)]
    faces = ", ".join(f"{TELLER.names[one.seat]} {TELLER.faces(one.dice)}" for one in rolled.rolls)

    assert said(rolled) == f"The dice for the opener fall: {faces}."
    assert said(OpeningDiceRolled(server_link=SERVER_LINK, rolls=())) == "The opener is drawn by lot."
    assert said(RollCalled(seats=(0, 1, 2), call=1, calls=1)) == "Ann, Bob and Eve must roll."
    assert said(RollCalled(seats=(1,), call=1, calls=1)) == "Bob must roll."
    begun = RoundStarted(number=2, opener=1, palafico=True, dice_counts=(1, 2, 0))
    assert said(begun) == "Palafico round 2 begins, Bob opens; dice: Ann 1, Bob 2."
