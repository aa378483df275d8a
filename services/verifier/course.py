"""The course of a game: it is created, players join, it starts, and round follows round.

The verifier plays the game again: each event must follow by the rules from the moves before it. The checks are made in
the order of the events, so that the failure names the first event that is wrong.
"""

from contextlib import suppress

from .chips import CHIPS_EACH
from .events import Events, NoEventLeftError
from .fair_dice import SERVER, Chains, FairDice, seat_name
from .form import known_bytes
from .game import Game, first_standing
from .opener import check_first_opener
from .report import Report, Tally
from .rounds import check_round
from .table import Table, check_created, check_players

PLAYERS_MIN = 2


def check_course(events: Events, report: Report, tally: Tally) -> None:
    """Follow the game to its end, or to the end of the round that the bundle is about."""
    with suppress(NoEventLeftError):
        _check_whole_course(events, report, tally)


def _check_whole_course(events: Events, report: Report, tally: Tally) -> None:
    """Follow the game to its end."""
    table = check_created(events, report)
    check_players(events, table, report)
    if events.ahead == "game-abandoned":  # R17
        report.abandoned = events.take("game-abandoned")["reason"]
    else:
        _check_rounds(_check_started(events, table, report, tally))
    events.expect_nothing()


def _check_rounds(game: Game) -> None:
    """Check the first opener, and then each round, which returns the opener of the next one."""
    opener = check_first_opener(game)
    while opener is not None:
        opener = check_round(game, opener)


def _check_started(events: Events, table: Table, report: Report, tally: Tally) -> Game:
    """The game starts: all players get their dice and chips, and the anchors can't change any more."""
    dice_each, chips_each = table.options.dice_each, CHIPS_EACH if table.options.chips else None
    events.expect("game-started", "outcome", {"dice_each": dice_each, "chips_each": chips_each})
    events.need("outcome", len(report.players) >= PLAYERS_MIN, f"a game with {len(report.players)} players can't start")
    anchors = _anchors(table, report)
    game_id = events.bundle.game_id
    return Game(
        events=events,
        table=table,
        standing=first_standing(len(report.players), dice_each, chips_each or 0),
        chains=Chains(game_id, table.chain_length, anchors, tally),
        dice=FairDice(game_id, [*anchors.values()], tally),
        report=report,
    )


def _anchors(table: Table, report: Report) -> dict[str, bytes]:
    """The anchors of all parties, the server's first."""
    seats = {seat_name(seat): known_bytes(player["anchor"]) for seat, player in enumerate(report.players)}
    return {SERVER: known_bytes(table.server_anchor), **seats}
