"""Ed25519 keys: reads the keys of logs and witnesses, and checks signatures (audit-format.md, "The log")."""

import re
from hashlib import sha256
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .form import decoded_exactly

TYPE_AND_KEY_BYTES = 33
ID_DIGITS = 8


class Key(NamedTuple):
    """A key of a log or of a witness: its name, its id, and the byte of its type followed by the public key."""

    name: str
    key_id: bytes
    content: bytes

    @property
    def signature_type(self) -> int:
        """0x01 for the key of a log, 0x04 for the key of a witness, which makes cosignatures."""
        return self.content[0]

    @property
    def public_key(self) -> bytes:
        """The 32 bytes of Ed25519."""
        return self.content[1:]


def read_key(text: str) -> Key:
    """The key in a text of the form NAME+ID+KEY; a ValueError if it is not a key."""
    name, key_id, encoded = (*text.split("+", 2), "", "")[:3]
    if not re.fullmatch(r"\S+", name):
        raise ValueError("a key is written as NAME+ID+KEY")
    content = decoded_exactly(encoded, TYPE_AND_KEY_BYTES)
    if key_id != sha256(name.encode() + b"\n" + content).hexdigest()[:ID_DIGITS]:
        raise ValueError("the id is not that of the name and the key")
    return Key(name, bytes.fromhex(key_id), content)


def is_signed_by(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether an Ed25519 key has signed these bytes."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except InvalidSignature:
        return False
    return True
