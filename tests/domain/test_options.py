"""What can be chosen when a game is created, book by book: each option is taken where the book has it and refused with
the reason where it has not.
"""

from itertools import product
from typing import Any

import pytest

from domain.commands import CreateGame
from domain.events import GameCreated
from domain.options import DEFAULT_OPTIONS, Options
from domain.refusals import OpenerNotChosen, OptionNotInRulebook, OptionOutOfRange, Refusal
from domain.rulebooks import BOOKS
from tests.specification import Decided, given

BOOK_IDS = [book.id for book in BOOKS]
WEEK_SECONDS = 604_800

OWN_OPTIONS = {
    "bidding-track": {"chips", "opener"},
    "single-hand": {"wild_aces", "raise_rule", "opener"},
    "pirates": set(),
    "prediction-track": set(),
    "palafico": {"opener"},
}
"""What each book offers beyond the dice count and the turn clock, which all have."""

in_every_book = pytest.mark.parametrize("rulebook", BOOK_IDS)


def created_with(rulebook: str, **options: Any) -> Decided:
    """The attempt to create a table for two with some options."""
    return given().when(
        CreateGame(game_id="game", rulebook=rulebook, server_anchor=b"s" * 32, options=Options(**options), seats=2)
    )


def option_refused(refusal: Refusal) -> str:
    """The option that a refusal is about."""
    return "opener" if isinstance(refusal, OpenerNotChosen) else str(refusal.fields["option"])


def test_every_book_is_in_the_table_of_this_test() -> None:
    assert list(OWN_OPTIONS) == BOOK_IDS


@in_every_book
def test_every_book_can_be_played_without_choosing_anything(rulebook: str) -> None:
    created = created_with(rulebook).one(GameCreated)

    assert created.options == DEFAULT_OPTIONS
    assert created.options == Options(
        chips=False,
        wild_aces=False,
        raise_rule="quantity_or_face",
        dice_each=5,
        opener=None,
        turn_seconds=None,
        on_timeout="forfeit",
    )


@pytest.mark.parametrize(
    ("rulebook", "options"),
    [
        ("bidding-track", {"chips": True, "opener": 1, "dice_each": 6, "turn_seconds": 60, "on_timeout": "challenge"}),
        ("single-hand", {"wild_aces": True, "raise_rule": "beat_the_higher_number", "opener": 0}),
        ("single-hand", {"raise_rule": "same_face_or_higher_face", "dice_each": 1}),
        ("pirates", {"dice_each": 10, "turn_seconds": 1, "on_timeout": "lowest_bid"}),
        ("prediction-track", {"dice_each": 3, "turn_seconds": WEEK_SECONDS}),
        ("palafico", {"opener": 1, "turn_seconds": 60, "on_timeout": "forfeit"}),
    ],
)
def test_what_a_book_has_is_accepted_and_kept(rulebook: str, options: dict[str, Any]) -> None:
    assert created_with(rulebook, **options).one(GameCreated).options == Options(**options)


@in_every_book
def test_every_combination_is_accepted_exactly_if_the_book_has_all_of_it(rulebook: str) -> None:
    for chips, wild_aces, raise_rule, opener, turn_seconds, on_timeout in product(
        (False, True),
        (False, True),
        ("quantity_or_face", "same_face_or_higher_face", "beat_the_higher_number"),
        (None, 1),
        (None, 30),
        ("forfeit", "challenge", "lowest_bid"),
    ):
        options = {"chips": chips, "wild_aces": wild_aces, "raise_rule": raise_rule, "opener": opener}
        chosen = {name for name, value in options.items() if value != getattr(DEFAULT_OPTIONS, name)}
        missing = chosen - OWN_OPTIONS[rulebook]
        if turn_seconds is None and on_timeout != "forfeit":
            missing.add("on_timeout")

        decided = created_with(rulebook, **options, turn_seconds=turn_seconds, on_timeout=on_timeout)

        if missing:
            assert decided.refusal is not None
            assert option_refused(decided.refusal) in missing
        else:
            assert isinstance(decided.one(GameCreated), GameCreated)


@pytest.mark.proves("BT-20")
@pytest.mark.parametrize("rulebook", sorted(set(BOOK_IDS) - {"bidding-track"}))
def test_chips_are_for_the_bidding_track_alone(rulebook: str) -> None:
    refusal = created_with(rulebook, chips=True).refuses(OptionNotInRulebook, "BT-20", option="chips", value=True)

    assert refusal.sentence == (f"The book {rulebook} has no option chips=true: the book says nothing of chips.")


@pytest.mark.proves("SH-14")
@pytest.mark.parametrize("rulebook", sorted(set(BOOK_IDS) - {"single-hand"}))
def test_wild_aces_are_for_the_single_hand_alone(rulebook: str) -> None:
    refusal = created_with(rulebook, wild_aces=True).refuses(OptionNotInRulebook, "SH-14", option="wild_aces")

    assert refusal.sentence == (
        f"The book {rulebook} has no option wild_aces=true: the book itself decides what is wild."
    )


@pytest.mark.proves("SH-9", "SH-11")
@pytest.mark.parametrize("raise_rule", ["same_face_or_higher_face", "beat_the_higher_number"])
@pytest.mark.parametrize(
    ("rulebook", "clauses"),
    [
        ("bidding-track", ("BT-8", "BT-9", "BT-10", "BT-11")),
        ("pirates", ("PI-8",)),
        ("prediction-track", ("PT-6", "PT-7", "PT-8")),
        ("palafico", ("PA-6",)),
    ],
)
def test_the_other_raise_rules_are_for_the_single_hand_alone(
    rulebook: str, clauses: tuple[str, ...], raise_rule: str
) -> None:
    refusal = created_with(rulebook, raise_rule=raise_rule).refuses(OptionNotInRulebook, *clauses, option="raise_rule")

    assert refusal.sentence == (
        f"The book {rulebook} has no option raise_rule={raise_rule}: the book has one raise rule."
    )


@pytest.mark.proves("PI-2", "PT-2", "R2")
@pytest.mark.parametrize(("rulebook", "clause"), [("pirates", "PI-2"), ("prediction-track", "PT-2")])
@pytest.mark.parametrize("opener", [0, 1, 99])
def test_no_opener_is_named_where_the_book_rolls_for_it(rulebook: str, clause: str, opener: int) -> None:
    created_with(rulebook, opener=opener).refuses(OpenerNotChosen, clause, rulebook=rulebook)


@pytest.mark.proves("R2")
@pytest.mark.parametrize("rulebook", ["bidding-track", "single-hand", "palafico"])
@pytest.mark.parametrize("opener", [-1, 2, 10**100])
def test_the_opener_is_one_of_the_seats(rulebook: str, opener: int) -> None:
    created_with(rulebook, opener=opener).refuses(
        OptionOutOfRange, "R2", option="opener", allowed="a seat from 0 to 1", value=opener
    )


@pytest.mark.proves("R13")
@in_every_book
def test_the_dice_count_goes_from_one_to_ten(rulebook: str) -> None:
    for dice in range(1, 11):
        assert created_with(rulebook, dice_each=dice).one(GameCreated).options.dice_each == dice
    for dice in (-5, 0, 11, 10**100):
        created_with(rulebook, dice_each=dice).refuses(OptionOutOfRange, "R13", option="dice_each", value=dice)


@pytest.mark.proves("R15")
@in_every_book
def test_a_turn_lasts_from_a_second_to_a_week(rulebook: str) -> None:
    for seconds in (1, 30, WEEK_SECONDS):
        assert created_with(rulebook, turn_seconds=seconds).one(GameCreated).options.turn_seconds == seconds
    for seconds in (-1, 0, WEEK_SECONDS + 1):
        created_with(rulebook, turn_seconds=seconds).refuses(
            OptionOutOfRange, "R15", option="turn_seconds", allowed="1 to 604800 seconds", value=seconds
        )


@pytest.mark.proves("R15")
@in_every_book
@pytest.mark.parametrize("on_timeout", ["challenge", "lowest_bid"])
def test_what_happens_on_time_out_can_only_be_chosen_with_a_clock(rulebook: str, on_timeout: str) -> None:
    created_with(rulebook, on_timeout=on_timeout).refuses(
        OptionNotInRulebook, "R15", option="on_timeout", value=on_timeout, problem="it needs turn_seconds"
    )
    assert created_with(rulebook, on_timeout=on_timeout, turn_seconds=30).one(GameCreated).options.turn_seconds == 30
