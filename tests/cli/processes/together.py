"""A real server of several processes, and a look at them from outside: which there are, and who is connected to which."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import grpc

from services.client import Client
from tests.infra.postgres.databases import folder_for_a_server, new_database
from tests.rpc.servers import Player
from tests.servers import ServerProcess

SECONDS_MAX = 60.0
_LISTENING, _ESTABLISHED = "0A", "01"
_PROC = Path("/proc")


class ServerOfTwo(ServerProcess):
    """A server of two processes."""

    def __init__(self, url: str, folder: str, *flags: str) -> None:
        self.url = url
        self.log = Path(folder) / "server.log"
        super().__init__(url, folder, 0.0, "--processes", "2", *flags, log=self.log)

    def said(self) -> str:
        """What it says when it serves, after its addresses."""
        assert self.process.stdout is not None
        lines = [self.process.stdout.readline()]
        while "processes share the ports" not in lines[-1]:
            lines.append(self.process.stdout.readline())
        return "".join(lines)

    @property
    def games(self) -> list[int]:
        """The processes that serve games."""
        return [pid for pid in descendants(self.process.pid) if self._sockets(pid, _LISTENING)]

    def callers(self, pid: int) -> set[str]:
        """Where the connections come from that a process has over gRPC."""
        return self._sockets(pid, _ESTABLISHED)

    def two_again(self, *gone: int) -> list[int]:
        """The two processes that serve games, once there are two of them and others than these."""
        until(lambda: len(games := self.games) == 2 and not {*games} & {*gone})
        return self.games

    def _sockets(self, pid: int, state: str) -> set[str]:
        owned = set[str]()
        with suppress(OSError):
            for path in (_PROC / str(pid) / "fd").iterdir():
                with suppress(OSError):
                    owned.add(path.readlink().name.removeprefix("socket:[").removesuffix("]"))
        port = f":{int(self.address.rpartition(':')[2]):04X}"
        rows = [row.split() for name in ("tcp", "tcp6") for row in (_PROC / "net" / name).read_text().splitlines()[1:]]
        return {row[2] for row in rows if row[1].endswith(port) and row[3] == state and row[9] in owned}


@contextmanager
def server_of_two(*flags: str, lanes: int = 2) -> Iterator[ServerOfTwo]:
    """A server of two processes on a database of its own."""
    with folder_for_a_server() as folder:
        server = ServerOfTwo(new_database(lanes=lanes), folder, *flags)
        try:
            yield server
        finally:
            if server.process.poll() is None:
                server.end()
                until(lambda: not server.games)


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, and those that they have started."""
    parents = dict[int, int]()
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found = [child for child, parent in parents.items() if parent == pid]
    return [*found, *(further for child in found for further in descendants(child))]


def lives(pid: int) -> bool:
    """Whether there is such a process, and it has not ended."""
    try:
        return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(what: Callable[[], object], seconds: float = SECONDS_MAX) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


@contextmanager
def connections_of_their_own() -> Iterator[None]:
    """Each channel has a connection of its own. Channels of one process would share one."""
    open_channel = grpc.aio.insecure_channel

    def opened(address: str, options: Any = ()) -> grpc.aio.Channel:
        return open_channel(address, options=(*options, ("grpc.use_local_subchannel_pool", 1)))

    with patch.object(grpc.aio, "insecure_channel", opened):
        yield


async def player_at(server: ServerOfTwo, pid: int, token: str = "", player_id: str = "") -> Player:
    """Somebody whose connection is to this process; a new player without a token."""
    while True:
        channel = grpc.aio.insecure_channel(server.address)
        before = server.callers(pid)
        await Player(channel).ask("ListRulebooks")
        if server.callers(pid) - before:
            break
        await channel.close()
    if token:
        return Player(channel, token, player_id)
    answer = await Player(channel).ask("Register", name="Ann")
    return Player(channel, answer.token, answer.player.player_id)


async def client_at(server: ServerOfTwo, pid: int, name: str) -> Client:
    """A client of the library that begins with a connection to this process."""
    while True:
        client = Client.connect(server.address)
        before = server.callers(pid)
        await client.rulebooks()
        if server.callers(pid) - before:
            await client.register(name)
            return client
        await client.close()


def shared_memory_of_programs() -> set[str]:
    """The pieces of shared memory on this machine, without those of Postgres, which tests beside this one start too."""
    folder = Path("/dev/shm")  # noqa: S108 - it is looked at
    return (
        {path.name for path in folder.iterdir() if not path.name.startswith("PostgreSQL.")}
        if folder.is_dir()
        else set()
    )
