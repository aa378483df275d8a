"""The channel to a server: TLS or not, signs of life, and the published service config.

The service config (`proto/service_config.json`) is for clients in any language: it lets the channel repeat a call that
found no server, a few times and quickly, and stops that while most calls fail. What lasts longer, such as a restart, is
the business of `services.client.line`, which is bounded by time. The two do not multiply for long: a server that stays
away uses up the channel's allowance, and then each try of the line is a single one.
"""

import ssl
from pathlib import Path

import grpc

from domain.values import Value

SERVICE_CONFIG = Path(__file__).parents[2] / "proto" / "service_config.json"
_MESSAGE_BYTES_MAX = 16 * 1024 * 1024


class Tls(Value, frozen=True):
    """Whose certificates are trusted, the system's choice by default, and the client's own if the server asks for one."""

    authority: Path | None = None
    certificate: Path | None = None
    key: Path | None = None


def open_channel(address: str, tls: Tls | None) -> grpc.aio.Channel:
    """A channel to a server, which connects when it is first used."""
    options = (
        ("grpc.service_config", SERVICE_CONFIG.read_text()),
        # Signs of life, as often as the server allows: a network that has gone is noticed.
        ("grpc.keepalive_time_ms", 20_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        ("grpc.http2.max_pings_without_data", 0),
        # The library would wait longer and longer, up to two minutes, before it looks for a server that was away.
        ("grpc.initial_reconnect_backoff_ms", 200),
        ("grpc.min_reconnect_backoff_ms", 200),
        ("grpc.max_reconnect_backoff_ms", 2_000),
        # All events of a long game may come at once when it is resumed.
        ("grpc.max_receive_message_length", _MESSAGE_BYTES_MAX),
    )
    if tls is None:
        return grpc.aio.insecure_channel(address, options=options)
    return grpc.aio.secure_channel(address, _credentials(tls), options=options)


def _credentials(tls: Tls) -> grpc.ChannelCredentials:
    authority, key, certificate = (
        None if path is None else path.read_bytes() for path in (tls.authority, tls.key, tls.certificate)
    )
    return grpc.ssl_channel_credentials(authority or _system_authorities(), key, certificate)


def _system_authorities() -> bytes | None:
    """Whom the system trusts; None, for the list that comes with gRPC, where the system does not say."""
    trusted = ssl.create_default_context().get_ca_certs(binary_form=True)
    return "".join(ssl.DER_cert_to_PEM_cert(certificate) for certificate in trusted).encode() or None
