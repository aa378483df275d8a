"""Finds rolls for the first opener that a test needs, among games that differ only in their ids."""

from collections.abc import Callable
from itertools import count

from domain.commands import StartGame
from domain.events import Hand, OpeningDiceRolled
from domain.state import ChoosingOpener, Nothing
from tests.made_tables import Chains, chains_of, gathered
from tests.specification import Given, given


def chains_of_table(table: Given) -> Chains:
    """The chains of a table that plays with the default options."""
    assert not isinstance(table.state, Nothing)
    settled = table.state.table
    return chains_of(settled.rulebook, len(settled.players), settled.game_id)


def all_contenders_roll(table: Given) -> Given:
    """The table after everyone who is called has rolled for the opener."""
    chains = chains_of_table(table)
    assert isinstance(table.state, ChoosingOpener)
    for seat in table.state.contenders:
        table = table.after(chains.roll(table.state, seat))
    return table


def opening_roll_of_game(number: int, rulebook: str, players: int) -> Given:
    """The first roll for the opener in one of many games."""
    return all_contenders_roll(given(gathered(rulebook, players, f"game-{number}")).after(StartGame()))


def opening_dice(table: Given) -> tuple[Hand, ...]:
    """What was rolled for the opener the last time."""
    rolled = [event for event in table.events if isinstance(event, OpeningDiceRolled)]
    return tuple(roll.dice for roll in rolled[-1].rolls)


def opening_roll_like(wanted: Callable[[tuple[Hand, ...]], bool], rulebook: str, players: int) -> Given:
    """The first game with a roll for the opener that the test needs."""
    games = (opening_roll_of_game(number, rulebook, players) for number in count())
    return next(game for game in games if wanted(opening_dice(game)))


def wheels_and_sum(dice: Hand) -> tuple[int, int]:
    """How many wheels there are, and the sum of the other dice."""
    return dice.count(1), sum(face for face in dice if face != 1)
