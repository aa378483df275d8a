"""The cap on gRPC connections of one address.

gRPC has a cap on all connections together and none on those of one address, so one machine could take all places. It
tells nobody about a connection and can't be asked to close one. So we look at the sockets of our own process: of an
address that has too many, the newest are shut down, which gRPC takes for a caller that hung up.
"""

import asyncio
import os
import socket
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

from services.access.address import limit_key

CHECK_SECONDS = 1.0
_LISTED = Path("/dev/fd")
"""Where the system lists the descriptors of this process. Where it does not, there is no cap."""

_FAMILIES = (socket.AF_INET, socket.AF_INET6)
_Peer = tuple[str, int]


class ConnectionCap:
    """Shuts down connections to a port if one address has too many of them."""

    def __init__(self, port: int, per_address_max: int) -> None:
        self._port, self._per_address_max = port, per_address_max
        self._known: dict[_Peer, None] = {}
        """The peers at the last check, in the order in which they came."""

    async def run(self) -> None:
        """Check again and again, until the task is cancelled."""
        while self._per_address_max:
            await asyncio.sleep(CHECK_SECONDS)
            with suppress(OSError):
                # Few descriptors can't be too many connections, and then there is nothing to look at.
                if len(_descriptors()) > self._per_address_max:
                    await asyncio.to_thread(self.check)

    def check(self) -> None:
        """Shut down what is too much."""
        found = {peer: one for one in _descriptors() if (peer := self._peer_of(one)) is not None}
        self._known = {peer: None for peer in (*self._known, *found) if peer in found}
        peers_of: defaultdict[str, list[_Peer]] = defaultdict(list)
        for peer in self._known:
            peers_of[limit_key(peer[0])].append(peer)
        for peers in peers_of.values():
            for peer in peers[self._per_address_max :]:
                self._peer_of(found[peer], shut_down=peer)

    def _peer_of(self, descriptor: int, shut_down: _Peer | None = None) -> _Peer | None:
        """The peer of a connection to our port, which is shut down if it is this one; None for all other descriptors."""
        with suppress(OSError), _copy_of(descriptor) as connection:
            is_ours = connection.family in _FAMILIES and connection.getsockname()[1] == self._port
            if is_ours and not connection.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                host, port, *_ = connection.getpeername()
                if shut_down == (host, port):
                    connection.shutdown(socket.SHUT_RDWR)
                return host, port
        return None


def _descriptors() -> list[int]:
    return [int(path.name) for path in _LISTED.iterdir()]


def _copy_of(descriptor: int) -> socket.socket:
    """A socket with a descriptor of its own, because gRPC may close the original at any moment."""
    copied = os.dup(descriptor)
    try:
        return socket.socket(fileno=copied)
    except OSError:
        os.close(copied)  # It is a file, or something else that is no socket.
        raise
