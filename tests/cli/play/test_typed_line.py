"""The program understands what a player types."""

import pytest

from domain.values import Bid
from services.cli.play.typed_line import Bids, Says, Shows, Typed, meaning_of


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("3 5", Bids(Bid(3, 5))),
        ("3x5", Bids(Bid(3, 5))),
        (" 12  X 6 ", Bids(Bid(12, 6))),
        ("3 × 5", Bids(Bid(3, 5))),  # noqa: RUF001 - people type it
        ("4 fives", Says("unclear")),
        ("4 5s", Bids(Bid(4, 5))),
        ("2 stars", Bids(Bid(2, 1))),
        ("2x*", Bids(Bid(2, 1))),
        ("3 9", Bids(Bid(3, 9))),
        ("3 5 s 5 5", Bids(Bid(3, 5), (5, 5))),
        ("3x5 s 5star", Bids(Bid(3, 5), (5, 1))),
        ("3 5 s 9", Says("unclear")),
        ("s 5 5 3", Shows((5, 5, 3))),
        ("s553", Shows((5, 5, 3))),
        ("show 5, 5", Shows((5, 5))),
        ("s *", Shows((1,))),
        ("s", Says("unclear")),
        ("s 7", Says("unclear")),
        ("d", Says("doubt")),
        ("Doubt", Says("doubt")),
        ("c", Says("doubt")),
        ("Challenge", Says("doubt")),
        ("d 3", Says("unclear")),
        ("c 3", Says("unclear")),
        ("?", Says("help")),
        ("", Says("look")),
        ("b cautious", Says("bot", "cautious")),
        ("q", Says("quit")),
        ("35", Says("unclear")),
        ("-3 5", Says("unclear")),
        ("3 5 5", Says("unclear")),
        ("9" * 5000 + " 5", Says("unclear")),
    ],
)
def test_a_line_is_understood(line: str, meaning: Typed) -> None:
    assert meaning_of(line, "star") == meaning
