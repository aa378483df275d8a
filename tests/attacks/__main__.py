"""Attacks against a real server while a victim plays: what one hostile machine can do to everybody else.

`python -m tests.attacks` runs all of them, each with a phase before and after it, and prints one table. The exit status is
1 if a bound is broken; `tests/attacks/measuring.py` says which bounds there are.
"""

import argparse
import asyncio
import sys

import grpc
import msgspec
from rich.console import Console
from rich.table import Table

from tests.attacks.arena import LONG_GAME, Arena, arena, prepared
from tests.attacks.attack import Caller, Target
from tests.attacks.every import ATTACKS
from tests.attacks.measuring import FLOOR_SECONDS, Outcome, Victim, is_only_slow, measured

SECONDS = 6.0
LONGER = 3
"""How many times longer an attack is measured that looked too slow."""
FOES = 3
_CONSOLE = Console(highlight=False, width=200)


def main() -> int:
    """Run the attacks; the exit status says whether they did harm."""
    arguments = _arguments()
    if arguments.list:
        for name, work in ATTACKS.items():
            _CONSOLE.print(f"{name}: {work.__doc__}")
        return 0
    outcomes = _outcomes(arguments.only or list(ATTACKS), arguments.seconds)
    _print(outcomes)
    if arguments.json:
        _CONSOLE.print_json(msgspec.json.encode(outcomes).decode())
    return 1 if any(outcome.faults for outcome in outcomes) else 0


def _outcomes(names: list[str], seconds: float) -> list[Outcome]:
    """The outcome of each attack. The server goes on until one harms it or is barred; then the next attack gets a new one."""
    outcomes: list[Outcome] = []
    again: set[str] = set()
    """Attacks that are measured once more."""
    with prepared() as games:
        while names:
            with arena(games) as found:
                while names:
                    outcome = _run(found, names[0], seconds * (LONGER if names[0] in again else 1))
                    _tell(outcome)
                    if is_only_slow(outcome) and names[0] not in again:
                        again.add(names[0])
                        break
                    outcomes.append(outcome)
                    names.pop(0)
                    if outcome.faults or outcome.barred:
                        break
    return outcomes


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.attacks", description=__doc__)
    parser.add_argument("--only", action="append", choices=list(ATTACKS), metavar="NAME", help="only this attack")
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help="how long each phase takes (default %(default)s)"
    )
    parser.add_argument("--list", action="store_true", help="list the attacks")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON too")
    return parser.parse_args()


def _run(found: Arena, name: str, seconds: float) -> Outcome:
    """One attack, with a victim and players of its own: what one attack is refused for must not save the next one."""
    victim = Victim(found)
    try:
        victim.wait(commands=20)
        return measured(found, victim, name, target_of(found, victim), seconds)
    finally:
        victim.close()


def target_of(found: Arena, victim: Victim) -> Target:
    """What an attacker knows, with players that were just registered."""
    return Target(
        rpc=found.rpc,
        http=found.http,
        long_game=LONG_GAME,
        long_versions=found.long_versions,
        games=tuple(f"sim-1-{number:06}" for number in range(20)),
        tokens=asyncio.run(_tokens(found.rpc)),
        live_game=victim.game_id,
    )


async def _tokens(address: str) -> tuple[str, ...]:
    """Players of the attacker; registering is limited, so it may take a while."""
    tokens: list[str] = []
    async with grpc.aio.insecure_channel(address) as channel:
        while len(tokens) < FOES:
            try:
                tokens.append((await Caller(channel, ()).ask("Register", name=f"Foe {len(tokens)}")).token)
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED:
                    raise
                await asyncio.sleep(1)
    return tuple(tokens)


def _tell(outcome: Outcome) -> None:
    command = outcome.under["command"]
    told = ", ".join(f"{answer} {count}" for answer, count in sorted(outcome.answers.items()))
    _CONSOLE.print(
        f"{outcome.name}: p99 {command.p99 * 1_000:.0f} ms ({outcome.ratio('command'):.1f} x),"
        f" {outcome.resident_kib // 1_024} MiB; {', '.join(outcome.faults) or 'harmless'}{', barred' * outcome.barred}; {told}"
    )


def _print(outcomes: list[Outcome]) -> None:
    table = Table(title="Attacks (times in ms, without and with the attack)", title_justify="left")
    table.add_column("attack")
    table.add_column("command p50", justify="right")
    for kind in FLOOR_SECONDS:
        table.add_column(f"{kind} p99", justify="right")
        table.add_column("ratio", justify="right")
    for name in ("RSS MiB", "after", "kept", "lost"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    for one in outcomes:
        row = [one.name, _pair(one.without["command"].p50, one.under["command"].p50)]
        for kind in FLOOR_SECONDS:
            row += [_pair(one.without[kind].p99, one.under[kind].p99), f"{one.ratio(kind):.1f}"]
        row += [f"{kib // 1_024}" for kib in (one.resident_kib, one.resident_after_kib)]
        row += [f"{one.acknowledged:,}", f"{one.lost:,}", (", ".join(one.faults) or "fine") + ", barred" * one.barred]
        table.add_row(*row)
    _CONSOLE.print(table)


def _pair(without: float, under: float) -> str:
    return f"{without * 1_000:.0f} / {under * 1_000:.0f}"


if __name__ == "__main__":
    sys.exit(main())
