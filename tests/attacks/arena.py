"""The server that is attacked: `liarsdice serve` with its default settings, and games that are worth reading."""

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from domain.commands import Challenge, StartGame
from domain.options import Options
from domain.refusals import Refusal
from domain.state import Bidding, Ended
from domain.values import Bid, Value
from infra.postgres.players import PlayerStore
from infra.postgres.store import EventStore
from services.access.identity import SCOPES, Registry
from services.app.environment import open_sealed_database
from services.simulation.game_storer import Calendar, GameStorer
from services.simulation.memory_table import MemoryTable
from services.simulation.simulation import Setup, party_seed, play_game

ROOT = Path(__file__).parents[2]
LONG_GAME = "the-long-game"
LONG_SEATS = 20
LONG_EVENTS = 11_000
GAMES = 300
DESCRIPTORS = 1_024
"""As many as most systems give to a process that does not ask for more."""
OPERATOR = "127.0.0.4"
"""The address from which the arena looks at its server."""
_FACES = 6
_START_SECONDS_MAX = 120


class Arena:
    """A running server, as its machine sees it."""

    def __init__(self, process: "subprocess.Popen[str]", rpc: str, http: str, log: Path, long_versions: int) -> None:
        self.process, self.rpc, self.http, self._log = process, rpc, http, log
        self.long_versions = long_versions

    def processes(self) -> list[int]:
        """The server's process and its children without Postgres."""
        found, waiting = [], [self.process.pid]
        while waiting:
            pid = waiting.pop()
            if _name(pid).startswith("postgres"):
                continue
            found.append(pid)
            waiting += _children(pid)
        return found

    def resident_kib(self) -> int:
        """The memory of these processes."""
        return sum(_number(Path(f"/proc/{pid}/status"), r"VmRSS:\s+(\d+) kB") for pid in self.processes())

    def descriptors(self) -> int:
        """How many files and connections these processes have open."""
        return sum(_entries(Path(f"/proc/{pid}/fd")) for pid in self.processes())

    def streams(self) -> int:
        """How many gRPC streams the server knows of; very many if it does not answer."""
        # The attacker's address may be barred at this moment.
        transport = httpx.HTTPTransport(local_address=OPERATOR)
        try:
            with httpx.Client(transport=transport, timeout=5) as client:
                answer = client.get(f"http://{self.http}/metrics")
        except httpx.HTTPError:
            return 10**6
        found = re.search(r"rpc_streams_open(?:\{[^}]*\})? (\d+)", answer.text)
        return int(found[1]) if found is not None else 0

    def log(self) -> str:
        """What the server has logged so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")


class Prepared(Value, frozen=True):
    """A data directory with games, of which each server gets a copy."""

    data: Path
    games: int
    long_versions: int
    root: str
    """A token with all scopes."""


@contextmanager
def prepared(games: int = GAMES, long_events: int = LONG_EVENTS) -> Iterator[Prepared]:
    """Games in a store that no server uses yet."""
    with tempfile.TemporaryDirectory(prefix="liarsdice-attacks-", ignore_cleanup_errors=True) as folder:
        data = Path(folder) / "data"
        versions, root = asyncio.run(_prepare(data, games, long_events))
        # The note says where the next server of these data puts its socket: those of copies go elsewhere.
        (data / "postgres" / "sockets").unlink()
        yield Prepared(data, games, versions, root)


@contextmanager
def arena(games: Prepared, *flags: str) -> Iterator[Arena]:
    """A server on a copy of these games, which ends with the block. Flags only change what a test is not about."""
    with tempfile.TemporaryDirectory(prefix="liarsdice-attacks-", ignore_cleanup_errors=True) as folder:
        data, log = Path(folder) / "data", Path(folder) / "log"
        subprocess.run(["/bin/cp", "-a", games.data, data], check=True)
        with log.open("w") as errors:
            process = subprocess.Popen(
                [
                    *("/bin/sh", "-c", f'ulimit -Sn {DESCRIPTORS}; exec "$@"', "serve"),
                    *(sys.executable, "-m", "services.cli", "serve", "--data", str(data)),
                    *("--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", *flags),
                ],
                env=environment(),
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        try:
            assert process.stdout is not None
            rpc = process.stdout.readline().split()[-1]
            http = process.stdout.readline().split()[-1].removeprefix("http://")
            found = Arena(process, rpc, http, log, games.long_versions)
            _wait_for_games(found, games.games)
            yield found
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()


def environment() -> dict[str, str]:
    """The environment of processes that find this project, and no database but the embedded one."""
    given = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    return {**given, "PYTHONPATH": f"{ROOT}:{ROOT / 'proto' / 'gen'}"}


async def _prepare(directory: Path, games: int, long_events: int) -> tuple[int, str]:
    """Store some ended games and a long one; returns the number of events of the long one, and a token with all scopes."""
    setup = Setup("single-hand", Options(), 4)
    long = long_game(long_events)
    async with open_sealed_database(directory) as (url, keys):
        store = await EventStore.open(url)
        try:
            tables = (play_game(setup, 1, index) for index in range(games))
            storer = GameStorer(store, keys, Calendar(None, time.time_ns() // 1_000_000))
            await storer.store(iter((long,)))
            await storer.store(tables)
        finally:
            await store.close()
        players = await PlayerStore.open(url)
        try:
            _, root = await Registry(players).register("Root", SCOPES)
        finally:
            await players.close()
    return len(long.events), root


def long_game(events: int) -> MemoryTable:
    """A game with about so many events, or as many as a game may have: twenty players who raise by as little as they can."""
    seeds = tuple(party_seed(1, 0, party) for party in range(LONG_SEATS + 1))
    table = MemoryTable(LONG_GAME, "single-hand", Options(), seeds)
    for seat in range(LONG_SEATS):
        table.seat_bot(seat, f"sim.long.{seat}", f"Long {seat}")
    table.submit(StartGame(at=table.milliseconds))
    bids, bids_max = 0, events // 100
    while not isinstance(table.state, Ended):
        table.milliseconds += 1_000
        state = table.state
        assert not isinstance(state, Ended)
        seat = state.waiting[0]  # type: ignore[union-attr]  # a game that goes on waits for somebody
        if not isinstance(state, Bidding):
            bids = 0
            table.roll(seat)
        elif bids < bids_max and _bids(table, seat, bids):
            bids += 1
        else:
            table.submit(Challenge(at=table.milliseconds, seat=seat))
    return table


def _bids(table: MemoryTable, seat: int, bids: int) -> bool:
    """Whether the next raise was made: the same quantity of the next face, or one more of the lowest."""
    quantity, face = divmod(bids, _FACES - 1)
    try:
        table.bid(seat, Bid(quantity=quantity + 1, face=face + 2))
    except Refusal:
        return False
    return True


def _wait_for_games(found: Arena, games: int) -> None:
    """Wait until the read models have all games, so that the projector's work is not part of what is measured."""
    path = f"http://{found.http}/api/v1/games/{LONG_GAME}/audit" if games else f"http://{found.http}/health/ready"
    until = time.monotonic() + _START_SECONDS_MAX
    while time.monotonic() < until:
        try:
            if all(httpx.get(one, timeout=20).is_success for one in (path, _last_game(found, games))):
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.2)
    raise AssertionError("the server was not ready in time")


def _last_game(found: Arena, games: int) -> str:
    name = f"sim-1-{games - 1:06}" if games else LONG_GAME
    return f"http://{found.http}/api/v1/games/{name}/record"


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _children(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text(encoding="ascii").split()]
    except OSError:
        return []


def _number(path: Path, pattern: str) -> int:
    try:
        found = re.search(pattern, path.read_text(encoding="ascii"))
    except OSError:
        return 0
    return int(found[1]) if found is not None else 0


def _entries(path: Path) -> int:
    try:
        return sum(1 for _ in path.iterdir())
    except OSError:
        return 0
