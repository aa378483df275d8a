"""The hints how to play at a server that has just started: a command to type, an address to open."""

import shlex
import shutil
import sys
from pathlib import Path

from cryptography import x509

from services.access.endpoint import Tls

_PROGRAM = "liarsdice"
_EVERY_INTERFACE = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104 - to recognise them, not to listen
"""Addresses on which a server listens and that no browser opens, and what to open instead on the same machine."""
_UNKNOWN = "FILE"
"""Placeholder for a file that only the player has."""


def how_to_play(address: str, tls: Tls | None) -> str:
    """The command that plays at a server, to be typed where this program was started."""
    return shlex.join([_program(), "play", "--server", address, *_tls_flags(tls)])


def page_to_open(url: str) -> str:
    """The address of the page at a server's URL, to be opened on the same machine."""
    scheme, _, address = url.partition("://")
    host, _, port = address.rpartition(":")
    return f"{scheme}://{_EVERY_INTERFACE.get(host, host)}:{port}/"


def _program() -> str:
    """This program as it was called, or only its name if the shell finds it by that."""
    called = Path(sys.argv[0])
    found = shutil.which(_PROGRAM)
    if called.name != _PROGRAM or (found is not None and Path(found).absolute() == called.absolute()):
        return _PROGRAM
    return sys.argv[0]


def _tls_flags(tls: Tls | None) -> list[str]:
    if tls is None:
        return []
    certificate = x509.load_pem_x509_certificates(tls.certificate.read_bytes())[0]
    # A certificate that signs itself is its own authority. For any other, only its owner knows the authority.
    authority = str(tls.certificate) if certificate.issuer == certificate.subject else _UNKNOWN
    own = [] if tls.client_ca is None else ["--tls-certificate", _UNKNOWN, "--tls-key", _UNKNOWN]
    return ["--tls-ca", authority, *own]
