"""Where a service listens, as a flag says it, and who can reach it there."""

import ipaddress
from pathlib import Path

from domain.values import Value
from services.failure import CommandFailed

_PORT_MAX = 65_535


class Tls(Value, frozen=True):
    """The certificate that the server shows, and whose clients' certificates it asks for."""

    certificate: Path
    key: Path
    client_ca: Path | None = None


def host_and_port(address: str, flag: str = "--listen") -> tuple[str, int]:
    """The two parts of an address; an IPv6 address stands in brackets and keeps them."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > _PORT_MAX:
        raise CommandFailed(f"{flag} takes HOST:PORT, not {address}")
    return host, int(port)


def check_reachable(host: str, tls: Tls | None, *, plaintext_anywhere: bool) -> None:
    """Refuse to be reached from outside of this machine without TLS, unless that is asked for."""
    if tls is None and not plaintext_anywhere and not is_loopback(host):
        raise CommandFailed(
            f"without TLS the server listens on loopback only, not on {host}: give --tls-certificate and --tls-key,"
            " or --plaintext if something in front of it does TLS"
        )


def is_loopback(host: str) -> bool:
    """Whether nobody outside of this machine can reach a host's address."""
    if host == "localhost" or host.startswith("unix"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
