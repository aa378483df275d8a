"""The server of an embedded Postgres: making its store, starting its process, finding it running, and ending it.

The caller must hold `starting.lock`, so that only one process at a time does any of this.
"""

import fcntl
import os
import re
import secrets
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import Final

from infra.embedded.files import open_alone, read_alone, sync, take, write_alone
from infra.embedded.host import Account, EmbeddedPostgresFailed, explain, program
from infra.embedded.postmaster import Postmaster, postmaster_of
from infra.embedded.sockets import ready_sockets, remove_noted_sockets, remove_sockets

MAJOR_VERSION: Final = "18"
SUPERUSER: Final = "liarsdice"
_LOG_BYTES_MAX: Final = 10_000_000
_PAUSE_SECONDS: Final = 0.01
_BAD_PASSWORD: Final = re.compile(r"[^!-~]|^$")


class NotInTime(EmbeddedPostgresFailed):
    """The server takes longer than we wait."""


def check_not_given_up(given_up: Event, directory: Path) -> None:
    """Raise if the start was given up. Every wait of a start that may take long calls this."""
    if given_up.is_set():
        raise EmbeddedPostgresFailed(f"The start of the Postgres in {directory} was given up: start it again.")


class Server:
    """The server of one data directory, as one process sees it while it holds the starting lock."""

    def __init__(
        self, directory: Path, account: Account, starting_lock: int, wait_seconds_max: float, given_up: Event
    ) -> None:
        self.account = account
        self.cluster = directory / "cluster"
        self._directory = directory
        self._starting_lock = starting_lock
        self._wait_seconds_max = wait_seconds_max
        self._given_up = given_up
        self._log = directory / "postgres.log"
        self._log_start = 0

    def make_cluster(self) -> None:
        """Make the store. initdb works beside its place, and a rename moves it there: so `cluster` is always complete."""
        unfinished = self._directory / "cluster.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        password = self._directory / "password"
        write_alone(password, secrets.token_urlsafe(32).encode(), self.account)
        options = [f"--pgdata={unfinished}", f"--username={SUPERUSER}", f"--pwfile={password}", "--auth=scram-sha-256"]
        layout = ["--encoding=UTF8", "--locale=C", "--data-checksums", "--no-instructions"]
        # initdb inherits the lock: if we are killed, no other process begins again before initdb has ended.
        made = self._run([program("initdb"), *options, *layout], self._starting_lock)
        if made.returncode != 0:
            failure = self._failure(made.stderr.decode(errors="replace") if made.returncode > 0 else "")
            shutil.rmtree(unfinished, ignore_errors=True)
            raise failure
        unfinished.rename(self.cluster)
        sync(self._directory)

    def password(self) -> str:
        """The superuser's password from its file; the cluster has only a hash of it."""
        path = self._directory / "password"
        try:
            password = read_alone(path).decode("ascii", "replace")
        except FileNotFoundError:
            password = ""
        if _BAD_PASSWORD.search(password):
            raise EmbeddedPostgresFailed(
                f"The password of the store is not in {path}: restore that file from a backup of the data directory."
            )
        return password

    def run(self, settings: Mapping[str, str]) -> Path:
        """The socket directory of the server that runs already, or of a new one."""
        server = self._answering()
        if server is None:
            sockets = ready_sockets(self._directory, self.account)
            try:
                self._launch({**settings, "port": "5432", "unix_socket_directories": str(sockets)})
            except (OSError, EmbeddedPostgresFailed):
                remove_sockets(sockets, self.account)
                raise
            server = self._answering(sockets)
            if server is None:
                remove_sockets(sockets, self.account)
                raise self._failure(read_alone(self._log, self._log_start).decode(errors="replace"))
        return server.sockets

    def end(self) -> None:
        """End the server by a fast shutdown: it cuts its sessions and leaves a store that needs no recovery."""
        deadline = time.monotonic() + self._wait_seconds_max
        asked = None
        while self._runs():
            server = postmaster_of(self.cluster)
            if server is not None and server.process != asked and server.lives:
                # pg_ctl reads the process id from a file that the account can change. It runs as the account, because
                # as root it could be tricked into stopping any process.
                self._run([program("pg_ctl"), "stop", "--mode=fast", "--no-wait", f"--pgdata={self.cluster}"])
                asked = server.process
            self._pause_until(deadline, "has not ended")
        remove_noted_sockets(self._directory, self.account)

    def _answering(self, sockets: Path | None = None) -> Postmaster | None:
        """Wait until the server answers, at `sockets` if given, and return it; None once no part of it runs.

        When a postmaster is killed, its backends run on for a moment and answer nobody: then this waits for their end.
        """
        deadline = time.monotonic() + self._wait_seconds_max
        while self._runs():
            server = postmaster_of(self.cluster)
            if server is not None and sockets in {None, server.sockets}:
                if server.answers:
                    return server
                if server.is_cut_off:
                    self.end()
                    return None
            check_not_given_up(self._given_up, self._directory)
            self._pause_until(deadline, "is not ready")
        return None

    def _pause_until(self, deadline: float, state: str) -> None:
        if time.monotonic() > deadline:
            raise NotInTime(
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
        """Start a server that outlives us. No server runs here, so what an earlier one left behind is stale."""
        stale = self._clear_stale()
        server: list[str | Path] = [program("postgres"), "-D", self.cluster]
        server += [f"-c{name}={value}" for name, value in settings.items()]
        lock, log = open_alone(self._directory / "running.lock", self.account), self._open_log()
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The shell ends at once, so the server is not our child and we don't have to wait for it.
            self._run(["/bin/sh", "-c", '"$@" &', "sh", *server], lock, log, stale)
        finally:
            os.close(lock)
            os.close(log)

    def _clear_stale(self) -> dict[str, str]:
        """The environment that makes Postgres ignore the process id which a killed server left behind.

        Another process may have that id by now, and Postgres would refuse to start beside it. But Postgres treats the id
        of its own grandparent as stale, and takes that id from this variable, which pg_ctl sets too. The file itself must
        stay: in it Postgres finds shared memory that is still in use, its own guard against two servers on one store.
        """
        left = postmaster_of(self.cluster)
        if left is None:
            (self.cluster / "postmaster.pid").unlink(missing_ok=True)
            return {}
        return {"PG_GRANDPARENT_PID": str(left.process)}

    def _run(
        self,
        command: Sequence[str | Path],
        lock: int | None = None,
        output: int = subprocess.PIPE,
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program as the account, in a session that our Ctrl-C does not reach, without the user's PG* variables."""
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
                f"allow all users to read and execute the programs beside it."
            ) from None

    def _open_log(self) -> int:
        if self._log.exists() and self._log.stat().st_size > _LOG_BYTES_MAX:
            self._log.rename(self._log.with_suffix(".log.1"))
        log = open_alone(self._log, self.account)
        self._log_start = os.fstat(log).st_size
        return log

    def _failure(self, said: str) -> EmbeddedPostgresFailed:
        """The failure for the first complaint of a Postgres program; later complaints are mostly consequences of it."""
        complaints = re.findall(r"(?:FATAL|PANIC|error):\s+(.+)", said) or [
            # A line in another form than Postgres' log comes from the shell or the loader: Postgres did not even start.
            line
            for line in said.strip().splitlines()
            if not re.search(r"\b[A-Z]+:  ", line)
        ]
        return explain(str(complaints[0]) if complaints else "", self._directory, self.account)
