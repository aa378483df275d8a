"""Flags of the commands that call a server."""

import argparse
import os
from pathlib import Path

from infra.failure import CommandFailed
from services.client import Tls

SERVER_VARIABLE = "LIARSDICE_SERVER"
SERVER_DEFAULT = "127.0.0.1:50051"


def add_server_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say which server to call, and as which player."""
    parser.add_argument(
        "--server",
        default=os.environ.get(SERVER_VARIABLE) or SERVER_DEFAULT,
        metavar="HOST:PORT",
        help=f"the address of the server (default: {SERVER_VARIABLE}, or {SERVER_DEFAULT})",
    )
    parser.add_argument("--name", help="your name at the table (default: the last one, or the name of your account)")
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="the file that remembers your tokens; the chains of your seats are kept beside it",
    )
    add_tls_flags(parser)


def add_tls_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say how to connect."""
    parser.add_argument(
        "--tls", action="store_true", help="connect with TLS, and trust the authorities that the system trusts"
    )
    parser.add_argument("--tls-ca", type=Path, metavar="FILE", help="connect with TLS, and trust this authority")
    parser.add_argument(
        "--tls-certificate", type=Path, metavar="FILE", help="the certificate to show to a server that asks, as PEM"
    )
    parser.add_argument("--tls-key", type=Path, metavar="FILE", help="its private key, as PEM")


def tls_of(arguments: argparse.Namespace) -> Tls | None:
    """How to connect; None for a connection without TLS."""
    if bool(arguments.tls_certificate) != bool(arguments.tls_key):
        raise CommandFailed("--tls-certificate and --tls-key belong together")
    if not (arguments.tls or arguments.tls_ca or arguments.tls_key):
        return None
    for path in (arguments.tls_ca, arguments.tls_certificate, arguments.tls_key):
        if path is not None and not os.access(path, os.R_OK):
            raise CommandFailed(f"can't read {path}")
    return Tls(arguments.tls_ca, arguments.tls_certificate, arguments.tls_key)
