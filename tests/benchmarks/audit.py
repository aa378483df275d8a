"""`python -m tests.benchmarks.audit`: what proof costs: verifying a bundle, auditing a store, and fair dice with digests.

The last is a ratio in one run: the same code stores the same games, once as it is and once in a build without proof, which
looks up every link and every die in a table made before, and does not chain events.
"""

import asyncio
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from random import Random
from types import FunctionType
from typing import Any

from rich.console import Console
from rich.table import Table

from domain.commands import AnyCommand, CreateGame, Roll
from domain.evolve import fold
from domain.fairness import chain, derivation
from domain.fairness.chain import make_chain
from infra.events.mapping import GameEvent
from infra.postgres.audit_log import AuditLog
from infra.postgres.store import EventStore
from services.audit.audits import Audits
from services.audit.store_check import StoreCheck
from services.simulation.simulation import play_game, setups_of_all
from services.tables.application import GameApplication, Head, _Written
from services.verifier import verify
from tests.audit.stored_games import MAPPER, Opened, games, on_log, store_games
from tests.infra.postgres.databases import new_database
from tests.servers import LOG_KEYS

TURNS = 7
AT_ONCE = 64
STORED_GAMES = 400
VERIFY_SECONDS_MAX = 0.05
AUDIT_RATE_MIN = 20_000
COST_MAX = 0.2


def scripts(seed: int) -> list[list[AnyCommand]]:
    """The commands of some games of all books."""
    setups, chance = setups_of_all(), Random(seed)
    return [play_game(chance.choice(setups), seed, index).commands for index in range(AT_ONCE)]


_KNOWN: dict[Callable[..., Any], Callable[..., Any]] = {
    function: cache(function)
    for function in (
        chain.hashed,
        derivation.deal_key,
        derivation.next_transcript,
        derivation.first_transcript,
        derivation.hand,
        derivation.drawn,
    )
}
"""What makes fair dice, each hash of which is looked up once it was made."""


@contextmanager
def without_proof() -> Iterator[None]:
    """The build in which every link and every die is known before, and events are not chained."""
    modules = [module for name, module in list(sys.modules.items()) if name.split(".")[0] in {"domain", "services"}]
    places = [
        (module, name, value)
        for module in modules
        for name, value in list(vars(module).items())
        if isinstance(value, FunctionType) and value in _KNOWN
    ]
    chained = GameApplication._written  # noqa: SLF001 - taken out and put back

    async def unchained(self: GameApplication, game: Any, events: Any, request: Any) -> Any:
        head = game.head
        stored = [
            self._mapper.to_stored_event(GameEvent(request.game_id, version, event))
            for version, event in enumerate(events, head.version + 1)
        ]
        after = Head(head.version + len(events), head.digests)
        return _Written(events, stored, (b"",) * len(events), fold(events, game.state), after)

    for module, name, value in places:
        setattr(module, name, _KNOWN[value])
    GameApplication._written = unchained  # type: ignore[method-assign]  # noqa: SLF001 - as above
    try:
        yield
    finally:
        for module, name, value in places:
            setattr(module, name, value)
        GameApplication._written = chained  # type: ignore[method-assign]  # noqa: SLF001 - as above


async def throughput(url: str, played: list[list[AnyCommand]], turn: str) -> float:
    """How many commands a second are carried out, with what the server does for its own chain."""
    store = await EventStore.open(url)
    games_played = GameApplication(store, MAPPER)

    async def player(commands: list[AnyCommand]) -> None:
        own, created = None, commands[0]
        assert isinstance(created, CreateGame)
        for number, command in enumerate(commands):
            if isinstance(command, CreateGame):
                own = make_chain(bytes(32), command.game_id, 100)
            elif isinstance(command, Roll):
                assert own is not None
                own.link(number % 100)
            await games_played.execute(created.game_id, command, f"{turn}-{number}")

    began = time.perf_counter()
    await asyncio.gather(*(player(commands) for commands in played))
    seconds = time.perf_counter() - began
    await store.close()
    return sum(map(len, played)) / seconds


def cost_of_proof() -> tuple[float, float, float]:
    """Commands a second with proof and without, and the share that proof takes: the median over turns."""
    with_it, without, shares = [], [], []
    for turn in range(TURNS):
        with without_proof():
            played = scripts(turn)
            asyncio.run(throughput(new_database(1), played, "a"))  # Now all hashes of these games are known.
        with_it.append(asyncio.run(throughput(new_database(1), played, "a")))
        with without_proof():
            without.append(asyncio.run(throughput(new_database(1), played, "a")))
        shares.append(1 - with_it[-1] / without[-1])
    return statistics.median(with_it), statistics.median(without), statistics.median(shares)


def audited() -> tuple[float, float, int]:
    """Events a second in a check of a whole store; the seconds that a game's bundle takes, and how many events it has."""
    url, played = new_database(1), games(STORED_GAMES, seed=3)

    async def work(opened: Opened) -> tuple[float, float, int]:
        await store_games(opened.store, played)
        await opened.logged()
        log = await AuditLog.open(url)
        rates = []
        for _ in range(3):
            began = time.perf_counter()
            checked = await StoreCheck(opened.store, log, MAPPER, LOG_KEYS.vkeys).run()
            rates.append(checked.events / (time.perf_counter() - began))
            assert not checked.differences
        await log.close()
        audits = Audits(opened.store, opened.log)
        median = sorted(played, key=lambda game_id: len(played[game_id]))[len(played) // 2]
        bundle = await audits.bundle(median, None)
        times = []
        for _ in range(20):
            began = time.perf_counter()
            verify(bundle, LOG_KEYS.vkeys[-1])
            times.append(time.perf_counter() - began)
        return statistics.median(rates), statistics.median(times), len(played[median])

    return on_log(url, work)


def main() -> int:
    """Measure and print the results; the exit code says whether an aim was missed."""
    rate, seconds, events = audited()
    with_it, without, share = cost_of_proof()
    table = Table("what", "measured", "aim")
    table.add_row(
        f"verifying a game of {events} events, ms", f"{seconds * 1e3:.1f}", f"< {VERIFY_SECONDS_MAX * 1e3:.0f}"
    )
    table.add_row("audit of a whole store, events/s", f"{rate:,.0f}", f">= {AUDIT_RATE_MIN:,}")
    table.add_row("commands/s with proof", f"{with_it:,.0f}", "")
    table.add_row("commands/s without", f"{without:,.0f}", "")
    table.add_row("share of throughput that proof takes", f"{share:.0%}", f"< {COST_MAX:.0%}")
    Console(highlight=False, width=110).print(table)
    missed = [
        name
        for name, holds in (
            ("verifying a bundle", seconds < VERIFY_SECONDS_MAX),
            ("the audit of a store", rate >= AUDIT_RATE_MIN),
            ("the cost of proof", share < COST_MAX),
        )
        if not holds
    ]
    for name in missed:
        sys.stdout.write(f"missed: {name}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
