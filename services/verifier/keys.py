"""Ed25519 keys: reads the keys of logs and witnesses, and checks signatures (audit-format.md, "The log")."""

from hashlib import sha256
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .characters import is_shown
from .curve import problem_of_key
from .form import base64_text, decoded

NAME_LENGTH_MAX = 255
KEY_LENGTH_MAX = 400
"""A name, its id of eight digits and 44 characters of base64 are shorter."""
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
    def text(self) -> str:
        """The key as it is written down."""
        return f"{self.name}+{self.key_id.hex()}+{base64_text(self.content)}"

    @property
    def public_key(self) -> bytes:
        """The 32 bytes of Ed25519."""
        return self.content[1:]


def read_key(text: str) -> Key:
    """The key in a text of the form NAME+ID+KEY; a ValueError, with the end of a sentence, if it is not a key."""
    name, key_id, encoded = (*text.split("+", 2), "", "")[:3]
    content = decoded(encoded)
    if not is_key_name(name) or content is None or len(content) != TYPE_AND_KEY_BYTES:
        raise ValueError("is not written as NAME+ID+KEY")
    if key_id != sha256(name.encode() + b"\n" + content).hexdigest()[:ID_DIGITS]:
        raise ValueError("does not have the id of its name and its bytes")
    problem = problem_of_key(content[1:])
    if problem is not None:
        raise ValueError(problem)
    return Key(name, bytes.fromhex(key_id), content)


def is_key_name(text: str) -> bool:
    """Whether a text can be the name of a key (C2SP signed-note): it is not empty and has no space and no plus."""
    return 0 < len(text) <= NAME_LENGTH_MAX and is_shown(text) and " " not in text and "+" not in text


def is_signed_by(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether an Ed25519 key has signed these bytes."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except InvalidSignature:
        return False
    return True
