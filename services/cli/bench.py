"""`liarsdice bench`: the cost of a command, the games per second, and whether both stay flat as games grow."""

import argparse
import platform
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median

from rich.console import Console
from rich.table import Column, Table

from domain.commands import AnyCommand
from domain.deciding import decide
from domain.evolve import fold
from domain.history.recording import record_of
from domain.options import Options
from domain.rulebooks import BOOKS
from domain.state import NOTHING, State
from domain.values import Value
from services.cli.flags.of_output import add_json
from services.cli.flags.values import count
from services.cli.terminal import PipedConsole, say, say_json
from services.simulation.simulation import Setup, play_game

TARGET_MICROSECONDS = 30
_REPEATS = 5
_PAUSE_SECONDS = 0.5

_GROWTH_MAX = 1.5

Script = list[AnyCommand]


class _OfRulebook(Value, frozen=True):
    """The costs of a rulebook."""

    rulebook: str
    players: int
    commands_per_game: float
    microseconds_per_command: float
    games_per_second: float


class _OfPlayers(Value, frozen=True):
    """The cost of a command at a table of so many players."""

    players: int
    microseconds_per_command: float


class _OfProgress(Value, frozen=True):
    """The median cost of a command in each quarter of a long game, in microseconds."""

    commands: int
    quarters: tuple[float, ...]


class _Measured(Value, frozen=True):
    """All figures, and a sentence for each that misses its aim."""

    python: str
    machine: str
    games: int
    rulebooks: tuple[_OfRulebook, ...]
    players: tuple[_OfPlayers, ...]
    progress: _OfProgress
    slow: tuple[str, ...]


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.add_argument("--games", type=count, default=40, help="games per measurement (default: %(default)s)")
    parser.add_argument(
        "--tries",
        type=count,
        default=20,
        help="how often to measure a figure that misses its aim (default: %(default)s)",
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; the exit code is 1 if a figure misses its aim."""
    console = None if arguments.json else PipedConsole()
    python, machine = platform.python_version(), platform.machine()
    if console is not None:
        console.print(f"Python {python} on {machine}, one core, {arguments.games} games each; decide + evolve")
    rulebooks = _by_rulebook(arguments.games, arguments.tries)
    _show(console, _rulebooks_table(rulebooks))
    players = _by_players(arguments.games, arguments.tries)
    _show(console, _players_table(players))
    progress = _by_progress()
    _show(console, _progress_table(progress))
    slow = (*_slow_rulebooks(rulebooks), *_slow_players(players), *_slow_progress(progress))
    if console is None:
        say_json(_Measured(python, machine, arguments.games, rulebooks, players, progress, slow))
    for sentence in slow:
        say(f"slower than the aim: {sentence}", file=sys.stderr)
    return 1 if slow else 0


def _show(console: Console | None, table: Table) -> None:
    if console is not None:
        console.print(table)


def _by_rulebook(games: int, tries: int) -> tuple[_OfRulebook, ...]:
    found = []
    for book in BOOKS:
        players = min(4, book.players_max)
        setup = Setup(book.id, Options(), players)
        scripts = [play_game(setup, 1, index).commands for index in range(games)]
        cost = _microseconds_per_command(scripts, tries)
        rate = games / _seconds(partial(_play_and_record, setup, games))
        found.append(_OfRulebook(book.id, players, sum(map(len, scripts)) / games, cost, rate))
    return tuple(found)


def _rulebooks_table(found: tuple[_OfRulebook, ...]) -> Table:
    table = Table(
        Column("rulebook", no_wrap=True), "players", "commands/game", "µs/command", "games/s, bots", title="Rulebooks"
    )
    for one in found:
        cost, rate = f"{one.microseconds_per_command:.1f}", f"{one.games_per_second:.0f}"
        table.add_row(one.rulebook, str(one.players), f"{one.commands_per_game:.0f}", cost, rate)
    return table


def _slow_rulebooks(found: tuple[_OfRulebook, ...]) -> Iterator[str]:
    for one in found:
        if one.microseconds_per_command > TARGET_MICROSECONDS:
            cost = f"{one.microseconds_per_command:.1f} µs a command, aim {TARGET_MICROSECONDS}"
            yield f"{one.rulebook} takes {cost}"


def _play_and_record(setup: Setup, games: int) -> None:
    for index in range(games):
        record_of(play_game(setup, 1, index).events)


def _by_players(games: int, tries: int) -> tuple[_OfPlayers, ...]:
    """Games with more and more players. A deal rolls all dice at once, so it grows; the mean command stays flat."""
    found = []
    for players in (2, 4, 8, 16, 20):
        setup = Setup("single-hand", Options(), players)
        scripts = [play_game(setup, 1, index).commands for index in range(max(4, games // players))]
        found.append(_OfPlayers(players, _microseconds_per_command(scripts, tries)))
    return tuple(found)


def _players_table(found: tuple[_OfPlayers, ...]) -> Table:
    table = Table("players", "µs/command", "against 2 players", title="Growth with players (single-hand)")
    first = found[0].microseconds_per_command
    for one in found:
        cost = one.microseconds_per_command
        table.add_row(str(one.players), f"{cost:.1f}", f"{cost / first:.2f}x")
    return table


def _slow_players(found: tuple[_OfPlayers, ...]) -> Iterator[str]:
    for one in found:
        if one.microseconds_per_command > TARGET_MICROSECONDS:
            cost = f"{one.microseconds_per_command:.1f} µs a command, aim {TARGET_MICROSECONDS}"
            yield f"{one.players} players take {cost}"


def _by_progress() -> _OfProgress:
    """Early and late commands of one long game, which must cost the same."""
    script = play_game(Setup("single-hand", Options(dice_each=10), 20), 1, 0).commands
    costs = [min(runs) for runs in zip(*(_costs(script) for _ in range(_REPEATS)), strict=True)]
    quarter = len(costs) // 4
    medians = tuple(median(costs[part * quarter : (part + 1) * quarter]) * 1e6 for part in range(4))
    return _OfProgress(len(script), medians)


def _progress_table(found: _OfProgress) -> Table:
    table = Table("part of the game", "median µs/command", title=f"Growth with rounds ({found.commands} commands)")
    for part, cost in enumerate(found.quarters, 1):
        table.add_row(f"quarter {part}", f"{cost:.1f}")
    return table


def _slow_progress(found: _OfProgress) -> Iterator[str]:
    early, *_, late = found.quarters
    if late > _GROWTH_MAX * early:
        yield f"a late command costs {late:.1f} µs, an early one {early:.1f}"


def _microseconds_per_command(scripts: list[Script], tries: int) -> float:
    """The cost of a command. A figure that misses the aim is measured again, because the machine may have been busy."""
    commands = sum(map(len, scripts))
    cost = float("inf")
    for _ in range(tries):
        cost = min(cost, _seconds(lambda: [_run(script) for script in scripts]) / commands * 1e6)
        if cost <= TARGET_MICROSECONDS:
            break
        time.sleep(_PAUSE_SECONDS)
    return cost


def _seconds(work: Callable[[], object]) -> float:
    """The shortest of several runs: noise only ever adds."""
    runs = []
    for _ in range(_REPEATS):
        began = time.perf_counter()
        work()
        runs.append(time.perf_counter() - began)
    return min(runs)


def _run(script: Script) -> State:
    state: State = NOTHING
    for command in script:
        state = fold(decide(command, state), state)
    return state


def _costs(script: Script) -> list[float]:
    state: State = NOTHING
    costs = []
    for command in script:
        began = time.perf_counter()
        state = fold(decide(command, state), state)
        costs.append(time.perf_counter() - began)
    return costs
