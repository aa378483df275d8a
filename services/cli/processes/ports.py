"""Ports that several processes of this server listen on together, and nobody else.

The kernel shares a port only between sockets that all ask for it, and then every process of this user could join. So the
supervisor first takes the port alone, which fails if anybody has it, a server of several processes too. Only then it lets others
join. Its own socket never listens: it keeps the port while processes come and go, and gets no connection.
"""

import socket

from infra.failure import CommandFailed
from services.access.endpoint import host_and_port


class ReservedPort:
    """A port that is reserved until it is closed."""

    def __init__(self, address: str, flag: str = "--listen") -> None:
        """With port 0 the system chooses one, the same for all processes."""
        host, port = host_and_port(address, flag)
        try:
            family, kind, protocol, _, place = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0]
            self._socket = socket.socket(family, kind, protocol)
            try:
                # Connections of a server that has just ended are no obstacle.
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                self._socket.bind(place)
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            except OSError:
                self._socket.close()
                raise
        except OSError:
            raise CommandFailed(f"can't listen on {address}: is the port taken?") from None
        self.address = f"{host}:{self._socket.getsockname()[1]}"

    def close(self) -> None:
        """Leave the port to others."""
        self._socket.close()
