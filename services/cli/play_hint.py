"""The hint how to play at a server that has just started: a command to type."""

import shlex
import shutil
import sys
from pathlib import Path

from cryptography import x509

from services.access.endpoint import Tls

_PROGRAM = "liarsdice"
_UNKNOWN = "FILE"
"""Placeholder for a file that only the player has."""


def how_to_play(address: str, tls: Tls | None) -> str:
    """The command that plays at a server, to be typed where this program was started."""
    return shlex.join([_program(), "play", "--server", address, *_tls_flags(tls)])


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
