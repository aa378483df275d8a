"""The keys that sign the checkpoints of the log: kept like those that seal, in a file or a variable of their own.

Every key signs, so that who knows an old one can follow to the newest. All of them bear the log's origin as their name. Their
public parts are for everybody; the private ones can't be printed or pickled.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from infra.keys.key_files import add_to_key_file, create_key_file, keys_of_file, keys_of_variable
from infra.log.checkpoints import Checkpoint
from infra.log.notes import Note, Signer

LOG_KEYS_VARIABLE = "LIARSDICE_LOG_KEYS"
ORIGIN_DEFAULT = "liarsdice"

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
        """What verifies the signatures, that of the newest key last."""
        return tuple(signer.verifier.vkey for signer in self._signers)

    def sign(self, checkpoint: Checkpoint) -> Note:
        """A checkpoint of this log, signed with all keys, with the newest first."""
        assert checkpoint.origin == self.origin, "a log signs for itself alone"
        text = checkpoint.text
        return Note(text, tuple(signer.sign(text) for signer in reversed(self._signers)))


def log_keys_in_environment(environment: Mapping[str, str], origin: str) -> SignerRing | None:
    """The keys of the environment variable; None where it is not set."""
    seeds = keys_of_variable(environment, LOG_KEYS_VARIABLE)
    return None if seeds is None else SignerRing(origin, seeds)


def log_keys_in_file(path: Path, origin: str) -> SignerRing:
    """The keys of a file."""
    return SignerRing(origin, keys_of_file(path))


def create_log_keys(path: Path, origin: str) -> SignerRing:
    """The keys of a file; where there is none it is made, with one new key."""
    return SignerRing(origin, create_key_file(path, _HEADER))


def add_log_key(path: Path, origin: str) -> SignerRing:
    """The keys of a file after a new one was added to it, which signs together with the others."""
    return SignerRing(origin, add_to_key_file(path))
