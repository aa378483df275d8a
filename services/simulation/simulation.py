"""Bots playing whole games in memory: the same seed gives the same games, byte for byte."""

import hmac
from collections import Counter
from collections.abc import Iterator
from itertools import product, zip_longest
from random import Random
from typing import Any, get_args

import msgspec

from domain.commands import Challenge, StartGame, TimeOut
from domain.events import AnyEvent
from domain.ids import digest
from domain.options import Options, RaiseRuleName, TimeoutAction
from domain.rulebooks import BOOKS, Rulebook, latest
from domain.state import Bidding, Ended, Gathering, Nothing, Settling
from domain.values import Value
from services.bots import BOTS, Raise
from services.simulation.memory_table import MemoryTable

PLAYERS_DEFAULT = 4
_PLAYERS_VARIED_MAX = 6
_MOVE_MILLISECONDS = 1_000
_ASLEEP_RATE = 0.02
_SEED_LENGTH_MAX = 20
_SETUP_LENGTH = 8
_PLAYER_PREFIX = "sim."


class Setup(Value, frozen=True):
    """A kind of game: its rulebook, its options and its players."""

    rulebook: str
    options: Options
    players: int
    bots: tuple[str, ...] = tuple(BOTS)
    """The bots fill the seats in this order, over and over."""


def setups_of_all(players: int | None = None, bots: tuple[str, ...] = tuple(BOTS)) -> tuple[Setup, ...]:
    """Every book with all its options, at tables of every size up to six, or of one size; the books alternate."""
    of_books = [
        [Setup(book.id, options, size, bots) for size in _sizes(book, players) for options in _options_of(book)]
        for book in BOOKS
    ]
    return tuple(setup for turn in zip_longest(*of_books) for setup in turn if setup is not None)


def _options_of(book: Rulebook) -> Iterator[Options]:
    """Every combination of the options that this book has with the options that every book has."""
    raise_rules = [name for name in get_args(RaiseRuleName) if name in book.raise_variants] or ["quantity_or_face"]
    own = product(_off_on(book.chips_each is not None), _off_on(book.wild_aces), raise_rules)
    everyones: list[dict[str, Any]] = [{}, {"dice_each": 1}, {"dice_each": 3}, {"dice_each": 10}]
    everyones += [{"turn_seconds": 30, "on_timeout": action} for action in get_args(TimeoutAction)]
    if book.opening_roll is None:
        everyones.append({"opener": 1})
    for (chips, aces, raise_rule), common in product(own, everyones):
        yield Options(chips=chips, wild_aces=aces, raise_rule=raise_rule, **common)


def _off_on(has: bool) -> tuple[bool, ...]:  # noqa: FBT001 - a yes or no of the book
    return (False, True) if has else (False,)


def _sizes(book: Rulebook, players: int | None) -> tuple[int, ...]:
    if players is not None:
        return (players,) if book.players_min <= players <= book.players_max else ()
    return tuple(range(book.players_min, min(book.players_max, _PLAYERS_VARIED_MAX) + 1))


def default_players(rulebook: str) -> int:
    """The usual number of players of a book."""
    book = latest(rulebook)
    return PLAYERS_DEFAULT if book is None else min(PLAYERS_DEFAULT, book.players_max)


def game_name(setup: Setup, seed: int, index: int) -> str:
    """The id of a game that is stored together with games of other setups; no two games share one."""
    return f"{_plain_name(seed, index)}-{digest(msgspec.json.encode(setup).decode())[:_SETUP_LENGTH]}"


def play_game(setup: Setup, seed: int, index: int, game_id: str | None = None) -> MemoryTable:
    """A table at which bots have played a whole game. Setup, seed and index decide all of it."""
    table = MemoryTable(
        game_id or _plain_name(seed, index),
        setup.rulebook,
        setup.options,
        tuple(party_seed(seed, index, party) for party in range(setup.players + 1)),
    )
    chance = Random(f"{seed}/{index}")  # noqa: S311 - bots need variety, not secrecy
    names = [setup.bots[(seat + index) % len(setup.bots)] for seat in range(setup.players)]
    for seat, (name, player_id) in enumerate(zip(names, _player_ids(names), strict=True)):
        table.seat_bot(seat, player_id, f"{name} {seat}")
    table.submit(StartGame(at=table.milliseconds))
    while not isinstance(table.state, Ended):
        play_move(table, names, chance)
    return table


def play_move(table: MemoryTable, names: list[str], chance: Random) -> tuple[AnyEvent, ...]:
    """Make the next move at a table of bots, and return its events."""
    state = table.state
    assert not isinstance(state, Nothing | Gathering | Settling | Ended), "bots play running games"
    seat = state.waiting[0]
    seconds = state.table.options.turn_seconds
    if seconds is not None and chance.random() < _ASLEEP_RATE:
        table.milliseconds = state.since + seconds * 1_000
        return table.submit(TimeOut(at=table.milliseconds, seat=seat))
    table.milliseconds += _MOVE_MILLISECONDS
    if not isinstance(state, Bidding):
        return table.roll(seat)
    choice = BOTS[names[seat]](table.view(seat), chance)
    if isinstance(choice, Raise):
        return table.bid(seat, choice.bid, choice.shown)
    return table.submit(Challenge(at=table.milliseconds, seat=seat))


def _player_ids(names: list[str]) -> Iterator[str]:
    """The ids of the players. A bot has the same id in every game, so that its games add up; a second one gets a number."""
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        yield f"{_PLAYER_PREFIX}{name}" if seen[name] == 1 else f"{_PLAYER_PREFIX}{name}.{seen[name]}"


def _plain_name(seed: int, index: int) -> str:
    return f"sim-{_short(seed)}-{index:06}"


def _short(seed: int) -> str:
    """A seed as part of an id: the seed itself, or a hash of it if it is long."""
    text = str(seed)
    return text if len(text) <= _SEED_LENGTH_MAX else hmac.digest(b"seed", text.encode(), "sha256").hex()[:16]


def party_seed(seed: int, index: int, party: int) -> bytes:
    """The chain seed of a party: 0 is the server, seat n is n + 1. A real party draws its own seed at random."""
    return hmac.digest(str(seed).encode(), f"{index}/{party}".encode(), "sha256")
