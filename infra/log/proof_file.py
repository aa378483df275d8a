"""A proof in one file, as C2SP's `tlog-proof` has it: the index of an entry, its inclusion proof and the checkpoint."""

from base64 import b64encode
from collections.abc import Sequence

from infra.log.checkpoints import write_proof

HEAD = "c2sp.org/tlog-proof@v1"
SUFFIX = ".tlog-proof"


def write_proof_file(index: int, proof: Sequence[bytes], checkpoint: bytes, extra: bytes = b"") -> bytes:
    """The content of the file. Nothing proves `extra`; it may help to compute the hash of the entry."""
    told = f"extra {b64encode(extra).decode()}\n" if extra else ""
    return f"{HEAD}\n{told}index {index}\n".encode() + write_proof(proof) + b"\n" + checkpoint
