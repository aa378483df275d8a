"""Strange requests for everything that the server offers: `python -m tests.attacks.fuzz --requests 1000000`.

Some processes send them, many at a time, to one server without limits of rates. None of them may be answered with a fault
of the server (INTERNAL, UNKNOWN, 500), the log has no traceback, and somebody can still play afterwards. The exit status is
1 if that is not so; the seed gives the same requests again, as far as the server answers in the same order.
"""

import argparse
import asyncio
import random
import subprocess
import sys
import time
from collections import Counter
from typing import Any

import grpc
import httpx
import msgspec
from rich.console import Console
from rich.table import Table

from domain.values import Value
from tests.attacks.arena import LONG_GAME, Arena, arena, environment, prepared
from tests.attacks.attack import Caller
from tests.attacks.fuzzed_calls import FuzzedCalls
from tests.attacks.fuzzed_door import FuzzedDoor
from tests.attacks.fuzzed_paths import FuzzedPaths
from tests.attacks.measuring import Memory, Victim

_LIMITS = (
    "player-rate",
    "address-rate",
    "register-rate",
    "read-rate",
    "streams",
    "tables-max",
    "table-rate",
    "bot-games-max",
)
FLAGS = tuple(f"--{limit}=0" for limit in (*_LIMITS, "practice-games-max", "address-connections"))
BROKEN = ("INTERNAL", "UNKNOWN", "UNIMPLEMENTED", "DATA_LOSS", "500", "501", "502", "NO STATUS", "NO ANSWER")
EXAMPLES_MAX = 20
EXAMPLES_EACH = 2
CALLERS = 48
READERS = DOORS = 8
PATHS_SHARE = 0.25
"""How many of the requests go to the routes of HTTP, and how many to the door for browsers."""
_GAMES = 20
_LONG_EVENTS = 300
_CONSOLE = Console(highlight=False, width=160)


class Sending(Value, frozen=True):
    """What a sending process is told."""

    rpc: str
    http: str
    root: str
    requests: int
    seed: int


class Heard(Value, frozen=True):
    """How often each answer came for each rpc and route, and requests that were answered by a fault."""

    answers: dict[str, dict[str, int]]
    examples: list[str]


def main() -> int:
    """Send the requests; the exit status says whether any of them broke something."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks.fuzz", description=__doc__)
    parser.add_argument("--requests", type=int, default=1_000_000, help="how many (default %(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="how many processes send them (default %(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="for the same requests again")
    parser.add_argument("--send", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.send:
        heard = asyncio.run(_send(msgspec.json.decode(sys.stdin.readline(), type=Sending)))
        sys.stdout.write(msgspec.json.encode(heard).decode())
        return 0
    _CONSOLE.print(f"seed {arguments.seed}")
    with prepared(_GAMES, _LONG_EVENTS) as games, arena(games, *FLAGS) as found, Memory(found) as memory:
        began = time.monotonic()
        heard = _sent(found, games.root, arguments.requests, arguments.processes, arguments.seed)
        seconds = time.monotonic() - began
        faults = [*heard.examples, *_afterwards(found)]
    _print(heard, seconds, memory.peak_kib)
    for fault in faults[:EXAMPLES_MAX]:
        _CONSOLE.print(f"  {fault}")
    return 1 if faults else 0


def _sent(found: Arena, root: str, requests: int, processes: int, seed: int) -> Heard:
    """What all processes together heard."""
    senders = []
    for number in range(processes):
        told = Sending(found.rpc, found.http, root, requests // processes, seed + number)
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.attacks.fuzz", "--send"],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        process.stdin.write(msgspec.json.encode(told).decode() + "\n")
        process.stdin.flush()
        senders.append(process)
    heard = [msgspec.json.decode(process.communicate()[0], type=Heard) for process in senders]
    answers: dict[str, Counter[str]] = {}
    for one in heard:
        for what, counts in one.answers.items():
            answers.setdefault(what, Counter()).update(counts)
    return Heard(dict(answers), [example for one in heard for example in one.examples])


def _afterwards(found: Arena) -> list[str]:
    """What is wrong with the server now: it logged faults, or nobody can play."""
    faults = [f"{count} tracebacks in the log"] if (count := found.log().count("Traceback")) else []
    victim = Victim(found)
    try:
        victim.wait(commands=50)
        kept = victim.check()
        failed = [sample.failure for sample in victim.samples if sample.failure]
        return [*faults, *failed, *([f"lost: {kept.lost}"] if kept.lost else [])]
    finally:
        victim.close()


async def _send(told: Sending) -> Heard:
    chance = random.Random(told.seed)
    games = (LONG_GAME, *(f"sim-1-{number:06}" for number in range(_GAMES)))
    async with httpx.AsyncClient() as client:
        schema: dict[str, Any] = (await client.get(f"http://{told.http}/schema/openapi.json")).json()
    heard, of_paths = Heard({}, []), round(told.requests * PATHS_SHARE)
    async with grpc.aio.insecure_channel(told.rpc, (("grpc.use_local_subchannel_pool", 1),)) as channel:
        caller = Caller(channel, ())
        calls = [
            FuzzedCalls(caller, random.Random(chance.random()), f"Fuzz {told.seed} {number}", told.root, games)
            for number in range(CALLERS)
        ]
        for one in calls:
            await one.begin()
        paths = [
            FuzzedPaths(told.http, random.Random(chance.random()), schema, (told.root,), games) for _ in range(READERS)
        ]
        doors = [FuzzedDoor(told.http, random.Random(chance.random()), one) for one in calls[:DOORS]]
        to_call, to_read, to_door = [told.requests - 2 * of_paths], [of_paths], [of_paths]
        await asyncio.gather(
            *(_go_on(one, heard, to_call) for one in calls),
            *(_go_on(one, heard, to_read) for one in paths),
            *(_go_on(one, heard, to_door) for one in doors),
        )
    return heard


async def _go_on(one: FuzzedCalls | FuzzedPaths | FuzzedDoor, heard: Heard, left: list[int]) -> None:
    """Send requests as long as some are left, and note the answers."""
    while left[0] > 0:
        left[0] -= 1
        what, answer, raw = await one.one()
        counts = heard.answers.setdefault(what, {})
        counts[answer] = counts.get(answer, 0) + 1
        if answer in BROKEN and counts[answer] <= EXAMPLES_EACH:
            heard.examples.append(f"{what}: {answer} {one.sentence} for {raw[:300]!r}")


def _print(heard: Heard, seconds: float, resident_kib: int) -> None:
    total = sum(sum(counts.values()) for counts in heard.answers.values())
    rate = f"{total:,} requests in {seconds:.0f} s, {total / seconds:,.0f} a second, {resident_kib // 1_024} MiB"
    table = Table(title=f"Strange requests ({rate})", title_justify="left")
    table.add_column("rpc or route")
    table.add_column("requests", justify="right")
    table.add_column("answers")
    for what, counts in sorted(heard.answers.items()):
        told = ", ".join(f"{answer} {count:,}" for answer, count in sorted(counts.items(), key=lambda one: -one[1]))
        table.add_row(what, f"{sum(counts.values()):,}", told)
    _CONSOLE.print(table)


if __name__ == "__main__":
    sys.exit(main())
