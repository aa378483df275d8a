"""A minimal Merkle log with signed checkpoints, which does not use the server's code."""

from base64 import b64encode
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ORIGIN = "dice.example/log"
WITNESS = "witness.example"
WITNESSED_AT = 1_767_225_600


def root_of(leaves: list[bytes]) -> bytes:
    if len(leaves) < 2:
        return sha256(b"\0" + leaves[0]).digest() if leaves else sha256(b"").digest()
    split = _split(len(leaves))
    return sha256(b"\1" + root_of(leaves[:split]) + root_of(leaves[split:])).digest()


def proof_of(leaves: list[bytes], index: int) -> tuple[bytes, ...]:
    if len(leaves) == 1:
        return ()
    split = _split(len(leaves))
    if index < split:
        return (*proof_of(leaves[:split], index), root_of(leaves[split:]))
    return (*proof_of(leaves[split:], index - split), root_of(leaves[:split]))


def _split(size: int) -> int:
    return 1 << ((size - 1).bit_length() - 1)


class Signer:
    """Somebody with a key: a server, or a witness."""

    def __init__(self, name: str, seed: bytes, kind: int = 1) -> None:
        self.name, self.kind = name, kind
        self.private = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = bytes([kind]) + self.private.public_key().public_bytes_raw()
        self.id = sha256(name.encode() + b"\n" + self.public).digest()[:4]

    @property
    def key(self) -> str:
        """The key as it is written down."""
        return f"{self.name}+{self.id.hex()}+{b64encode(self.public).decode()}"

    def line(self, text: str, time: int = WITNESSED_AT) -> str:
        """The line under a note with this signer's signature of a text."""
        if self.kind == 4:
            made = self.private.sign(f"cosignature/v1\ntime {time}\n{text}".encode())
            made = time.to_bytes(8, "big") + made
        else:
            made = self.private.sign(text.encode())
        return f"— {self.name} {b64encode(self.id + made).decode()}\n"


SERVER = Signer(ORIGIN, b"s" * 32)
OLD_SERVER = Signer(ORIGIN, b"o" * 32)
WITNESSING = Signer(WITNESS, b"w" * 32, kind=4)


def checkpoint(leaves: list[bytes], *signers: Signer, origin: str = ORIGIN) -> str:
    text = f"{origin}\n{len(leaves)}\n{b64encode(root_of(leaves)).decode()}\n"
    return text + "\n" + "".join(signer.line(text) for signer in signers or (SERVER,))
