"""The server of an embedded Postgres: its store made, its process started, found running, and ended.

Its callers hold the lock that lets one process at a time do any of this.
"""

import fcntl
import os
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from infra.postgres.embedded_host import Account, EmbeddedPostgresFailed, explain, give, let_pass, program

MAJOR_VERSION: Final = "18"
SUPERUSER: Final = "liarsdice"
_SOCKET: Final = ".s.PGSQL.5432"
_SOCKETS_PREFIX: Final = "liarsdice-socket-"
_SOCKETS_PLACE_BYTES_MAX: Final = 60
_LOG_BYTES_MAX: Final = 10_000_000
_PAUSE_SECONDS: Final = 0.01
_ANSWER_SECONDS_MAX: Final = 5.0
_MAY_WE_ENCRYPT: Final = bytes.fromhex("00000008 04d2162f")  # An SSLRequest: a greeting that leaves no line in the log.


class _Postmaster(NamedTuple):
    """What a server writes about itself into its `postmaster.pid`."""

    process: int
    sockets: Path
    ready: bool


class Server:
    """The server of one data directory, as one process sees it while it holds the starting lock."""

    def __init__(self, directory: Path, account: Account, starting_lock: int, wait_seconds_max: float) -> None:
        self.account = account
        self.cluster = directory / "cluster"
        self._directory = directory
        self._starting_lock = starting_lock
        self._wait_seconds_max = wait_seconds_max
        self._log = directory / "postgres.log"
        self._log_start = 0

    def make_cluster(self) -> None:
        """Beside its place, then moved there at once: a cluster that is there is whole."""
        unfinished = self._directory / "cluster.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        password = self._directory / "password"
        self._write_password(password)
        options = [f"--pgdata={unfinished}", f"--username={SUPERUSER}", f"--pwfile={password}", "--auth=scram-sha-256"]
        layout = ["--encoding=UTF8", "--locale=C", "--data-checksums", "--no-instructions"]
        # initdb holds the lock too: should we be killed, nobody starts over before it is gone.
        made = self._run([program("initdb"), *options, *layout], self._starting_lock)
        if made.returncode != 0:
            failure = self._failure(made.stderr.decode(errors="replace"))
            shutil.rmtree(unfinished, ignore_errors=True)
            raise failure
        unfinished.rename(self.cluster)
        _sync(self._directory)

    def run(self, settings: Mapping[str, str]) -> Path:
        """The socket directory of the server that runs already, or of a new one."""
        server = self._answering()
        if server is None:
            sockets = _new_sockets(self.account)
            try:
                self._launch({**settings, "port": "5432", "unix_socket_directories": str(sockets)})
            except (OSError, EmbeddedPostgresFailed):
                _remove_sockets(sockets)
                raise
            server = self._answering(sockets)
            if server is None:
                _remove_sockets(sockets)
                raise self._failure(self._log.read_bytes()[self._log_start :].decode(errors="replace"))
        return server.sockets

    def end(self) -> None:
        """A fast shutdown: sessions are cut, everything committed is on disk and no recovery is needed later."""
        server = self._postmaster()
        # The name of the socket directory is new with each server: if it answers, the process id beside it is right.
        if server is None or not self._runs() or not _answers(server.sockets):
            return
        # As its own account, so that no file in a directory of that account can make root stop anything else.
        self._run([program("pg_ctl"), "stop", "--mode=fast", "--no-wait", f"--pgdata={self.cluster}"])
        deadline = time.monotonic() + self._wait_seconds_max
        while self._runs():
            self._pause_until(deadline, "has not ended")
        _remove_sockets(server.sockets)

    def _answering(self, sockets: Path | None = None) -> _Postmaster | None:
        """The server once it answers, there if we know where, or None once nothing of it runs.

        What is left of a server whose postmaster was killed runs on for a moment and answers nobody.
        """
        deadline = time.monotonic() + self._wait_seconds_max
        while self._runs():
            server = self._postmaster()
            ours = server is not None and sockets in {None, server.sockets}
            if server is not None and ours and server.ready and _answers(server.sockets):
                return server
            self._pause_until(deadline, "is not ready")
        return None

    def _pause_until(self, deadline: float, state: str) -> None:
        if time.monotonic() > deadline:
            raise EmbeddedPostgresFailed(
                f"The Postgres in {self._directory} {state} after {self._wait_seconds_max:g} seconds: "
                f"see what it does in {self._log} and try again."
            )
        time.sleep(_PAUSE_SECONDS)

    def _runs(self) -> bool:
        lock = open_alone(self._directory / "running.lock", self.account)
        try:
            return not take(lock)
        finally:
            os.close(lock)

    def _launch(self, settings: Mapping[str, str]) -> None:
        """Start a server that outlives us; nothing runs here, so what an earlier one left behind is stale."""
        stale = self._clear_stale()
        server: list[str | Path] = [program("postgres"), "-D", self.cluster]
        server += [f"-c{name}={value}" for name, value in settings.items()]
        lock, log = open_alone(self._directory / "running.lock", self.account), self._open_log()
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The shell leaves at once, so that the server is nobody's child and nobody has to wait for it.
            self._run(["/bin/sh", "-c", '"$@" &', "sh", *server], lock, log, stale)
        finally:
            os.close(lock)
            os.close(log)

    def _clear_stale(self) -> dict[str, str]:
        """Remove the sockets that a killed server left, and tell Postgres that its process id means nothing.

        The id may belong to another process by now. Postgres takes one that is its grandparent's for stale, and hears
        from this variable, which pg_ctl sets too, who that is. The file itself stays: from it Postgres learns of shared
        memory still in use, its own guard against two servers on the same data.
        """
        left = self._postmaster()
        if left is None:
            (self.cluster / "postmaster.pid").unlink(missing_ok=True)
            return {}
        _remove_sockets(left.sockets)
        return {"PG_GRANDPARENT_PID": str(left.process)}

    def _run(
        self,
        command: Sequence[str | Path],
        lock: int | None = None,
        output: int = subprocess.PIPE,
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program as the account, out of reach of our Ctrl-C, in an environment without any PG* of the user."""
        switch = os.geteuid() == 0
        try:
            return subprocess.run(  # noqa: S603 - every word of the command is ours.
                command,
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd="/",
                env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC", **(environment or {})},
                umask=0o077,
                start_new_session=True,
                pass_fds=() if lock is None else (lock,),
                user=self.account.user if switch else None,
                group=self.account.group if switch else None,
                extra_groups=[] if switch else None,
            )
        except OSError as error:
            raise EmbeddedPostgresFailed(
                f"The user {self.account.name} can't run {command[0]} ({error.strerror}): "
                f"let everybody read and execute the programs beside it."
            ) from None

    def _write_password(self, path: Path) -> None:
        file = open_alone(path, self.account)
        try:
            os.ftruncate(file, 0)
            os.write(file, secrets.token_urlsafe(32).encode())
            os.fsync(file)
        finally:
            os.close(file)

    def _open_log(self) -> int:
        if self._log.exists() and self._log.stat().st_size > _LOG_BYTES_MAX:
            self._log.rename(self._log.with_suffix(".log.1"))
        log = open_alone(self._log, self.account)
        self._log_start = os.fstat(log).st_size
        return log

    def _postmaster(self) -> _Postmaster | None:
        """What the file says, if it is whole: process, directory, time, port, sockets, address, memory, state."""
        try:
            process, _, _, _, sockets, *rest = (self.cluster / "postmaster.pid").read_bytes().split(b"\n")
            return _Postmaster(int(process), Path(os.fsdecode(sockets)), ready=b"ready" in b"".join(rest[2:]))
        except (FileNotFoundError, ValueError):
            return None

    def _failure(self, said: str) -> EmbeddedPostgresFailed:
        """The sentence for the first complaint of a Postgres program; those after it are mostly its consequences."""
        complaints = re.findall(r"(?:FATAL|PANIC|error):\s+(.+)", said) or said.strip().splitlines()
        return explain(str(complaints[0] if complaints else "it ended without a word"), self._directory, self.account)


def open_alone(path: Path, account: Account) -> int:
    """A file of the account's own; no link is followed, because root may be opening in a directory of somebody else."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    give(file, account)
    return file


def take(lock: int) -> bool:
    """Take the lock for ourselves alone, if nobody has it."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _new_sockets(account: Account) -> Path:
    """A directory for the sockets, private and, wherever the data are, short: a socket's path has 100 bytes or so."""
    try:
        place = tempfile.gettempdir()
        place = place if len(os.fsencode(place)) <= _SOCKETS_PLACE_BYTES_MAX else "/tmp"  # noqa: S108 - mkdtemp is safe.
        directory = Path(tempfile.mkdtemp(prefix=_SOCKETS_PREFIX, dir=place))
        give(directory, account)
    except OSError as error:
        raise EmbeddedPostgresFailed(
            f"There is no place for the socket of Postgres ({error.strerror}): "
            f"make the directory for temporary files writable or name another in TMPDIR."
        ) from None
    let_pass(account, directory)
    return directory


def _remove_sockets(directory: Path) -> None:
    """Only what a server puts there, and nothing elsewhere, wherever the file that names the directory points to."""
    if not directory.name.startswith(_SOCKETS_PREFIX):
        return
    with suppress(OSError):
        (directory / _SOCKET).unlink(missing_ok=True)
        (directory / f"{_SOCKET}.lock").unlink(missing_ok=True)
        directory.rmdir()


def _answers(sockets: Path) -> bool:
    """Whether a word comes back: the socket of a server that is just being killed still takes connections."""
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(_ANSWER_SECONDS_MAX)
        try:
            caller.connect(str(sockets / _SOCKET))
            caller.sendall(_MAY_WE_ENCRYPT)
            return caller.recv(1) == b"N"
        except OSError:
            return False


def _sync(directory: Path) -> None:
    """Make a rename in the directory survive a power cut."""
    file = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
