"""The keys that sign the checkpoints of the log; like the keys that seal, they are in their own file or variable.

Every key signs, so that an auditor who knows only an old key can still check the newest checkpoint. The name of every key
is the log's origin. A new key file gets an origin of its own: two honest logs with one name would look like a fork. The public keys are for everybody; nobody can print or pickle the private ones.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from secrets import token_hex

from infra.keys.key_files import (
    add_to_key_file,
    create_key_file,
    keys_of_file,
    keys_of_variable,
    name_in_file,
)
from infra.log.checkpoints import Checkpoint
from infra.log.notes import Note, Signer, Verifier, read_note

LOG_KEYS_VARIABLE = "LIARSDICE_LOG_KEYS"
ORIGIN_DEFAULT = "liarsdice"
"""The origin of logs that are older than names in key files, and of keys in the environment if no origin is given."""
_ORIGIN_BYTES = 8

_HEADER = "Keys that sign the checkpoints of the log, the newest last. Keep them secret."


class SignerRing:
    """The keys of one log."""

    __slots__ = ("_signers", "origin")

    def __init__(self, origin: str, seeds: Iterable[bytes]) -> None:
        self.origin = origin
        signers = [Signer(origin, seed) for seed in seeds]
        assert signers, "a ring has at least one key"
        self._signers = list({signer.verifier: signer for signer in signers}.values())

    def __len__(self) -> int:
        return len(self._signers)

    def __repr__(self) -> str:
        return f"SignerRing({', '.join(self.vkeys)})"

    @property
    def vkeys(self) -> tuple[str, ...]:
        """The public keys that verify the signatures, the newest last."""
        return tuple(signer.verifier.vkey for signer in self._signers)

    @property
    def verifiers(self) -> tuple[Verifier, ...]:
        """The same public keys, to verify with."""
        return tuple(signer.verifier for signer in self._signers)

    @property
    def newest(self) -> Signer:
        """The key that signs receipts."""
        return self._signers[-1]

    def have_all_signed(self, note: bytes) -> bool:
        """Whether the signatures below a note are those of all keys, in the order of `sign`. It verifies none of them."""
        signatures, verifiers = read_note(note).signatures, self.verifiers[::-1]
        return len(signatures) == len(verifiers) and all(map(Verifier.made, verifiers, signatures))

    def sign(self, checkpoint: Checkpoint) -> Note:
        """A checkpoint of this log, signed with all keys, with the newest first."""
        assert checkpoint.origin == self.origin, "a log signs for itself alone"
        text = checkpoint.text
        return Note(text, tuple(signer.sign(text) for signer in reversed(self._signers)))


def log_keys_in_environment(environment: Mapping[str, str], origin: str | None = None) -> SignerRing | None:
    """The keys of the environment variable; None where it is not set."""
    seeds = keys_of_variable(environment, LOG_KEYS_VARIABLE)
    return None if seeds is None else SignerRing(origin or ORIGIN_DEFAULT, seeds)


def log_keys_in_file(path: Path, origin: str | None = None) -> SignerRing:
    """The keys of a file. Without an origin they carry the one that the file names."""
    seeds = keys_of_file(path)
    return SignerRing(origin or name_in_file(path) or ORIGIN_DEFAULT, seeds)


def create_log_keys(path: Path, origin: str | None = None) -> SignerRing:
    """The keys of a file; if there is none, this makes it, with one new key and with an origin that nobody else has."""
    if not path.exists():
        create_key_file(path, _HEADER, origin or f"{ORIGIN_DEFAULT}/{token_hex(_ORIGIN_BYTES)}")
    return log_keys_in_file(path, origin)


def add_log_key(path: Path, origin: str | None = None) -> SignerRing:
    """Add a new key to a file, which signs together with the others, and return all its keys."""
    add_to_key_file(path)
    return log_keys_in_file(path, origin)
