"""The address that a service listens on, as a flag names it, and who can reach it there."""

import ipaddress
import ssl
from pathlib import Path

from domain.values import Value
from infra.failure import CommandFailed

_PORT_MAX = 65_535


class Tls(Value, frozen=True):
    """The certificate of the server, and the authority whose client certificates it asks for."""

    certificate: Path
    key: Path
    client_ca: Path | None = None


def host_and_port(address: str, flag: str = "--listen") -> tuple[str, int]:
    """The host and the port of an address; an IPv6 address stands in brackets and keeps them."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > _PORT_MAX:
        raise CommandFailed(f"{flag} takes HOST:PORT, not {address}")
    return host, int(port)


def check_reachable(host: str, tls: Tls | None, *, plaintext_anywhere: bool) -> None:
    """Refuse an address that other machines can reach without TLS, unless the flag allows it; refuse TLS that can't work."""
    if tls is None and not plaintext_anywhere and not is_loopback(host):
        raise CommandFailed(
            f"without TLS the server listens on loopback only, not on {host}: give --tls-certificate and --tls-key,"
            " or --plaintext if something in front of it does TLS"
        )
    if tls is not None:
        _check_certificate(tls)


def _check_certificate(tls: Tls) -> None:
    """Refuse files that make no working TLS, before the server listens."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    for path in (tls.certificate, tls.key, tls.client_ca):
        _check_readable(path)
    try:
        # With a key that needs a password, the process would wait for somebody to type it.
        context.load_cert_chain(tls.certificate, tls.key, password=lambda: b"")
    except (ssl.SSLError, ValueError):
        raise CommandFailed(
            f"the certificate in {tls.certificate} and the key in {tls.key} don't fit: both must be PEM, the key must have"
            " no password, and the certificate must be for this key"
        ) from None
    if tls.client_ca is not None:
        try:
            context.load_verify_locations(tls.client_ca)
        except ssl.SSLError:
            raise CommandFailed(f"there is no certificate of an authority, as PEM, in {tls.client_ca}") from None


def _check_readable(path: Path | None) -> None:
    try:
        if path is not None:
            path.read_bytes()
    except OSError as error:
        raise CommandFailed(f"can't read {path}: {error.strerror}") from None


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host's address."""
    if host == "localhost" or host.startswith("unix"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
