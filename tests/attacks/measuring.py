"""Measures what an attack does to a victim, and judges it.

A phase without the attack comes before and after it. What the victim's answers take with the attack is compared with both
phases together, so that what disturbs the machine for a while disturbs both sides. Bounds:

- The 99th percentile with the attack is less than three times the one without it. Times below a floor always pass: on a
  machine with two cores, 2 ms and 8 ms differ by a context switch or a slow flush of the disk, and nobody notices it.
  A percentile of few answers is their slowest one, and a machine that others use has such moments without any attack. So
  what looks too slow is measured once more, in phases that are three times as long, and only what is too slow again counts.
- No call of the victim fails, and every command that was acknowledged is found in its game afterwards.
- The memory of the server's processes stays below 512 MiB.
- Some seconds later the streams and descriptors of the attack are gone, and the victim is served as before. If it isn't,
  only the phase before the attack counts as one without it.
- The server logs no traceback, and not more than a megabyte.
"""

import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, Self

import msgspec

from domain.values import Value
from tests.attacks.arena import Arena, environment
from tests.attacks.attack import Target
from tests.attacks.victim import Begun, Found, Sample

RATIO_MAX = 3.0
FLOOR_SECONDS = {"command": 0.03, "dice": 0.15, "read": 0.06, "visit": 0.15}
"""What the victim waits for: a command, new dice after a doubt, a list over HTTP, a call over a new connection."""
RESIDENT_KIB_MAX = 512 * 1_024
DESCRIPTORS_MORE_MAX = 40
LOG_BYTES_MAX = 1_024 * 1_024
SETTLE_SECONDS = 2.0
AFTER_SECONDS_MAX = 20.0
SECONDS_MIN = {"tables-full-of-bots": 15.0, "bots-of-many-players": 20.0, "calls-that-nobody-waits-for": 20.0}
"""Attacks that need some time until they hurt, or that it takes some time to find. What the victim waits for in the first second
of a flood is one slow answer among all of the others."""


class Latency(Value, frozen=True):
    """The times of some answers, in seconds."""

    count: int
    p50: float
    p99: float


class Outcome(Value, frozen=True):
    """What an attack did."""

    name: str
    without: dict[str, Latency]
    under: dict[str, Latency]
    failures: dict[str, int]
    acknowledged: int
    lost: int
    resident_kib: int
    resident_after_kib: int
    answers: dict[str, int]
    """What the attacker was told, and how often."""
    barred: bool
    """Whether the server has barred the attacker's address. For the next attack it would still be barred."""
    faults: tuple[str, ...]
    """Which bounds were broken."""

    def ratio(self, kind: str) -> float:
        """How many times longer the victim waited."""
        return self.under[kind].p99 / self.without[kind].p99 if self.without[kind].p99 else 0.0


class Victim:
    """The victim's process, and everything that it told."""

    def __init__(self, found: Arena) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.attacks.victim", found.rpc, found.http],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.samples: list[Sample] = []
        self.game_id = ""
        self._found: list[Found] = []
        self._hearing = threading.Thread(target=self._hear, daemon=True)
        self._hearing.start()

    def _hear(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            told: dict[str, Any] = msgspec.json.decode(line)
            match told.pop("type"):
                case "Sample":
                    self.samples.append(Sample(**told))
                case "Found":
                    self._found.append(Found(**told))
                case _:
                    self.game_id = Begun(**told).game_id

    def between(self, began: float, ended: float) -> list[Sample]:
        """What it told of answers that came in this time."""
        return [sample for sample in list(self.samples) if began <= sample.at < ended]

    def check(self) -> Found:
        """What of the acknowledged commands is lost."""
        assert self._process.stdin is not None
        asked = len(self._found)
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        until = time.monotonic() + 60
        while len(self._found) == asked:
            assert self._process.poll() is None, "the victim is gone"
            assert time.monotonic() < until, "the victim does not find its games"
            time.sleep(0.05)
        return self._found[-1]

    def wait(self, commands: int) -> None:
        """Wait until it plays."""
        until = time.monotonic() + 60
        while sum(sample.kind == "command" for sample in list(self.samples)) < commands:
            assert self._process.poll() is None, "the victim is gone"
            assert time.monotonic() < until, "the victim can't play"
            time.sleep(0.05)

    def close(self) -> None:
        """Let it go."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._hearing.join()
        if self._process.stdout is not None:
            self._process.stdout.close()


class Memory:
    """Watches the memory of the server while a block runs."""

    def __init__(self, found: Arena) -> None:
        self._found, self.peak_kib = found, 0
        self._ended = threading.Event()
        self._watching = threading.Thread(target=self._watch, daemon=True)

    def _watch(self) -> None:
        while not self._ended.wait(0.1):
            self.peak_kib = max(self.peak_kib, self._found.resident_kib())

    def __enter__(self) -> Self:
        self._watching.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._watching.join()


def is_only_slow(outcome: Outcome) -> bool:
    """Whether nothing but the time of answers was out of bounds."""
    return bool(outcome.faults) and all(
        fault.removeprefix("afterwards ").startswith("slow ") for fault in outcome.faults
    )


def measured(found: Arena, victim: Victim, name: str, target: Target, seconds: float) -> Outcome:
    """The outcome of one attack."""
    victim.check()
    descriptors, streams, logged = found.descriptors(), found.streams(), len(found.log())
    before = time.monotonic()
    time.sleep(seconds)
    with Memory(found) as memory:
        began = time.monotonic()
        answers = attacked(name, target, max(seconds, SECONDS_MIN.get(name, 0.0)))
        ended = time.monotonic()
        time.sleep(SETTLE_SECONDS)
    after = time.monotonic()
    faults = _left_behind(found, descriptors, streams)
    time.sleep(max(0.0, seconds - (time.monotonic() - after)))
    first, inside, last = (
        victim.between(before, began),
        victim.between(began, ended),
        victim.between(after, time.monotonic()),
    )
    kept = victim.check()
    lasting = [f"afterwards {fault}" for fault in _slower(latencies(first), latencies(last))]
    without, under = latencies(first if lasting else [*first, *last]), latencies(inside)
    failures = Counter(f"{sample.kind}: {sample.failure}" for sample in (*first, *inside, *last) if sample.failure)
    faults += _slower(without, under) + lasting
    faults += [f"failed: {failure} ({count})" for failure, count in failures.most_common(3)]
    faults += [f"lost: {kept.lost}"] if kept.lost else []
    faults += ["memory"] if memory.peak_kib >= RESIDENT_KIB_MAX else []
    faults += _logged(found.log()[logged:])
    barred = "it is kept out" in found.log()[logged:]
    sizes = (memory.peak_kib, found.resident_kib())
    return Outcome(
        name, without, under, dict(failures), kept.acknowledged, kept.lost, *sizes, answers, barred, tuple(faults)
    )


def attacked(name: str, target: Target, seconds: float) -> dict[str, int]:
    """Let an attacker do its work, and return what it was told."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.attacks.attacker", name, str(seconds)],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(msgspec.json.encode(target).decode() + "\n")
    process.stdin.flush()
    assert process.stdout.readline() == "begun\n", "the attacker did not begin"
    try:
        told = process.communicate(timeout=seconds + 5)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return {"killed": 1}
    return dict(msgspec.json.decode(told)) if told else {"died": 1}


def latencies(samples: Sequence[Sample]) -> dict[str, Latency]:
    """The times of each kind of answer; a failure counts with the time that it took."""
    return {
        kind: _latency(sorted(sample.seconds for sample in samples if sample.kind == kind)) for kind in FLOOR_SECONDS
    }


def _latency(seconds: list[float]) -> Latency:
    if not seconds:
        return Latency(0, 0.0, 0.0)
    return Latency(len(seconds), seconds[len(seconds) // 2], seconds[min(len(seconds) - 1, len(seconds) * 99 // 100)])


def _slower(without: dict[str, Latency], under: dict[str, Latency]) -> list[str]:
    """Which answers the victim waited for too long, or got none of."""
    faults = []
    for kind, floor in FLOOR_SECONDS.items():
        if not under[kind].count:
            faults.append(f"no {kind} at all")
        elif under[kind].p99 >= max(floor, RATIO_MAX * without[kind].p99):
            faults.append(f"slow {kind}")
    return faults


def _left_behind(found: Arena, descriptors: int, streams: int) -> list[str]:
    """What of an attack is still there after a while."""
    until = time.monotonic() + AFTER_SECONDS_MAX
    while True:
        left = []
        if found.descriptors() > descriptors + DESCRIPTORS_MORE_MAX:
            left.append("descriptors left")
        if found.streams() > streams + 1:  # The victim may be reading a game at this moment.
            left.append("streams left")
        if not left or time.monotonic() > until:
            return left
        time.sleep(0.5)


def _logged(text: str) -> list[str]:
    errors = re.findall(r"(?m)^Traceback .*(?:\n .*)*\n(\S+)", text)
    faults = [f"{text.count('Traceback')} tracebacks ({errors[0] if errors else '?'})"] if "Traceback" in text else []
    return faults + ([f"{len(text) // 1024} KiB logged"] if len(text) > LOG_BYTES_MAX else [])
