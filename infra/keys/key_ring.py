"""The keys that seal secrets; they are outside of the database, in a file or an environment variable.

The newest key seals, and all keys open. On several hosts a new key first waits: it opens, and the one before it goes on sealing
until all hosts have both (docs/adr/0030-read-before-written.md). A key's id is a fingerprint of the key, so that no two keys share an id and nobody
has to name them. A key's bytes go into its cipher and into secrets that are derived from them, and nowhere else: there is
no way to print or pickle them.
"""

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NoReturn

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from domain.refusals import Refusal
from infra.keys.key_files import (
    KEY_LENGTH,
    WrittenKeys,
    add_to_key_file,
    create_key_file,
    written_in_file,
    written_in_variable,
)

KEYS_VARIABLE = "LIARSDICE_KEYS"
KEY_ID_LENGTH = 8

_HEADER = "Keys that open the dice under the cups, the newest last. Keep them secret and in this order, and never take one out."


class Key:
    """A key that seals and opens."""

    __slots__ = ("_derived", "cipher", "id")

    def __init__(self, material: bytes) -> None:
        assert len(material) == KEY_LENGTH
        self.id = hashlib.sha256(b"liarsdice-key-id.v1\n" + material).digest()[:KEY_ID_LENGTH]
        self.cipher = AESGCM(material)
        self._derived = hmac.digest(material, b"liarsdice-derived.v1", "sha256")

    def __repr__(self) -> str:
        return f"Key({self.id.hex()})"

    def secret_for(self, purpose: str) -> bytes:
        """A secret for one purpose. It tells nothing about the key or the secrets for other purposes."""
        return hmac.digest(self._derived, purpose.encode(), "sha256")

    def __reduce__(self) -> NoReturn:
        raise TypeError("A key can't be pickled or copied.")


class NoKeyWaits(Refusal):
    """No key in {path} waits to seal; `liarsdice keys add --waiting` adds one."""


class KeyRing:
    """Keys by their ids; the newest one that does not wait seals."""

    __slots__ = ("_keys", "newest", "waiting")

    def __init__(self, keys: Iterable[Key], waiting: Iterable[Key] = ()) -> None:
        self._keys = {key.id: key for key in keys}
        assert self._keys, "a ring has at least one key that seals"
        self.newest = list(self._keys.values())[-1]
        opening = {key.id: key for key in waiting if key.id not in self._keys}
        self._keys |= opening
        self.waiting = tuple(opening)
        """The ids of the keys that only open, until all hosts have them; the newest last."""

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        return f"KeyRing({', '.join(map(repr, self._keys.values()))})"

    @property
    def ids(self) -> tuple[bytes, ...]:
        """The ids of the keys, the newest last."""
        return tuple(self._keys)

    def secret_for(self, purpose: str) -> bytes:
        """A secret for one purpose. It follows from the oldest key, so it stays the same when keys are added."""
        return next(iter(self._keys.values())).secret_for(purpose)

    def find(self, key_id: bytes) -> Key | None:
        """The key with this id, if it is on the ring."""
        return self._keys.get(key_id)


def keys_in_environment(environment: Mapping[str, str], variable: str = KEYS_VARIABLE) -> KeyRing | None:
    """The keys of an environment variable; None where it is not set."""
    written = written_in_variable(environment, variable)
    return None if written is None else _ring(written)


def keys_in_file(path: Path) -> KeyRing:
    """The keys of a file."""
    return _ring(written_in_file(path))


def create_keys(path: Path) -> KeyRing:
    """The keys of a file; if there is none, this makes it, with one new key."""
    create_key_file(path, _HEADER)
    return keys_in_file(path)


def add_key(path: Path, *, waits: bool = False) -> KeyRing:
    """Add a new key to a file, and return all its keys. It seals from now on, unless it waits."""
    add_to_key_file(path, waits=waits)
    return keys_in_file(path)


def let_seal(path: Path) -> KeyRing:
    """Let the newest key that waits seal from now on, and return all keys."""
    written = written_in_file(path)
    waiting = [material for material in written.waiting if material not in written.sealing]
    if not waiting:
        raise NoKeyWaits(path=path)
    add_to_key_file(path, waiting[-1])
    return keys_in_file(path)


def _ring(written: WrittenKeys) -> KeyRing:
    return KeyRing(map(Key, written.sealing), map(Key, written.waiting))
