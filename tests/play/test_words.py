"""What a replay says of events."""

import re
from typing import get_args

import pytest
from rich.console import Console

from domain.events import AnyEvent, OpeningDiceRolled, RollCalled, RoundStarted
from services.replay.words import happened
from services.telling import Teller
from tests.golden.samples import EVENTS, SERVER_LINK

TELLER = Teller(Console(width=80), "star", ("Ann", "Bob", "Eve"))


def said(event: AnyEvent) -> str:
    return happened(event, TELLER).plain


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.TOPIC)
def test_every_kind_of_event_is_a_sentence_of_its_own_on_one_line(event: AnyEvent) -> None:
    sentence = said(event)

    assert re.fullmatch(r"[A-Z][^\n]* [^\n]*[^ .:][.!]", sentence)
    assert sentence.rstrip(".").lower() != event.TOPIC.partition(".")[0].replace("-", " ")
    assert [sentence == said(other) for other in EVENTS].count(True) == 1


def test_there_is_an_event_of_every_kind_among_them() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(AnyEvent))


def test_what_differs_from_table_to_table_is_told() -> None:
    (rolled,) = [event for event in EVENTS if isinstance(event, OpeningDiceRolled)]
    faces = ", ".join(f"{TELLER.names[one.seat]} {TELLER.faces(one.dice)}" for one in rolled.rolls)

    assert said(rolled) == f"The dice for the opener fall: {faces}."
    assert said(OpeningDiceRolled(server_link=SERVER_LINK, rolls=())) == "Who opens is drawn by lot."
    assert said(RollCalled(seats=(0, 1, 2), call=1, calls=1)) == "It is for Ann, Bob and Eve to roll."
    assert said(RollCalled(seats=(1,), call=1, calls=1)) == "It is for Bob to roll."
    begun = RoundStarted(number=2, opener=1, palafico=True, dice_counts=(1, 2, 0))
    assert said(begun) == "Palafico round 2 begins, Bob opens; dice: Ann 1, Bob 2."
