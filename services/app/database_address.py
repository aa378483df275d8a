"""Checks the address of a database before anything connects to it.

If a password contains a sign that should have been percent-encoded, parts of the password are read as the port, the
path or the query. An error message about the port would then show a part of the password. So we refuse such an address
as a whole, with a sentence that quotes nothing of it.
"""

import re
from urllib.parse import SplitResult, parse_qs, urlsplit

from infra.failure import CommandFailed

DATABASE_VARIABLE = "DATABASE_URL"
MALFORMED = (
    f"{DATABASE_VARIABLE} has to look like postgresql://user:password@host:5432/name, "
    f"and signs such as @ : / ? # in a password have to be percent-encoded, as %40 for @"
)
_PORT_OUT_OF_RANGE = f"the port in {DATABASE_VARIABLE} is not a number from 1 to 65535"
_PORT_MAX = 65_535
_HOST = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[^\[\]:]*)(?::(\d*))?")


class AddressRefused(CommandFailed):
    """The address of the database is wrong."""

    def __init__(self, problem: str = MALFORMED) -> None:
        super().__init__(f"the database can't be used: {problem}")


def check_address(url: str) -> None:
    """Refuse an address that can't be right. An address that passes may still lead nowhere."""
    ports = _ports(url)
    if ports is None:
        raise AddressRefused
    if not all(1 <= int(port) <= _PORT_MAX for port in ports):
        raise AddressRefused(_PORT_OUT_OF_RANGE)


def _ports(url: str) -> list[str] | None:
    """All ports in an address, or None if this is not an address."""
    try:
        parts = urlsplit(url)
        # In a correct address the only @ is the one after the password, and there is no #.
        if parts.scheme not in {"postgresql", "postgres"} or "#" in url or url.count("@") != parts.netloc.count("@"):
            return None
        named = parse_qs(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)).get("port", [])
    except ValueError:
        return None
    hosts = _hosts(parts)
    if hosts is None or not all(port.isascii() and port.isdigit() for text in named for port in text.split(",")):
        return None
    return [port for _, port in hosts if port] + [port for text in named for port in text.split(",")]


def _hosts(parts: SplitResult) -> list[tuple[str, str]] | None:
    """The hosts with their ports; there may be several, separated by commas."""
    *user, hosts = parts.netloc.split("@")
    matches = [_HOST.fullmatch(host) for host in hosts.split(",")]
    if len(user) > 1 or not all(matches):
        return None
    return [(match[1], match[2] or "") for match in matches if match]
