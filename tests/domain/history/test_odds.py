"""The odds are exact: they agree with counting every way the hidden dice can lie."""

from fractions import Fraction
from itertools import product

import pytest

from domain.commands import ShowAndReroll
from domain.history.odds import chance_of_at_least, chance_of_bid
from domain.state import Bidding
from domain.views import GameView, Viewer, view
from tests.made_tables import bid, bids, chains_of, cup, dealt
from tests.specification import Given


def seen(table: Given, viewer: Viewer) -> GameView:
    state = view(table.state, viewer)
    assert state is not None
    return state


def by_enumeration(table: Given, viewer: Viewer, text: str) -> Fraction:
    """Lay the dice that the viewer can't see in every possible way and count in how many the bid holds."""
    state = table.state
    assert isinstance(state, Bidding)
    claim = bid(text)
    counting = state.round_rules.counting_faces(claim.face)
    known = [face for seat, cup_ in enumerate(state.cups) if seat == viewer for face in cup_.hidden or ()]
    known += [face for cup_ in state.cups for face in cup_.shown]
    unknown = sum(cup_.hidden_count for seat, cup_ in enumerate(state.cups) if seat != viewer)
    in_sight = sum(face in counting for face in known)
    ways = [sum(face in counting for face in faces) for faces in product(range(1, 7), repeat=unknown)]
    return Fraction(sum(in_sight + count >= claim.quantity for count in ways), len(ways))


@pytest.mark.parametrize("viewer", [0, 1, None])
@pytest.mark.parametrize("claim", ["1x3", "2x3", "3x3", "4x3", "6x3", "9x3", "1x*", "2x*", "5x*"])
@pytest.mark.parametrize(
    ("rulebook", "options"),
    [
        ("bidding-track", {}),
        ("single-hand", {}),
        ("single-hand", {"wild_aces": True}),
        ("pirates", {}),
        ("palafico", {}),
    ],
)
def test_the_chance_of_a_bid_is_what_enumeration_says(
    rulebook: str, options: dict[str, bool], claim: str, viewer: Viewer
) -> None:
    table = dealt(rulebook, "* 3 5", "3 3", "6", **options)

    assert chance_of_bid(seen(table, viewer), bid(claim)) == by_enumeration(table, viewer, claim)


@pytest.mark.parametrize("claim", ["1x3", "3x3", "2x*"])
def test_in_a_palafico_round_ones_are_plain_for_the_odds_too(claim: str) -> None:
    plain = dealt("palafico", "* 3 5", "3", "6 *")
    palafico = dealt("palafico", "* 3 5", "3", "6 *", palafico=True)

    assert chance_of_bid(seen(palafico, 0), bid(claim)) == by_enumeration(palafico, 0, claim)
    if claim == "3x3":
        assert chance_of_bid(seen(palafico, 0), bid(claim)) < chance_of_bid(seen(plain, 0), bid(claim))


def test_shown_dice_are_counted_and_rerolled_ones_are_unknown_to_others() -> None:
    chains = chains_of("bidding-track", 2)
    table = dealt("bidding-track", "6 * 4 4", "6 2").after(bids(0, "3x6"))
    shown = table.after(ShowAndReroll(seat=0, reroll=chains.reroll(table.state, 0, "6 *")))

    for viewer in (0, 1, None):
        assert chance_of_bid(seen(shown, viewer), bid("4x6")) == by_enumeration(shown, viewer, "4x6")
    assert seen(shown, 1).seats[0].shown == cup("6 *")


@pytest.mark.parametrize(("needed", "chance"), [(-3, 1), (0, 1), (1, Fraction(11, 36)), (2, Fraction(1, 36)), (3, 0)])
def test_the_chance_of_at_least_so_many_hits_with_two_dice(needed: int, chance: Fraction) -> None:
    assert chance_of_at_least(needed, 2, 1) == chance
