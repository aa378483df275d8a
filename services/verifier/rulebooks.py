"""The five rulebooks as data: how they differ, and which clauses a report cites (docs/reference/rules.md)."""

from dataclasses import dataclass
from typing import Literal

from .bids import RaiseRule, along_the_track, quantity_or_face


@dataclass(frozen=True, slots=True, kw_only=True)
class Clauses:
    """For everything that can happen, the clause of the book that a report cites."""

    challenge: str
    number_bid: str
    wild_bid: str
    plain_bid: str
    """For a bid in a round without wilds."""
    fewer: str
    exact: str
    more: str
    next_opener: str
    opener_is_out: str
    eliminated: str
    won: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """A rulebook. The defaults are what most books say."""

    players_max: int
    raises: RaiseRule
    next_opener: Literal["winner", "loser", "challenger"]
    clauses: Clauses
    has_wild: bool = False
    wild_may_open: bool = True
    wild_may_raise: bool = True
    loses_difference: bool = False
    """Whether the loser of a challenge loses the difference between bid and count, instead of one die."""
    exact_costs_all_others: bool = False
    has_rerolls: bool = False
    has_palafico: bool = False
    opening_roll: Literal["none", "one die", "all dice"] = "none"
    is_track: bool = False
    options: frozenset[str] = frozenset()
    """The options of this book, of those that only some books have."""


BOOKS = {
    "bidding-track": Book(
        players_max=6,  # BT-1
        raises=along_the_track,  # BT-8 to BT-12
        is_track=True,
        next_opener="winner",  # BT-18
        has_wild=True,  # BT-5, BT-6
        loses_difference=True,  # BT-14, BT-15
        exact_costs_all_others=True,  # BT-16
        has_rerolls=True,  # BT-19
        options=frozenset({"chips"}),  # BT-20
        clauses=Clauses(
            challenge="BT-13",
            number_bid="BT-5",
            wild_bid="BT-6",
            plain_bid="BT-5",
            fewer="BT-15",
            exact="BT-16",
            more="BT-14",
            next_opener="BT-18",
            opener_is_out="BT-18",
            eliminated="BT-17",
            won="BT-21",
        ),
    ),
    "single-hand": Book(
        players_max=20,  # SH-1, R1
        raises=quantity_or_face,  # SH-9 to SH-11: the table may choose another one.
        next_opener="loser",  # SH-8
        options=frozenset({"wild_aces", "raise_rule"}),  # SH-14, SH-9 to SH-11
        clauses=Clauses(
            challenge="SH-6",
            number_bid="SH-14",
            wild_bid="SH-14",
            plain_bid="SH-6",
            fewer="SH-7",
            exact="SH-7",
            more="SH-7",
            next_opener="SH-8",
            opener_is_out="SH-8",
            eliminated="SH-12",
            won="SH-13",
        ),
    ),
    "pirates": Book(
        players_max=4,  # PI-1
        raises=quantity_or_face,  # PI-8
        next_opener="loser",  # PI-11
        has_wild=True,  # PI-5
        wild_may_open=False,  # PI-6
        wild_may_raise=False,  # PI-6
        opening_roll="one die",  # PI-2, R3
        clauses=Clauses(
            challenge="PI-9",
            number_bid="PI-5",
            wild_bid="PI-9",
            plain_bid="PI-9",
            fewer="PI-10",
            exact="PI-10",
            more="PI-10",
            next_opener="PI-11",
            opener_is_out="R5",
            eliminated="PI-12",
            won="PI-13",
        ),
    ),
    "prediction-track": Book(
        players_max=6,  # PT-1
        raises=along_the_track,  # PT-6 to PT-8
        is_track=True,
        next_opener="challenger",  # PT-14
        has_wild=True,  # PT-5
        loses_difference=True,  # PT-11, PT-12
        opening_roll="all dice",  # PT-2, R4
        clauses=Clauses(
            challenge="PT-10",
            number_bid="PT-5",
            wild_bid="PT-5",
            plain_bid="PT-5",
            fewer="PT-11",
            exact="PT-13",
            more="PT-12",
            next_opener="PT-14",
            opener_is_out="PT-14",
            eliminated="PT-15",
            won="PT-16",
        ),
    ),
    "palafico": Book(
        players_max=4,  # R1
        raises=quantity_or_face,  # PA-6
        next_opener="loser",  # PA-10
        has_wild=True,  # PA-7
        wild_may_open=False,  # PA-5
        has_palafico=True,  # PA-12 to PA-15
        clauses=Clauses(
            challenge="PA-8",
            number_bid="PA-7",
            wild_bid="PA-8",
            plain_bid="PA-13",
            fewer="PA-9",
            exact="PA-9",
            more="PA-9",
            next_opener="PA-10",
            opener_is_out="PA-10",
            eliminated="PA-11",
            won="PA-16",
        ),
    ),
}
