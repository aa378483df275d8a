"""The hint for auditors: players in league let each other's doubtful bids pass, and honest ones stand out in nothing."""

from random import Random
from unittest.mock import patch

import pytest

from domain.events import AnyEvent
from domain.options import Options
from domain.statistics.passed_bids import Faced, PassedBidsReport, compared
from domain.views import GameView
from services.access.caller import NOBODY
from services.access.refusals import FieldInvalid
from services.access.sight import Sight
from services.archive.refusals import NoSuchPlayer
from services.archive.statistics import Statistics
from services.bots import BOTS, Raise
from services.bots.choice import Choice
from services.simulation.simulation import Setup, play_game
from tests.archive.stored import Made, store
from tests.infra.postgres.databases import new_database
from tests.projector.models import Models, on_models

GAMES = 12
LEAGUE = ("sim.partner", "sim.partner.2")
LATER = Sight(NOBODY, 10**15)


def partner(view: GameView, chance: Random) -> Choice:
    """A bot that calculates, but never doubts a bid of another partner while it can raise."""
    standing = view.bids[-1] if view.bids else None
    if standing and view.seats[standing.seat].name.startswith("partner") and view.moves.lowest_bids:
        return Raise(min(view.moves.lowest_bids, key=lambda bid: (bid.quantity, bid.face)))
    return BOTS["calculating"](view, chance)


class Game(Made, frozen=True, kw_only=True):
    """A game between these bots."""

    bots: tuple[str, ...] = ()

    @property
    def events(self) -> tuple[AnyEvent, ...]:
        """What happened in it."""
        setup = Setup("single-hand", Options(dice_each=3), 4, self.bots)
        return tuple(play_game(setup, 5, self.seed, self.game_id).events)


def report(bots: tuple[str, ...], players: tuple[str, ...]) -> PassedBidsReport:
    async def work(models: Models) -> PassedBidsReport:
        with patch.dict(BOTS, {"partner": partner}):
            await store(models, [Game(game_id=f"g{n}", players=(), seed=n, bots=bots) for n in range(GAMES)])
        await models.caught_up()
        return await Statistics(models.pool).passed_bids(players, LATER)

    return on_models(new_database(), work)


def test_players_in_league_stand_out_and_the_honest_ones_at_their_table_do_not() -> None:
    bots = ("partner", "partner", "calculating", "cautious")
    found = report(bots, (*LEAGUE, "sim.calculating", "sim.cautious"))

    assert {(one.player_id, one.other_id) for one in found.pairs if one.stands_out} == {LEAGUE, LEAGUE[::-1]}
    first = found.pairs[0]
    assert first.stands_out
    assert first.difference is not None
    assert 0 < first.difference.low < first.difference.value < first.difference.high
    assert len(found.pairs) == 12


def test_honest_bots_stand_out_in_nothing() -> None:
    bots = ("calculating", "calculating", "cautious", "bluffing")
    players = ("sim.calculating", "sim.calculating.2", "sim.cautious", "sim.bluffing")

    found = report(bots, players)

    assert sum(one.against_other.out_of for one in found.pairs) > GAMES
    assert not [one for one in found.pairs if one.stands_out]


def test_the_usual_play_leaves_out_the_other_and_has_everybody_else() -> None:
    found = [
        Faced("ann", "bob", 20, 19),
        Faced("ann", "cas", 30, 3),
        Faced("ann", "dan", 10, 1),
        Faced("bob", "cas", 5, 5),
    ]

    ann, *rest = compared(["ann", "bob"], found)

    assert (ann.against_other.count, ann.against_other.out_of) == (19, 20)
    assert (ann.usual.count, ann.usual.out_of) == (4, 40)
    assert ann.stands_out
    assert [(one.player_id, one.difference, one.stands_out) for one in rest] == [("bob", None, False)]


def test_the_more_pairs_are_compared_the_more_it_takes_to_stand_out() -> None:
    found = [Faced("p0", "p1", 8, 7), Faced("p0", "other", 12, 4)]

    few = compared(["p0", "p1"], found)[0]
    many = compared([f"p{n}" for n in range(20)], found)[0]

    assert few.difference == many.difference
    assert (few.stands_out, many.stands_out) == (True, False)


def test_wrong_players_are_refused() -> None:
    async def work(models: Models) -> None:
        statistics = Statistics(models.pool)
        for players in (("a",), ("a", "a"), tuple(f"p{n}" for n in range(21))):
            with pytest.raises(FieldInvalid):
                await statistics.passed_bids(players, LATER)
        with pytest.raises(NoSuchPlayer):
            await statistics.passed_bids(("nobody", "no-one"), LATER)

    on_models(new_database(), work)
