"""The running server of an embedded Postgres, as its `postmaster.pid` and the operating system describe it."""

import os
from pathlib import Path
from typing import NamedTuple

from infra.embedded.files import read_alone
from infra.embedded.host import EmbeddedPostgresFailed
from infra.embedded.sockets import answers, is_missing


class Postmaster(NamedTuple):
    """What a server writes about itself."""

    cluster: Path
    process: int
    sockets: Path
    ready: bool

    @property
    def lives(self) -> bool:
        """Whether the process is this server: its id may belong to another one by now."""
        try:
            # Every user may read this file of every process, and our servers are always started with these words.
            words = Path(f"/proc/{self.process}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return not Path("/proc/self/cmdline").exists() and _exists(self.process)
        return words[1:3] == [b"-D", os.fsencode(self.cluster)]

    @property
    def answers(self) -> bool:
        """Whether the server answers a new connection."""
        return self.ready and answers(self.sockets)

    @property
    def is_cut_off(self) -> bool:
        """Whether the server runs well but nobody can reach it, because its socket was removed. Only a restart helps."""
        return self.ready and is_missing(self.sockets) and self.lives


def postmaster_of(cluster: Path) -> Postmaster | None:
    """What the file `postmaster.pid` says; None if there is none or it is not complete."""
    try:
        # One line each: process, directory, time, port, sockets, address, memory, state.
        process, _, _, _, sockets, *rest = read_alone(cluster / "postmaster.pid").split(b"\n")
        return Postmaster(cluster, int(process), Path(os.fsdecode(sockets)), ready=b"ready" in b"".join(rest[2:]))
    except (FileNotFoundError, ValueError, EmbeddedPostgresFailed):
        return None


def _exists(process: int) -> bool:
    """Whether a process exists, for systems without /proc."""
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True
