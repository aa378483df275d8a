"""Receipts: what the server signs about accepted commands, before their events are in the log.

One signature covers all commands that the server answers in one turn of its loop: it signs the root of a small Merkle
tree, and each receipt has the path to it. A salt in each leaf keeps the neighbours in such a tree from guessing one
another's moves. The key is that of the log. A signed statement always has a zero byte, and a note never has one, so no
receipt can pass for a checkpoint, and no checkpoint for receipts. `docs/reference/audit-format.md` has the format.
"""

import os
from collections.abc import Callable, Sequence
from struct import Struct

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from domain.refusals import Malformed
from domain.values import Value
from infra.log import merkle
from infra.log.merkle import HASH_LENGTH, leaf_hash
from infra.log.notes import Algorithm, Signer, Verifier

SALT_LENGTH = 16
SIZE_MAX = 1 << 16
_LAYOUT = Struct(">Q32s16sII4s64s")
_LEAF, _STATEMENT = b"liarsdice.receipt.v1\n", b"liarsdice.receipts.v1\n"
_PATH_MAX = 16


class Accepted(Value, frozen=True):
    """How far a command has brought a game: its last event and the digest of that."""

    game_id: str
    version: int
    digest: bytes


class Receipt(Value, frozen=True):
    """What is signed about one accepted command. The id of the game is not in it: its owner knows the game."""

    version: int
    digest: bytes
    salt: bytes
    index: int
    """Which leaf of its tree it is."""
    size: int
    """How many leaves the tree has."""
    key_id: bytes
    signature: bytes
    path: tuple[bytes, ...]

    def __bytes__(self) -> bytes:
        fixed = _LAYOUT.pack(self.version, self.digest, self.salt, self.index, self.size, self.key_id, self.signature)
        return fixed + b"".join(self.path)

    def is_signed_by(self, key: Verifier, game_id: str) -> bool:
        """Whether this key has signed that the game has this digest at this version."""
        if key.algorithm is not Algorithm.ED25519 or key.key_id != self.key_id or not 0 < self.size <= SIZE_MAX:
            return False
        leaf = _leaf(Accepted(game_id, self.version, self.digest), self.salt)
        root = merkle.root_by_proof(leaf, self.index, self.size, self.path)
        if root is None:
            return False
        try:
            Ed25519PublicKey.from_public_bytes(key.public_key).verify(self.signature, _statement(self.size, root))
        except InvalidSignature:
            return False
        return True


def read_receipt(content: bytes) -> Receipt:
    """The receipt from its bytes. Trust nothing in it before `is_signed_by`."""
    path = content[_LAYOUT.size :]
    if len(content) < _LAYOUT.size or len(path) % HASH_LENGTH or len(path) > _PATH_MAX * HASH_LENGTH:
        raise Malformed(what="receipt", problem=f"it has {len(content)} bytes, which no receipt has")
    hashes = tuple(path[start : start + HASH_LENGTH] for start in range(0, len(path), HASH_LENGTH))
    version, digest, salt, index, size, key_id, signature = _LAYOUT.unpack_from(content)
    return Receipt(version, digest, salt, index, size, key_id, signature, hashes)


def sign_receipts(
    accepted: Sequence[Accepted], signer: Signer, random: Callable[[int], bytes] = os.urandom
) -> list[bytes]:
    """A receipt for each of some accepted commands, all under one signature."""
    size = len(accepted)
    assert 0 < size <= SIZE_MAX
    salts = random(SALT_LENGTH * size)
    salted = [salts[start : start + SALT_LENGTH] for start in range(0, len(salts), SALT_LENGTH)]
    leaves = [_leaf(one, salt) for one, salt in zip(accepted, salted, strict=True)]
    nodes = merkle.appended(0, leaves, {})
    signature = signer.sign_statement(_statement(size, merkle.root(size, nodes)))
    key_id = signer.verifier.key_id
    return [
        _LAYOUT.pack(one.version, one.digest, salt, index, size, key_id, signature)
        + b"".join(merkle.inclusion_proof(index, size, nodes))
        for index, (one, salt) in enumerate(zip(accepted, salted, strict=True))
    ]


def _leaf(accepted: Accepted, salt: bytes) -> bytes:
    name = accepted.game_id.encode()
    content = (_LEAF, salt, len(name).to_bytes(2, "big"), name, accepted.version.to_bytes(8, "big"), accepted.digest)
    return leaf_hash(b"".join(content))


def _statement(size: int, root: bytes) -> bytes:
    return _STATEMENT + size.to_bytes(4, "big") + root
