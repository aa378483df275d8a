"""The acknowledgement log: what the load asked of the store and what it was answered, kept outside of the store.

An answer counts only when its line is on disk. A process that is killed in the middle of a line leaves a torn one, which
was not counted by anybody; the next process ends it with a line break and goes on below.
"""

import asyncio
import os
from pathlib import Path
from typing import Literal, Self

import msgspec
from msgspec import Struct


class Sent(Struct, frozen=True, tag=True):
    """A request to the store. Without an answer, nobody knows whether it was carried out."""

    request_id: str


class Acknowledged(Struct, frozen=True, tag=True):
    """A request that the store has answered, so its events must be there for ever."""

    request_id: str
    outcome: Literal["accepted", "repeated"]
    stream: str
    version_first: int
    position_first: int
    position_last: int
    digests: tuple[str, ...]
    """The SHA-256 of each event's state."""


class Broken(Struct, frozen=True, tag=True):
    """A broken promise that the load itself has seen."""

    request_id: str
    problem: str


_LINES = msgspec.json.Decoder(Sent | Acknowledged | Broken)


class AnswerLog:
    """The log as the load writes it."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        size = os.fstat(self._file).st_size
        if size and os.pread(self._file, 1, size - 1) != b"\n":
            os.write(self._file, b"\n")
        self._waiting: list[tuple[bytes, asyncio.Future[None]]] = []
        self._syncing: asyncio.Task[None] | None = None

    def close(self) -> None:
        os.close(self._file)

    def send(self, line: Sent) -> None:
        """Write a line without syncing it: it is only for counting, and it survives the death of this process anyway."""
        os.write(self._file, msgspec.json.encode(line) + b"\n")

    async def keep(self, line: Acknowledged | Broken) -> None:
        """Returns once the line is on disk; lines that come during a sync share the next one."""
        synced: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((msgspec.json.encode(line) + b"\n", synced))
        if self._syncing is None or self._syncing.done():
            self._syncing = asyncio.create_task(self._sync())
        await synced

    async def _sync(self) -> None:
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            os.write(self._file, b"".join(line for line, _ in waiting))
            await asyncio.to_thread(os.fsync, self._file)
            for _, synced in waiting:
                if not synced.done():
                    synced.set_result(None)


class Answers(Struct):
    """The log as the checker and the next load read it."""

    acknowledged: dict[str, Acknowledged]
    """The first answer to each request."""
    repeated: list[Acknowledged]
    """Every further answer to a request that was answered before."""
    sent: dict[str, int]
    """How often each request was sent in the hope of a first answer."""
    broken: list[Broken]
    torn: int

    @classmethod
    def read(cls, path: Path) -> Self:
        answers = cls({}, [], {}, [], 0)
        for line in path.read_bytes().splitlines() if path.exists() else []:
            try:
                answers.take(_LINES.decode(line))
            except msgspec.DecodeError:
                answers.torn += 1
        return answers

    def take(self, line: Sent | Acknowledged | Broken) -> None:
        match line:
            case Sent():
                self.sent[line.request_id] = self.sent.get(line.request_id, 0) + 1
            case Acknowledged():
                if self.acknowledged.setdefault(line.request_id, line) is not line:
                    self.repeated.append(line)
            case Broken():
                self.broken.append(line)

    @property
    def unanswered(self) -> int:
        """How often a request was sent and no answer came, so that it had to be sent again."""
        return sum(times - (request in self.acknowledged) for request, times in self.sent.items())

    @property
    def found_after_all(self) -> int:
        """How many of them had been stored nevertheless."""
        return sum(answer.outcome == "repeated" for answer in self.acknowledged.values())
