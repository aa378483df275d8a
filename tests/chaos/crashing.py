"""The driver of the crash test: kills the load and the server at random moments, again and again, and then checks."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from msgspec import Struct

from infra.embedded.postgres import EmbeddedPostgres
from tests.chaos.answers import Answers
from tests.chaos.checker import Fault, check, unanswered

ROOT: Final = Path(__file__).parents[2]
PROGRESS_SECONDS_MAX: Final = 60.0

Kill: TypeAlias = Literal[
    "load",  # The process that writes.
    "postmaster",  # The server's first process alone; its children notice and leave.
    "server",  # All processes of the server at once.
    "backend",  # One process that serves a connection: the server ends all others and recovers in place.
    "everything",  # The load and all processes of the server.
]
KILLS: Final[tuple[Kill, ...]] = get_args(Kill)

# A server that answers before anything is on disk, and then takes its time.
CARELESS: Final = {
    "synchronous_commit": "off",
    "wal_writer_delay": "10s",
    "wal_writer_flush_after": "1GB",
    "wal_buffers": "64MB",
}


class CrashReport(Struct):
    """What a run of the crash test did and found."""

    kills: dict[Kill, int]
    acknowledged: int
    events: int
    unanswered: int
    found_after_all: int
    asked_again: int
    torn: int
    faults: list[Fault]
    seconds: float


class Crashing:
    """A load and its server in a directory of their own."""

    def __init__(self, place: Path, writers: int, settings: Mapping[str, str], chance: random.Random) -> None:
        self.directory, self.log = place / "data", place / "answers.jsonl"
        self._errors = place / "load.stderr"
        self._arguments = [str(writers), *(f"{name}={value}" for name, value in settings.items())]
        self._settings = settings
        self._chance = chance
        self._load: subprocess.Popen[bytes] | None = None
        self.kills: dict[Kill, int] = dict.fromkeys(KILLS, 0)

    def start_load(self) -> None:
        command = [sys.executable, "-m", "tests.chaos.load", str(self.directory), str(self.log), *self._arguments]
        with self._errors.open("ab") as errors:
            self._load = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stderr=errors)

    def wait_for_answers(self) -> None:
        """Wait until the load has got a new answer."""
        seen = self.log.stat().st_size if self.log.exists() else 0
        deadline = time.monotonic() + PROGRESS_SECONDS_MAX
        while not (self.log.exists() and b"Acknowledged" in _tail(self.log, seen)):
            self._expect_life(deadline)

    def kill(self, kind: Kill) -> None:
        """Kill a process. If it was the load, start a new one; the load itself starts a dead server again."""
        processes = self._processes(kind)
        if kind in {"load", "everything"}:
            self._kill_load()
        _kill_all(processes)
        self.kills[kind] += 1
        if self._load is None:
            self.start_load()

    def kill_everything_for_good(self) -> None:
        # The server first: what it has answered and not yet written is what this is about.
        _kill_all(server_processes(self.directory))
        self._kill_load()
        self.kills["everything"] += 1

    def finish(self) -> None:
        """Let the load leave in peace, with every request answered."""
        assert self._load is not None
        assert self._load.stdin is not None
        self._load.stdin.close()
        assert self._load.wait(PROGRESS_SECONDS_MAX) == 0, self._errors.read_text()[-3000:]
        self._load = None

    def check(self) -> list[Fault]:
        with EmbeddedPostgres(self.directory, self._settings, wait_seconds_max=60) as server:
            return asyncio.run(check(server.url, Answers.read(self.log)))

    def clean_up(self) -> None:
        """End all processes that still run. If the load was killed, take over its server and end it in order."""
        self._kill_load()
        if self.directory.exists():
            with EmbeddedPostgres(self.directory, self._settings, wait_seconds_max=60):
                pass

    def _processes(self, kind: Kill) -> list[int]:
        """The processes of the server that can be killed; waits if the load has to start the server again first."""
        deadline = time.monotonic() + PROGRESS_SECONDS_MAX
        while kind != "load":
            server = server_processes(self.directory)
            backends = [process for process in server[1:] if b"[local]" in _command(process)]
            if kind == "backend" and backends:
                return [self._chance.choice(backends)]
            if kind != "backend" and server:
                return server[:1] if kind == "postmaster" else server
            self._expect_life(deadline)
        return []

    def _expect_life(self, deadline: float) -> None:
        assert self._load is not None
        assert self._load.poll() is None, f"the load ended by itself: {self._errors.read_text()[-3000:]}"
        assert time.monotonic() < deadline, f"nothing moves for {PROGRESS_SECONDS_MAX:g} seconds"
        time.sleep(0.01)

    def _kill_load(self) -> None:
        if self._load is None:
            return
        self._load.kill()
        self._load.wait()
        assert self._load.stdin is not None
        self._load.stdin.close()
        self._load = None


@contextmanager
def crashing(writers: int, settings: Mapping[str, str], chance: random.Random) -> Iterator[Crashing]:
    """A directory for a crash test, which is removed afterwards with everything that ran there."""
    with tempfile.TemporaryDirectory(prefix="liarsdice-chaos-") as place:
        run = Crashing(Path(place), writers, settings, chance)
        try:
            yield run
        finally:
            run.clean_up()


def crash(
    kinds: Sequence[Kill],
    *,
    seed: int,
    writers: int = 48,
    seconds_max: float = 3600.0,
    tell: Callable[[str], None] = lambda _: None,
) -> CrashReport:
    """Kill in the order given, at random moments, then let every request be answered, and check."""
    chance = random.Random(seed)
    start = time.monotonic()
    with crashing(writers, {}, chance) as run:
        run.start_load()
        run.wait_for_answers()
        for number, kind in enumerate(kinds, start=1):
            # Now and then before the one killed last has recovered.
            if chance.random() < 0.8:
                run.wait_for_answers()
            time.sleep(chance.uniform(0, 0.5))
            run.kill(kind)
            tell(f"{number}/{len(kinds)} killed: {kind}")
            if time.monotonic() - start > seconds_max:
                break
        run.wait_for_answers()
        run.finish()
        answers = Answers.read(run.log)
        faults = run.check() + unanswered(answers)
        return _report(run, answers, faults, time.monotonic() - start)


def crash_careless(rounds_max: int, *, seed: int, writers: int = 48) -> CrashReport:
    """The negative control: a server that answers too early, killed at once; ends with the first loss that is seen."""
    chance = random.Random(seed)
    start = time.monotonic()
    for _ in range(rounds_max):
        with crashing(writers, CARELESS, chance) as run:
            run.start_load()
            run.wait_for_answers()
            time.sleep(chance.uniform(0.3, 0.8))
            run.kill_everything_for_good()
            answers = Answers.read(run.log)
            report = _report(run, answers, run.check(), time.monotonic() - start)
        if report.faults:
            break
    return report


def server_processes(directory: Path) -> list[int]:
    """The server of a directory, its first process before all others; nothing if it does not run."""
    try:
        postmaster = int((directory / "cluster" / "postmaster.pid").read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return []
    # The file of a killed server stays, and its number may be somebody else's by now.
    if str(directory / "cluster").encode() not in _command(postmaster):
        return []
    return [postmaster, *(process for process, parent in _parents() if parent == postmaster)]


def _parents() -> Iterator[tuple[int, int]]:
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            yield int(entry.parent.name), int(entry.read_text().rpartition(")")[2].split()[1])


def _command(process: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes()
    return b""


def _kill_all(processes: Sequence[int]) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def _tail(path: Path, start: int) -> bytes:
    with path.open("rb") as file:
        file.seek(start)
        return file.read()


def _report(run: Crashing, answers: Answers, faults: list[Fault], seconds: float) -> CrashReport:
    events = sum(len(answer.digests) for answer in answers.acknowledged.values())
    counts = (len(answers.acknowledged), events, answers.unanswered, answers.found_after_all, len(answers.repeated))
    return CrashReport(run.kills, *counts, answers.torn, faults, seconds)
