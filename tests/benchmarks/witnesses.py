"""`python -m tests.benchmarks.witnesses`: what two witnesses cost commands, and what it takes to verify a long game.

The first is a ratio in one run: the same games are stored in turns while the log is kept, once with two witnesses that run in
processes of their own and cosign about once a second, and once without. The spread between turns without them shows what can be seen at all.
"""

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from domain.commands import AnyCommand, CreateGame
from domain.options import Options
from infra.keys.key_files import claim_name, create_key_file, keys_of_file
from infra.log.notes import Cosigner
from infra.log.policy import Policy, read_policy
from infra.postgres.audit_log import AuditLog
from infra.postgres.duties import Duties
from infra.postgres.feed import Feed
from infra.postgres.store import EventStore
from services.audit.logbook import Logbook
from services.simulation.simulation import Setup, play_game, setups_of_all
from services.tables.application import GameApplication
from services.verifier import verify
from tests.audit.stored_games import MAPPER
from tests.infra.postgres.databases import new_database
from tests.servers import LOG_KEYS
from tests.verifier.games import bundle, played, stored

TURNS = 9
GAMES = 96
AT_ONCE = 32
EVENTS = 500
VERIFY_SECONDS_MAX = 0.1
RATIO_MIN = 0.97


@contextmanager
def witness(folder: Path, name: str) -> Iterator[str]:
    """A line of a policy with a witness that runs in a process of its own."""
    key_file = folder / f"{name}.key"
    create_key_file(key_file, "A witness of a benchmark.", f"example.org/{name}")
    (seed,) = keys_of_file(key_file)
    key = Cosigner(claim_name(key_file, name), seed).verifier.vkey
    flags = ["--listen", "127.0.0.1:0", "--state", str(folder / f"{name}.state"), "--key-file", str(key_file)]
    keys = [flag for vkey in LOG_KEYS.vkeys for flag in ("--log-key", vkey)]
    command = [sys.executable, "-m", "services.cli", "witness", *flags, *keys]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = next(line for line in process.stdout if "http://" in line).split()[-1]
        try:
            yield f"witness {name} {key} {url}"
        finally:
            process.terminate()


async def rate(url: str, policy: Policy | None, scripts: list[list[AnyCommand]]) -> tuple[float, int]:
    """Commands a second while the log is kept, and how many checkpoints were cosigned by all witnesses."""
    store = await EventStore.open(url)
    feed, log = await Feed.open(store), await AuditLog.open(store.url)
    duties = await Duties.open(url, store.lanes)
    logbook = Logbook(store, feed, log, MAPPER, LOG_KEYS, duties=duties, policy=policy)
    await logbook.start()
    games, turns = GameApplication(store, MAPPER), asyncio.Semaphore(AT_ONCE)

    async def player(commands: list[AnyCommand]) -> None:
        created = commands[0]
        assert isinstance(created, CreateGame)
        async with turns:
            for number, command in enumerate(commands):
                await games.execute(created.game_id, command, str(number))

    began = time.perf_counter()
    await asyncio.gather(*(player(commands) for commands in scripts))
    seconds = time.perf_counter() - began
    await logbook.caught_up(30)
    cosigned = await log._pool.fetchval(  # noqa: SLF001 - a number that the program itself never needs
        "SELECT count(DISTINCT size) FROM liarsdice.cosigned_checkpoints WHERE is_quorum"
    )
    away = dict(logbook.witnessing.away)
    await logbook.close()
    await log.close()
    await duties.close()
    await feed.close()
    await store.close()
    assert not away, away
    return sum(map(len, scripts)) / seconds, int(cosigned)


def cost_of_witnesses() -> tuple[list[float], list[float], int]:
    """Commands a second with two witnesses and without, in turns, and the cosigned checkpoints in all."""
    setups, with_them, without, cosigned = setups_of_all(), list[float](), list[float](), 0
    for turn in range(TURNS):
        # A log of another store is another log, so each turn has witnesses that have seen nothing.
        with TemporaryDirectory() as folder, ExitStack() as stack:
            lines = [stack.enter_context(witness(Path(folder), name)) for name in ("one", "two")]
            policy = read_policy("\n".join([*lines, "group both all one two", "quorum both", ""]).encode())
            chance = Random(turn)
            scripts = [play_game(chance.choice(setups), turn, index).commands for index in range(GAMES)]
            order = (policy, None) if turn % 2 else (None, policy)
            for known in order:
                measured, count = asyncio.run(rate(new_database(1), known, scripts))
                (without if known is None else with_them).append(measured)
                cosigned += count
    return with_them, without, cosigned


def long_game() -> tuple[int, float]:
    """How many events a long game has, and the seconds that verifying its bundle takes."""
    for number in range(100):
        play = played(Setup("single-hand", Options(dice_each=5), 6), f"long-{number}")
        if EVENTS <= len(play.entries) < EVENTS + 60:
            break
    data, times = bundle(stored(play), None), []
    for _ in range(20):
        began = time.perf_counter()
        verify(data)
        times.append(time.perf_counter() - began)
    return len(play.entries), statistics.median(times)


def main() -> int:
    """Measure and print the results; the exit code says whether an aim was missed."""
    events, seconds = long_game()
    with_them, without, cosigned = cost_of_witnesses()
    ratio = statistics.median(one / other for one, other in zip(with_them, without, strict=True))
    spread = max(without) / min(without)
    table = Table("what", "measured", "aim")
    table.add_row(
        f"verifying a game of {events} events, ms", f"{seconds * 1e3:.1f}", f"< {VERIFY_SECONDS_MAX * 1e3:.0f}"
    )
    table.add_row("commands/s without witnesses", f"{statistics.median(without):,.0f} (spread {spread:.2f}x)", "")
    table.add_row(f"commands/s with two, {cosigned} checkpoints cosigned", f"{statistics.median(with_them):,.0f}", "")
    table.add_row("ratio, median of pairs", f"{ratio:.3f}", f">= {RATIO_MIN}")
    Console(highlight=False, width=110).print(table)
    return 0 if seconds < VERIFY_SECONDS_MAX and ratio >= RATIO_MIN else 1


if __name__ == "__main__":
    sys.exit(main())
