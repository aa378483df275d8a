"""Real servers for tests: in this process, or as a process of its own that can be killed and started again."""

import asyncio
import atexit
import os
import signal
import socket
import subprocess
import sys
from base64 import b64encode
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

from msgspec.structs import replace

from domain.views import view
from infra.keys.key_ring import Key, KeyRing
from infra.keys.log_keys import SignerRing
from services.access.identity import TrustedIssuer
from services.app import wiring
from services.app.settings import Settings
from services.app.wiring import Serving, serving
from tests.infra.postgres.databases import folder_for_a_server, new_database

Result = TypeVar("Result")
ROOT = Path(__file__).parents[1]
_KEY = b"k" * 32
KEYS = KeyRing([Key(_KEY)])
_LOG_KEY = b"l" * 32
LOG_KEYS = SignerRing("liarsdice", [_LOG_KEY])
KEYS_ENVIRONMENT = {
    "LIARSDICE_KEYS": b64encode(_KEY).decode(),
    "LIARSDICE_LOG_KEYS": b64encode(_LOG_KEY).decode(),
}
SETTINGS = Settings(sweep_seconds=0.05, grace_seconds=1.0)
SHARED_SETTINGS = replace(SETTINGS, http="127.0.0.1:0")
SECONDS_MAX = 60
_SHARED: list[Serving] = []


@cache
def _database() -> str:
    """The database of the shared server: the games and players of its tests have nothing to do with each other."""
    return new_database(lanes=2)


@cache
def _loop() -> asyncio.Runner:
    """The event loop of the shared server and of the stories that use it. Between two stories it stands still."""
    loop = asyncio.Runner()
    atexit.register(loop.close)
    return loop


def run(story: Coroutine[Any, Any, Result]) -> Result:
    """The result of a story that uses the shared server."""
    assert _database()  # Made here, because nothing can wait for it inside of the loop.
    return _loop().run(story)


async def shared_server() -> Serving:
    """The server that most tests of a process share.

    A test that changes or ends its server has one of its own, on another database: this one may hold locks of its own
    while it stands still.
    """
    assert asyncio.get_running_loop() is _loop().get_loop(), "the shared server is used inside of `run` only"
    if not _SHARED:
        stack = AsyncExitStack()
        _SHARED.append(await stack.enter_async_context(serving(_database(), KEYS, LOG_KEYS, SHARED_SETTINGS)))
        atexit.register(lambda: _loop().run(stack.aclose()))
    return _SHARED[0]


async def _nothing_prepared(_app: object) -> None:
    """A schema is made when somebody asks for it: making it in advance takes six times as long as starting a server."""


@asynccontextmanager
async def served(
    url: str | None = None, settings: Settings | None = None, issuer: TrustedIssuer | None = None
) -> AsyncIterator[Serving]:
    """A server in this process, the shared one if no database is named; a minute with it is enough for every story."""
    async with asyncio.timeout(SECONDS_MAX), AsyncExitStack() as stack:
        if url is None:
            yield await shared_server()
        else:
            with patch.object(wiring, "prepare", _nothing_prepared):
                starting = serving(url, KEYS, LOG_KEYS, settings or SETTINGS, issuer)
                running = await stack.enter_async_context(starting)
            yield running


def free_ports(number: int) -> list[int]:
    """Ports of loopback that nobody uses, all different."""
    with ExitStack() as stack:
        taken = [stack.enter_context(socket.socket()) for _ in range(number)]
        for one in taken:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in taken]


async def projected(serving: Serving, game_id: str, *, over: bool = True) -> None:
    """Wait until the read models have a game: its end, or at least all who sit there now."""
    state, _ = await serving.host.games.load(game_id)
    seen = view(state, None)
    found = ["games_v1.games WHERE game_id = $1 AND cardinality(player_ids) = $2"]
    if over:
        found = [f"{found[0]} AND ended_at IS NOT NULL"]
        found += [f"{table} WHERE game_id = $1 AND $2 > 0" for table in ("history_v2.records", "replays_v1.replays")]
    for where in found:
        count = f"SELECT count(*) FROM {where}"  # noqa: S608 - a table of ours
        while not await serving.archive.pool.fetchval(count, game_id, len(seen.seats) if seen else 0):  # noqa: ASYNC110 - it is asked
            await asyncio.sleep(0.02)


class ServerProcess:
    """A server that is a process of its own, always on the same port."""

    def __init__(self, url: str, folder: str, bot_seconds: float, *flags: str, log: Path | None = None) -> None:
        self.environment = {
            **os.environ,
            **KEYS_ENVIRONMENT,
            "DATABASE_URL": url,
            "PYTHONPATH": f"{ROOT}:{ROOT / 'proto' / 'gen'}",
        }
        self._arguments = ("--data", folder, "--bot-seconds", str(bot_seconds), *flags)
        self._log = log or Path(os.devnull)
        self.address, self.http = "127.0.0.1:0", "127.0.0.1:0"
        self.start()

    def start(self) -> None:
        """Start it, and wait until it serves."""
        command = [
            sys.executable,
            "-m",
            "services.cli",
            "serve",
            "--listen",
            self.address,
            "--http",
            self.http,
            *self._arguments,
        ]
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                command, env=self.environment, stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("serving gRPC"), line
        self.address = line.split()[-1]
        if "--no-http" not in self._arguments:
            line = self.process.stdout.readline()
            assert line.startswith("serving HTTP"), line
            self.http = line.split()[-1].removeprefix("http://")

    def end(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Kill it, or ask it to go, and wait until it is gone."""
        self.process.send_signal(number)
        self.process.communicate(timeout=SECONDS_MAX)


@contextmanager
def server_process(bot_seconds: float = 0.0, *, http: bool = False) -> Iterator[ServerProcess]:
    """A server process on a database of its own, for those who call it over gRPC, and over HTTP if they say so."""
    with folder_for_a_server() as folder:
        server = ServerProcess(new_database(lanes=2), folder, bot_seconds, *(() if http else ("--no-http",)))
        try:
            yield server
        finally:
            if server.process.poll() is None:
                server.end()
