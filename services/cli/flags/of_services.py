"""Flags that the services share: certificates, limits, who may sign tokens, and where HTTP may be called from."""

import argparse
import re
from pathlib import Path

from infra.failure import CommandFailed
from services.access.endpoint import Tls
from services.access.identity import TrustedIssuer
from services.cli.flags.values import rate

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")


def add_tls(parser: argparse.ArgumentParser) -> None:
    """Flags about how callers are spoken to."""
    parser.add_argument(
        "--tls-certificate", type=Path, metavar="FILE", help="the certificate that the server shows, as PEM"
    )
    parser.add_argument("--tls-key", type=Path, metavar="FILE", help="its private key, as PEM")
    parser.add_argument(
        "--tls-client-ca", type=Path, metavar="FILE", help="ask clients for a certificate of this authority"
    )
    parser.add_argument("--plaintext", action="store_true", help="listen without TLS also beyond loopback")


def add_rates(parser: argparse.ArgumentParser) -> None:
    """Flags about how fast callers may be."""
    parser.add_argument(
        "--player-rate",
        type=rate,
        default=200.0,
        help="calls a second for each player, 0 for no limit (default: %(default)s)",
    )
    parser.add_argument(
        "--address-rate",
        type=rate,
        default=2_000.0,
        help="calls a second for each address, 0 for no limit (default: %(default)s)",
    )


def add_issuer(parser: argparse.ArgumentParser) -> None:
    """Flags about tokens of others."""
    parser.add_argument(
        "--jwks", type=Path, metavar="FILE", help="also accept tokens signed with one of these public keys"
    )
    parser.add_argument("--jwt-issuer", metavar="NAME", help="who must have issued them")
    parser.add_argument(
        "--jwt-audience", default="liarsdice", metavar="NAME", help="for whom they must be (default: %(default)s)"
    )


def add_cors(parser: argparse.ArgumentParser) -> None:
    """The flag about pages of others."""
    parser.add_argument(
        "--cors-origin",
        action="append",
        type=origin,
        default=[],
        metavar="ORIGIN",
        help="let pages of this origin, like https://example.com, read over HTTP; * for all; may be given several times",
    )


def origin(text: str) -> str:
    """A flag that is an origin, written as browsers send it, because it is compared letter by letter."""
    if text != "*" and not _ORIGIN.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"an origin such as https://example.com or http://localhost:3000 in small letters, or * for all, is needed, not {text!r}"
        )
    return text


def tls_of(arguments: argparse.Namespace) -> Tls | None:
    """The certificate to show, if there is one."""
    if bool(arguments.tls_certificate) != bool(arguments.tls_key):
        raise CommandFailed("--tls-certificate and --tls-key belong together")
    if arguments.tls_client_ca and not arguments.tls_certificate:
        raise CommandFailed("--tls-client-ca needs --tls-certificate and --tls-key")
    return Tls(arguments.tls_certificate, arguments.tls_key, arguments.tls_client_ca) if arguments.tls_key else None


def issuer_of(arguments: argparse.Namespace) -> TrustedIssuer | None:
    """Who else may say who a player is."""
    if bool(arguments.jwks) != bool(arguments.jwt_issuer):
        raise CommandFailed("--jwks and --jwt-issuer belong together")
    return TrustedIssuer(arguments.jwks, arguments.jwt_issuer, arguments.jwt_audience) if arguments.jwks else None
