"""The bots play by the rules, from their own seat's view, and differ visibly."""

from collections import Counter
from random import Random

import pytest

from domain.events import BidChallenged, BidPlaced, ChallengeResolved, DiceRerolled
from domain.options import Options
from domain.views import view
from services.bots import BOTS, DOUBT, Bot, Raise
from services.simulation.simulation import Setup, play_game
from tests.made_tables import bid, bids, dealt


def choice(bot: Bot, table: object, seat: int) -> object:
    seen = view(table.state, seat)  # type: ignore[attr-defined]  # a Given
    assert seen is not None
    return bot(seen, Random(1))


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_doubts_a_bid_that_its_own_dice_rule_out(name: str) -> None:
    table = dealt("pirates", "2 2", "3 3").after(bids(0, "4x2"))

    assert choice(BOTS[name], table, 1) == DOUBT


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_opens_when_it_must(name: str) -> None:
    assert isinstance(choice(BOTS[name], dealt("palafico", "* * *", "3 3 3"), 0), Raise)


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_doubts_when_no_higher_bid_exists(name: str) -> None:
    table = dealt("palafico", "6 6", "3 3").after(bids(0, "1000x6"))

    assert choice(BOTS[name], table, 1) == DOUBT


def test_the_cautious_bot_bids_what_it_sees() -> None:
    made = choice(BOTS["cautious"], dealt("single-hand", "5 5 5", "2 3 4"), 0)

    assert made == Raise(bid("1x5"))


def test_the_calculating_bot_presses_as_far_as_the_odds_carry() -> None:
    made = choice(BOTS["calculating"], dealt("pirates", "5 5 5 5 5", "2 3 4 4 4"), 0)

    assert isinstance(made, Raise)
    assert made.bid.face == 5
    assert made.bid.quantity > 2


def test_the_calculating_bot_shows_dice_to_carry_a_bid_that_needs_it() -> None:
    table = dealt("bidding-track", "2 2 3", "6 6 4 4 3").after(bids(0, "3x6"))

    assert choice(BOTS["calculating"], table, 1) == Raise(bid("4x6"), (6, 6))


def profiles(games: int) -> dict[str, Counter[str]]:
    """How often each bot bid, doubted, rerolled and was caught bidding too high."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in BOTS}
    for index in range(games):
        table = play_game(Setup("bidding-track", Options(), 3), 11, index)
        names = [seat.name.split()[0] for seat in table.view(None).seats]
        for event in table.events:
            match event:
                case BidPlaced(seat=seat):
                    counts[names[seat]]["bids"] += 1
                case BidChallenged(seat=seat):
                    counts[names[seat]]["doubts"] += 1
                case DiceRerolled(seat=seat):
                    counts[names[seat]]["rerolls"] += 1
                case ChallengeResolved(bid=made, actual=actual) if actual < made.quantity:
                    counts[names[made.seat]]["caught"] += 1
                case _:
                    pass
    return counts


def test_the_three_bots_differ_visibly_in_play() -> None:
    """The cautious one doubts most, the bluffing one is caught most, only the calculating one shows dice."""
    cautious, calculating, bluffing = profiles(150).values()

    def rate(counts: Counter[str], what: str) -> float:
        return counts[what] / (counts["bids"] + counts["doubts"])

    assert rate(cautious, "doubts") > 1.3 * rate(bluffing, "doubts")
    assert rate(bluffing, "caught") > 1.3 * rate(cautious, "caught")
    assert calculating["rerolls"] > 0
    assert cautious["rerolls"] == bluffing["rerolls"] == 0


def test_the_calculating_bot_wins_more_than_its_share() -> None:
    wins = Counter(
        table.view(None).seats[table.view(None).winner or 0].name.split()[0]
        for table in (play_game(Setup("pirates", Options(), 3), 1, index) for index in range(150))
    )

    assert wins["calculating"] > 150 / 3
