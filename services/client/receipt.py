"""A receipt as the client reads it; docs/reference/audit-format.md has its bytes, and the server's code is not used here."""

from base64 import b64decode
from collections.abc import Iterable
from hashlib import sha256
from struct import Struct

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from domain.values import Value

_LAYOUT = Struct(">Q32s16sII4s64s")
_HASH, _PATH_MAX, _SIZE_MAX, _SIGNS = 32, 16, 1 << 16, 1


class Receipt(Value, frozen=True):
    """What the server has signed about one accepted command."""

    version: int
    digest: bytes
    salt: bytes
    index: int
    size: int
    key_id: bytes
    signature: bytes
    path: tuple[bytes, ...]

    def is_signed_by(self, public_key: bytes, game_id: str) -> bool:
        """Whether a key has signed that the game has this digest at this version."""
        root = self._root(game_id)
        if root is None:
            return False
        statement = b"liarsdice.receipts.v1\n" + self.size.to_bytes(4, "big") + root
        try:
            Ed25519PublicKey.from_public_bytes(public_key).verify(self.signature, statement)
        except (InvalidSignature, ValueError):
            return False
        return True

    def _root(self, game_id: str) -> bytes | None:
        """The root to which the path leads (RFC 9162, 2.1.3.2); None if it is no path for this index and size."""
        levels = (self.index ^ (self.size - 1)).bit_length()
        if not self.index < self.size <= _SIZE_MAX or len(self.path) != levels + (self.index >> levels).bit_count():
            return None
        name = game_id.encode()
        leaf = (self.salt, len(name).to_bytes(2, "big"), name, self.version.to_bytes(8, "big"), self.digest)
        node = sha256(b"\0liarsdice.receipt.v1\n" + b"".join(leaf)).digest()
        for depth, sibling in enumerate(self.path):
            is_left = depth >= levels or self.index >> depth & 1
            node = sha256(b"\1" + (sibling + node if is_left else node + sibling)).digest()
        return node


def read_receipt(content: bytes) -> Receipt | None:
    """The receipt in some bytes; None if they are none."""
    path = content[_LAYOUT.size :]
    if len(content) < _LAYOUT.size or len(path) % _HASH or len(path) > _PATH_MAX * _HASH:
        return None
    hashes = tuple(path[start : start + _HASH] for start in range(0, len(path), _HASH))
    version, digest, salt, index, size, key_id, signature = _LAYOUT.unpack_from(content)
    return Receipt(version, digest, salt, index, size, key_id, signature, hashes)


def public_keys(vkeys: Iterable[str]) -> dict[bytes, bytes]:
    """The public keys of a log, by the ids that receipts name, from texts of the form NAME+ID+KEY."""
    found = {}
    for vkey in vkeys:
        _, key_id, encoded = (*vkey.split("+", 2), "", "")[:3]
        try:
            content, known = b64decode(encoded, validate=True), bytes.fromhex(key_id)
        except ValueError:
            continue
        if len(content) == 1 + _HASH and content[0] == _SIGNS:
            found[known] = content[1:]
    return found
