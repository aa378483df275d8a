"""The keys of a server as text, for the processes that it starts.

The server reads its keys once. A process that is started later gets the same ones, also if somebody has added a key to the file
meanwhile: it must not seal what the processes beside it can't open.
"""

import os
from base64 import b64encode
from pathlib import Path

from domain.values import Value
from infra.keys.key_files import keys_of_file
from infra.keys.key_ring import KEYS_VARIABLE, KeyRing, keys_in_environment
from infra.keys.log_keys import LOG_KEYS_VARIABLE, SignerRing, log_keys_in_environment
from services.app.environment import find_keys, find_log_keys, key_file, log_key_file


class HandedKeys(Value, frozen=True):
    """The keys, in the form of the variables that may hold them."""

    texts: dict[str, str]
    origin: str
    """The name of the audit log."""

    def __repr__(self) -> str:
        return "HandedKeys()"

    def sealing(self) -> KeyRing:
        """The keys that seal secrets."""
        ring = keys_in_environment(self.texts)
        assert ring is not None, "they were handed over"
        return ring

    def signing(self) -> SignerRing:
        """The keys that sign the audit log."""
        ring = log_keys_in_environment(self.texts, self.origin)
        assert ring is not None, "they were handed over"
        return ring


def keys_to_hand(data_directory: Path, origin: str | None) -> HandedKeys:
    """The keys from the environment or the data directory; missing ones are made where a server may make them."""
    find_keys(data_directory)
    origin = find_log_keys(data_directory, origin).origin
    files = {KEYS_VARIABLE: key_file(data_directory), LOG_KEYS_VARIABLE: log_key_file(data_directory)}
    return HandedKeys({name: os.environ.get(name) or _text_of(path) for name, path in files.items()}, origin)


def _text_of(path: Path) -> str:
    return " ".join(b64encode(key).decode() for key in keys_of_file(path))
