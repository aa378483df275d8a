"""Whatever can happen in a game can be written down and read back."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import fields

from domain.notation import read_game, write_game
from domain.options import DEFAULT_OPTIONS, Options
from domain.rulebooks import BOOKS
from tests.domain.notation.play import SETTINGS, Setting, game
from tests.extent import extent


@settings(max_examples=extent(40, 1_500))
@given(setting=st.sampled_from(SETTINGS), seed=st.integers(0, 2**32))
def test_every_game_of_every_book_reads_back_and_is_written_to_the_same_byte(setting: Setting, seed: int) -> None:
    record = game(setting, seed)

    text = write_game(record)

    assert read_game(text) == record
    assert write_game(read_game(text)) == text


def test_the_games_of_these_tests_have_everything_that_can_happen() -> None:
    seen: Counter[str] = Counter()
    for record in (game(setting, seed) for setting in SETTINGS for seed in range(10)):
        ended = "abandoned" if record.abandoned else "running" if record.winner is None else "won"
        seen[ended] += 1
        seen["opening rolls"] += len(record.opening_rolls)
        seen["chips"] += record.chips is not None
        seen.update(
            f"forfeit {gone.reason} {'before' if gone.round == 0 else 'in'} a round" for gone in record.forfeits
        )
        seen["shared places"] += any(len(place) > 1 for place in record.places)
        for told in record.rounds:
            seen.update(type(action).__name__ for action in told.actions)
            seen["palafico"] += told.palafico
            seen["no dice"] += not any(told.dice)
            seen["no result but dice"] += any(told.dice) and told.result is None
            seen["unpaid"] += told.result is not None and any(
                loss.lost < loss.penalty for loss in told.result.penalties
            )

    assert {kind for kind, times in seen.items() if times} == {
        *("RollAction", "BidAction", "ShowAndRerollAction", "ChallengeAction", "TimeoutAction", "ForfeitAction"),
        *("won", "running", "abandoned", "opening rolls", "chips", "shared places", "palafico", "unpaid"),
        *("no dice", "no result but dice", "forfeit resigned before a round", "forfeit resigned in a round"),
        *("forfeit time before a round", "forfeit time in a round"),
    }


@pytest.mark.parametrize("option", [field.name for field in fields(Options)])
def test_the_games_of_these_tests_use_every_option_and_every_book(option: str) -> None:
    assert any(getattr(setting.options, option) != getattr(DEFAULT_OPTIONS, option) for setting in SETTINGS)
    assert {setting.rulebook for setting in SETTINGS} == {book.id for book in BOOKS}
