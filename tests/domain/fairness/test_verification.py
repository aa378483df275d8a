"""The dice of whole games are proven from what everybody can see."""

from collections import Counter
from functools import cache

import pytest

from domain.commands import Forfeit
from domain.deciding.checks import Playing
from domain.events import (
    CupsLifted,
    DiceDealt,
    DiceLost,
    DiceRerolled,
    GameAbandoned,
    GameEnded,
    OpenerChosen,
    OpeningDiceRolled,
    PlayerForfeited,
    PlayerLeft,
    RollCalled,
    Rolled,
    TurnTimedOut,
)
from domain.fairness.findings import Findings, Unrevealed
from domain.fairness.verification import verify
from domain.rulebooks import BOOKS
from domain.state import Bidding, ChoosingOpener, Ended, Rolling
from domain.views import seen_by
from tests.domain.fairness.play import Play

CLOCK = {"turn_seconds": 1, "on_timeout": "challenge"}
GAMES_EACH = 24


@cache
def games(rulebook: str) -> tuple[Play, ...]:
    """Games of a book, of all sizes and with every way out of them."""
    (book,) = (book for book in BOOKS if book.id == rulebook)
    sizes = book.players_max - book.players_min + 1
    return tuple(
        Play(
            f"whole-{number}",
            rulebook,
            book.players_min + number % sizes,
            dice_each=1 + number % 7,
            **(CLOCK if number % 2 else {}),
        ).play(quits=0.02 * (number % 3))
        for number in range(GAMES_EACH)
    )


def told(play: Play) -> Findings:
    """What a complete game must prove: every link, every deal and every die that its events tell of."""
    opened = [event for event in play.events if isinstance(event, OpeningDiceRolled)]
    deals = [deal for event in play.events if isinstance(event, CupsLifted) for deal in event.deals]
    dice = sum(len(roll.dice) for event in opened for roll in event.rolls)
    return Findings(
        links=sum(isinstance(event, Rolled | DiceRerolled) for event in play.events),
        server_links=len(opened) + len(deals),
        deals=len(opened) + len(deals),
        dice=dice + sum(len(hand) for deal in deals for hand in deal.hands),
        unrevealed=(),
        held_by_server=tuple(range(2, len(play.chains.players), 3)),
        failures=(),
    )


@pytest.mark.parametrize("rulebook", [book.id for book in BOOKS])
def test_every_die_of_every_game_is_proven_from_public_events(rulebook: str) -> None:
    for play in games(rulebook):
        assert verify(play.public) == told(play)


@pytest.mark.parametrize("rulebook", [book.id for book in BOOKS])
def test_the_events_of_the_server_and_those_that_a_seat_sees_prove_the_same(rulebook: str) -> None:
    for play in games(rulebook)[::4]:
        assert verify(play.events) == told(play)
        assert verify(seen_by(event, 1) for event in play.events) == told(play)


def test_those_games_hold_everything_that_can_happen_to_dice() -> None:
    happened = Counter(type(event) for book in BOOKS for play in games(book.id) for event in play.events)
    kinds = (
        RollCalled,
        OpenerChosen,
        DiceDealt,
        DiceRerolled,
        DiceLost,
        PlayerForfeited,
        PlayerLeft,
        TurnTimedOut,
        GameEnded,
        GameAbandoned,
    )

    assert all(happened[kind] >= 10 for kind in kinds), happened
    assert any(_opening_rolls(play) > 1 for play in games("pirates")), "nobody tied for the opener"


def _opening_rolls(play: Play) -> int:
    return sum(isinstance(event, OpeningDiceRolled) for event in play.events)


@pytest.mark.parametrize("phase", [ChoosingOpener, Rolling, Bidding])
@pytest.mark.parametrize("steps", range(4))
@pytest.mark.parametrize("rulebook", ["bidding-track", "prediction-track"])
def test_a_forfeit_is_no_hole_in_the_proof_whenever_it_comes(phase: type, steps: int, rulebook: str) -> None:
    """Links that were revealed for a deal which then was not made are void, and the game goes on with later ones."""
    play = Play(f"forfeit-{steps}", rulebook, 4, dice_each=3)
    play.start()
    while not isinstance(play.state, phase):
        play.step()
    for _ in range(steps):
        play.step()
    assert isinstance(play.state, Playing)
    play.do(Forfeit(seat=play.state.standing.in_play[0]))
    while not isinstance(play.state, Ended):
        play.step()

    assert verify(play.public) == told(play)


@pytest.mark.parametrize("steps", range(40))
def test_a_running_game_proves_all_but_the_running_round(steps: int) -> None:
    play = Play("running", "bidding-track", 3, dice_each=4)
    play.start()
    for _ in range(steps):
        play.step()

    findings = verify(play.public)

    assert findings.holds
    assert len(findings.unrevealed) == (len(play.state.deals) if isinstance(play.state, Bidding) else 0)
    assert findings.deals == told(play).deals
    assert findings.links == told(play).links


def test_what_is_not_revealed_yet_is_named_with_its_round() -> None:
    play = Play("running", "bidding-track", 3, dice_each=4)
    play.start()
    while not isinstance(play.state, Bidding) or len(play.state.deals) < 3:
        play.step()
    made = [
        Unrevealed(index, play.state.round.number, event.seat if isinstance(event, DiceRerolled) else None)
        for index, event in enumerate(play.events)
        if isinstance(event, DiceDealt | DiceRerolled)
    ]

    assert verify(play.public).unrevealed == tuple(made[-3:])


def test_it_does_not_depend_on_what_is_said_or_paid() -> None:
    """Without the events that don't touch the dice, the same is proven."""
    play = games("bidding-track")[3]
    talk = ("AntesPaid", "BidChallenged", "ChallengeResolved", "PlayersEliminated", "PotWon", "TurnTimedOut")

    assert verify(event for event in play.public if type(event).__name__ not in talk) == told(play)


def test_no_events_prove_nothing() -> None:
    findings = verify(())

    assert findings.holds
    assert (findings.links, findings.server_links, findings.deals, findings.dice) == (0, 0, 0, 0)
