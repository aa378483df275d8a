"""The load that is killed: many writers that append to many games, and that ask again whenever no answer came.

Run as a process of its own: `python -m tests.chaos.load DIRECTORY LOG WRITERS [SETTING=VALUE ...]`. It starts the server
or finds it running, goes on where the log ends, survives the server's death, and leaves when its input is closed, after
every request has been answered.

What a writer sends follows from its number alone, so the process after a killed one sends the very same requests.
"""

import asyncio
import random
import sys
from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path

import asyncpg
from eventsourcing.persistence import StoredEvent
from msgspec import Struct

from infra.embedded.postgres import EmbeddedPostgres, EmbeddedPostgresFailed
from infra.postgres.appended import Appended
from infra.postgres.failures import StoreUnreachable, StoreUnreadable, VersionConflict
from infra.postgres.migrating import migrate
from infra.postgres.store import EventStore
from tests.chaos.answers import Acknowledged, AnswerLog, Answers, Broken, Sent

LANES = 4
STARTS_MAX = 5
GAMES_PER_WRITER = 5
PAUSE_SECONDS_MAX = 0.02
RIVAL_EVERY = 10
_SERVER_AWAY = (
    StoreUnreachable,
    StoreUnreadable,
    OSError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)


class Command(Struct, frozen=True):
    """One append: some new versions of one game."""

    request_id: str
    stream: str
    version_first: int
    count: int

    def events(self) -> list[StoredEvent]:
        return [self._event(self.version_first + index) for index in range(self.count)]

    def _event(self, version: int) -> StoredEvent:
        state = sha256(f"{self.stream} {version}".encode()).digest() * (1 + version % 12)
        return StoredEvent(self.stream, version, "topic", state)

    def rival(self) -> "Command":
        """A command of somebody who has not seen the last events of the game."""
        return Command(f"rival of {self.request_id}", self.stream, 1, 1)


def commands(writer: int) -> Iterator[Command]:
    """All that a writer will ever send, in order."""
    versions = [0] * GAMES_PER_WRITER
    for number in count():
        game = number % GAMES_PER_WRITER
        size = 1 + (number + writer) % 3
        yield Command(f"request-{writer}-{number}", f"game-{writer}-{game}", versions[game] + 1, size)
        versions[game] += size


class Writer:
    """Sends its commands one after another, each until it is answered."""

    def __init__(self, number: int, answers: Answers, log: AnswerLog) -> None:
        self._log = log
        self._commands = commands(number)
        self._last: Command | None = None
        self._current = next(self._commands)
        while self._current.request_id in answers.acknowledged:
            self._advance()
        self._owed = self._current.request_id in answers.sent
        self._chance = random.Random(self._current.request_id)

    async def write(self, store: EventStore, stopping: asyncio.Event) -> None:
        if self._last is not None:
            await self._keep(self._last, await store.append(self._last.events(), self._last.request_id))
        while self._owed or not stopping.is_set():
            self._log.send(Sent(self._current.request_id))
            try:
                appended = await store.append(self._current.events(), self._current.request_id)
            except VersionConflict:
                await self._log.keep(Broken(self._current.request_id, "the next version of its game was refused"))
                return
            await self._keep(self._current, appended)
            self._owed = False
            if self._chance.randrange(RIVAL_EVERY) == 0:
                await self._be_refused(store, self._current.rival())
            self._advance()
            await asyncio.sleep(self._chance.uniform(0, PAUSE_SECONDS_MAX))

    def _advance(self) -> None:
        self._last, self._current = self._current, next(self._commands)

    async def _keep(self, command: Command, appended: Appended) -> None:
        digests = tuple(sha256(event.state).hexdigest() for event in command.events())
        places = (appended.position_first, appended.position_last)
        answer = (command.request_id, appended.outcome, command.stream, command.version_first)
        await self._log.keep(Acknowledged(*answer, *places, digests))

    async def _be_refused(self, store: EventStore, rival: Command) -> None:
        try:
            await store.append(rival.events(), rival.request_id)
        except VersionConflict:
            return
        await self._log.keep(Broken(rival.request_id, "a version that exists was accepted"))


async def write_until_told(directory: Path, log_path: Path, writers_count: int, settings: dict[str, str]) -> None:
    """Write until the input is closed, and start the server whenever it is away."""
    stopping = _input_closed()
    log = AnswerLog(log_path)
    server = EmbeddedPostgres(directory, settings, wait_seconds_max=60)
    answered = False
    while not answered:
        await _start(server)
        # Read anew: what the server's death left unanswered is sent again, by writers that start afresh.
        answers = Answers.read(log_path)
        writers = [Writer(number, answers, log) for number in range(writers_count)]
        try:
            await _session(server.url, writers, stopping, durable=settings.get("synchronous_commit") != "off")
            answered = True
        except* _SERVER_AWAY:
            pass
    await asyncio.to_thread(server.stop)
    log.close()


def _input_closed() -> asyncio.Event:
    loop, closed = asyncio.get_running_loop(), asyncio.Event()

    def close() -> None:
        closed.set()
        loop.remove_reader(sys.stdin.fileno())

    loop.add_reader(sys.stdin.fileno(), close)
    return closed


async def _start(server: EmbeddedPostgres) -> None:
    """Start the server, again if it is killed while it starts."""
    for attempt in range(1, STARTS_MAX + 1):
        try:
            await asyncio.to_thread(server.start)
        except EmbeddedPostgresFailed:
            if attempt == STARTS_MAX:
                raise
        else:
            return


async def _session(url: str, writers: list[Writer], stopping: asyncio.Event, *, durable: bool) -> None:
    connection = await asyncpg.connect(url)
    try:
        # Also where the server is careless: it is what is written later that may get lost there.
        await connection.execute("SET synchronous_commit = on")
        await migrate(connection, LANES)
    finally:
        await connection.close()
    store = await EventStore.open(url, durable=durable)
    try:
        async with asyncio.TaskGroup() as group:
            for writer in writers:
                group.create_task(writer.write(store, stopping))
    finally:
        await store.close()


if __name__ == "__main__":
    directory, log_path, writers_count, *settings = sys.argv[1:]
    pairs = dict(setting.split("=", 1) for setting in settings)
    asyncio.run(write_until_told(Path(directory), Path(log_path), int(writers_count), pairs))
