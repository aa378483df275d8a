"""Flags of the commands that serve: address, certificates, limits, issuers of tokens, and origins of pages."""

import argparse
import os
import re
from pathlib import Path

from infra.failure import CommandFailed
from services.access.connections import PER_ADDRESS_MAX
from services.access.endpoint import Tls
from services.access.identity import TrustedIssuer
from services.cli.flags.values import count_or_none, rate

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")


def add_listen(parser: argparse.ArgumentParser, default: str, purpose: str) -> None:
    """Add the flag with the address to listen on."""
    parser.add_argument(
        "--listen",
        default=default,
        metavar="HOST:PORT",
        help=f"the address {purpose} (default: %(default)s; port 0 takes a free one)",
    )


def add_metrics(parser: argparse.ArgumentParser) -> None:
    """Add the flag with an address for the metrics alone."""
    parser.add_argument(
        "--metrics",
        metavar="HOST:PORT",
        help="serve the metrics here in plaintext, and not with the rest of HTTP (default: with the rest if it listens on"
        " loopback, else nowhere)",
    )


def add_traces(parser: argparse.ArgumentParser) -> None:
    """Add the flag with the collector of traces."""
    parser.add_argument(
        "--traces",
        metavar="URL",
        help="send traces over OTLP (gRPC) to a collector such as http://127.0.0.1:4317; needs the extra `tracing`"
        " (default: no traces)",
    )


def add_tls(parser: argparse.ArgumentParser) -> None:
    """Add the flags about TLS."""
    parser.add_argument(
        "--tls-certificate", type=Path, metavar="FILE", help="the certificate that the server shows, as PEM"
    )
    parser.add_argument("--tls-key", type=Path, metavar="FILE", help="its private key, as PEM")
    parser.add_argument(
        "--tls-client-ca", type=Path, metavar="FILE", help="ask clients for a certificate of this authority"
    )
    parser.add_argument("--plaintext", action="store_true", help="serve without TLS beyond loopback too")


def add_rates(parser: argparse.ArgumentParser) -> None:
    """Add the flags that limit how often callers may call, and how often they may connect."""
    parser.add_argument(
        "--player-rate",
        type=rate,
        default=200.0,
        help="calls per second for each player, 0 for no limit (default: %(default)s)",
    )
    parser.add_argument(
        "--address-rate",
        type=rate,
        default=500.0,
        help="calls per second for each address, 0 for no limit; a request over HTTP counts as ten"
        " (default: %(default)s)",
    )
    parser.add_argument(
        "--address-connections",
        type=count_or_none,
        default=PER_ADDRESS_MAX,
        metavar="N",
        help="open connections of each address, 0 for no limit of its own, as behind a proxy (default: %(default)s)",
    )
    parser.add_argument(
        "--read-rate",
        type=rate,
        default=20_000.0,
        help="events per second that the heavy reads of each caller may touch, such as replays, audits and exports;"
        " 0 for no limit (default: %(default)s)",
    )
    parser.add_argument(
        "--streams",
        type=count_or_none,
        default=100,
        metavar="N",
        help="streams that each caller may have open, an address ten times as many; 0 for no limit"
        " (default: %(default)s)",
    )
    parser.add_argument(
        "--workers",
        type=count_or_none,
        default=_workers_default(),
        metavar="N",
        help="processes that do heavy reads, so that players don't wait for readers; 0 to do them in this process"
        " (default: one less than there are cores, from 1 to 4)",
    )


def _workers_default() -> int:
    return min(max((os.cpu_count() or 1) - 1, 1), 4)


def add_issuer(parser: argparse.ArgumentParser) -> None:
    """Add the flags about an issuer of tokens beside this server."""
    parser.add_argument(
        "--jwks", type=Path, metavar="FILE", help="also accept tokens signed with one of these public keys"
    )
    parser.add_argument("--jwt-issuer", metavar="NAME", help="the issuer that these tokens must name")
    parser.add_argument(
        "--jwt-audience",
        default="liarsdice",
        metavar="NAME",
        help="the audience that they must name (default: %(default)s)",
    )


def add_cors(parser: argparse.ArgumentParser) -> None:
    """Add the flag about pages of other origins."""
    parser.add_argument(
        "--cors-origin",
        action="append",
        type=origin,
        default=[],
        metavar="ORIGIN",
        help="let pages of this origin, like https://example.com, read over HTTP; * for all; may be given several times",
    )


def origin(text: str) -> str:
    """An origin, written as browsers send it, because it is compared letter by letter."""
    if text != "*" and not _ORIGIN.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"an origin such as https://example.com or http://localhost:3000 in small letters, or * for all, is needed, not {text!r}"
        )
    return text


def tls_of(arguments: argparse.Namespace) -> Tls | None:
    """The certificate to show; None to serve without TLS."""
    if bool(arguments.tls_certificate) != bool(arguments.tls_key):
        raise CommandFailed("--tls-certificate and --tls-key belong together")
    if arguments.tls_client_ca and not arguments.tls_certificate:
        raise CommandFailed("--tls-client-ca needs --tls-certificate and --tls-key")
    return Tls(arguments.tls_certificate, arguments.tls_key, arguments.tls_client_ca) if arguments.tls_key else None


def issuer_of(arguments: argparse.Namespace) -> TrustedIssuer | None:
    """The issuer whose tokens are accepted too; None if there is none."""
    if bool(arguments.jwks) != bool(arguments.jwt_issuer):
        raise CommandFailed("--jwks and --jwt-issuer belong together")
    return TrustedIssuer(arguments.jwks, arguments.jwt_issuer, arguments.jwt_audience) if arguments.jwks else None
