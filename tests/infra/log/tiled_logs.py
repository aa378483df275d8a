"""Logs in folders, as `tlog-tiles` says, written by a few lines that share nothing with the program's tiles."""

from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from infra.log.notes import Signer


def tree_hash(leaves: list[bytes]) -> bytes:
    """RFC 6962, section 2.1, as it is written there."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\1" + tree_hash(leaves[:split]) + tree_hash(leaves[split:])).digest()


def hashed(entry: bytes) -> bytes:
    """The hash of a leaf."""
    return sha256(b"\0" + entry).digest()


def signed(signer: Signer, size: int, root: bytes) -> bytes:
    """A checkpoint."""
    text = f"{signer.verifier.name}\n{size}\n{b64encode(root).decode()}\n"
    return f"{text}\n{signer.sign(text).line}".encode()


def write_log(folder: Path, signer: Signer, entries: list[bytes], hashes: list[bytes] | None = None) -> None:
    """Publish a log in a folder; `hashes` are those of its leaves, if they are not those of the entries."""
    leaves = [hashed(entry) for entry in entries] if hashes is None else hashes
    bundles = [len(entry).to_bytes(2, "big") + entry for entry in entries]
    _write(folder / "tile" / "entries", bundles)
    level, span = 0, 1
    while span <= max(len(leaves), 1):
        nodes = [tree_hash(leaves[at : at + span]) for at in range(0, len(leaves) // span * span, span)]
        _write(folder / "tile" / str(level), nodes)
        level, span = level + 1, span * 256
    (folder / "checkpoint").write_bytes(signed(signer, len(leaves), tree_hash(leaves)))


def _write(folder: Path, parts: list[bytes]) -> None:
    for start in range(0, len(parts), 256):
        content, index = parts[start : start + 256], start // 256
        name = f"{index:03}" if index < 1000 else f"x{index // 1000:03}/{index % 1000:03}"
        file = folder / (name if len(content) == 256 else f"{name}.p/{len(content)}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"".join(content))
