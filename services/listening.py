"""Where a service listens, as the flag `--listen` says it."""

from services.failure import CommandFailed

_PORT_MAX = 65_535


def host_and_port(address: str) -> tuple[str, int]:
    """The two parts of an address; an IPv6 address stands in brackets and keeps them."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > _PORT_MAX:
        raise CommandFailed(f"--listen takes HOST:PORT, not {address}")
    return host, int(port)
