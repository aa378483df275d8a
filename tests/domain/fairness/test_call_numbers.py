"""The check counts the calls to roll itself: a server that numbers them as it likes is found out by the first."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from domain.commands import StartGame
from domain.events import AnyEvent, BidPlaced, DiceRerolled, OpeningDiceRolled, RollCalled
from domain.fairness.findings import Failure
from domain.fairness.verification import verify
from domain.state import Rolling
from domain.views import seen_by
from tests.made_tables import bids, chains_of, challenges, started
from tests.specification import Given, given

BOOK = "bidding-track"
CHAINS = chains_of(BOOK, 3)


def public(game: Given) -> list[AnyEvent]:
    return [seen_by(event, None) for event in game.events]


def with_call(game: Given, **fields: Any) -> Given:
    """A game that ends with a call to roll, but with other numbers or seats, which the rest of the game would use."""
    *before, called = game.events
    assert isinstance(called, RollCalled)
    return given(before, replace(called, **fields))


def round_played(game: Given) -> Given:
    """A round played by the numbers that were called, and the call of the next."""
    while isinstance(game.state, Rolling) and game.state.waiting:
        game = game.after(CHAINS.roll(game.state, game.state.waiting[0]))
    return game.after(bids(0, "9x2"), challenges(1))


FALSE_CALLS = {
    "a number too high": ({"call": 2}, "The next call has the number 1."),
    "a number far too high": ({"call": 60}, "The next call has the number 1."),
    "no number set aside for rerolls": ({"calls": 1}, "A roll like this sets aside the numbers of 13 calls."),
    "numbers set aside for no use": ({"calls": 14}, "A roll like this sets aside the numbers of 13 calls."),
}


@pytest.mark.parametrize(("fields", "sentence"), FALSE_CALLS.values(), ids=FALSE_CALLS)
def test_a_server_that_goes_by_false_numbers_is_found_at_the_call(fields: dict[str, Any], sentence: str) -> None:
    """All links, dice and later calls fit the false numbers."""
    game = given(started(BOOK, 3, StartGame(opener=0)))
    right, false = round_played(game), round_played(with_call(game, **fields))

    assert verify(public(right)).holds
    assert verify(public(false)).failures[0] == Failure(len(game.events) - 1, "server", sentence)


def test_numbers_that_were_used_are_not_called_again() -> None:
    """As a server would do that wants a second choice among the deals of a round."""
    game = round_played(given(started(BOOK, 3, StartGame(opener=0))))

    findings = verify(public(with_call(game, call=1)))

    assert [failure.sentence for failure in findings.failures] == ["The next call has the number 14."]


@pytest.mark.parametrize("seats", [(0, 1), (0, 1, 2, 2), (2, 1, 0), ()])
def test_all_who_have_dice_are_called_and_in_order(seats: tuple[int, ...]) -> None:
    game = given(started(BOOK, 3, StartGame(opener=0)))

    findings = verify(public(with_call(game, seats=seats)))

    assert [failure.sentence for failure in findings.failures] == ["The seats to roll were (0, 1, 2)."]


def test_a_reroll_for_which_no_number_was_set_aside_is_found_before_the_cups_are_lifted() -> None:
    chains = chains_of(BOOK, 2, dice_each=1)
    game = given(started(BOOK, 2, StartGame(opener=0), dice_each=1))
    for seat in (0, 1):
        game = game.after(chains.roll(game.state, seat))
    link = chains.players[0].link(2)
    rerolled = DiceRerolled(seat=0, shown=(), rerolled=1, link=link, server_link=None, hand=None)

    findings = verify([*public(game), BidPlaced(seat=0, quantity=1, face=2), rerolled])

    sentence = "More rerolls than a round like this can have."
    assert findings.failures == (Failure(len(game.events) + 1, 0, sentence),)


def ties() -> Iterator[Given]:
    """Games in which some tied in the opening roll and were called again."""
    for dice_each in range(1, 6):
        chains = chains_of("prediction-track", 6, dice_each=dice_each)
        game = given(started("prediction-track", 6, dice_each=dice_each))
        while not any(isinstance(event, OpeningDiceRolled) for event in game.events):
            game = game.after(chains.roll(game.state, game.state.waiting[0]))  # type: ignore[union-attr]  # they roll
        if isinstance(game.events[-1], RollCalled) and not isinstance(game.state, Rolling):
            yield game


def test_each_opening_roll_takes_one_number() -> None:
    game = next(ties())

    assert verify(public(game)).holds
    for fields in ({"call": 1}, {"call": 3}, {"calls": 2}):
        assert len(verify(public(with_call(game, **fields))).failures) == 1
