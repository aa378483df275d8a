"""Certificates for tests: each signs itself, for loopback."""

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from domain.values import Value


class Identity(Value, frozen=True):
    """A certificate and its key, as PEM."""

    certificate: bytes
    key: bytes


def made(folder: Path, name: str, signed_by: str | None = None) -> tuple[Identity, Path, Path]:
    """A certificate for loopback that signs itself, or names somebody else who does, and the files it is in."""
    key = ec.generate_private_key(ec.SECP256R1())
    issuer, subject = (x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, one)]) for one in (signed_by or name, name))
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    identity = Identity(certificate.public_bytes(pem), key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    paths = folder / f"{name}.crt", folder / f"{name}.key"
    paths[0].write_bytes(identity.certificate)
    paths[1].write_bytes(identity.key)
    return identity, *paths
