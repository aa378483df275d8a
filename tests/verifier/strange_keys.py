"""Keys, signatures and notes that are not as they should be, for the test vectors."""

from base64 import b64decode
from collections.abc import Callable, Iterator
from copy import copy, deepcopy
from hashlib import sha256, sha512
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.audit.bundle import Inclusion, write_bundle
from services.verifier.curve import PRIME
from tests.verifier.changes import ended, text_of
from tests.verifier.decided import game
from tests.verifier.games import stored
from tests.verifier.log import ORIGIN, SERVER, WITNESS, WITNESSING, Signer, proof_of, root_of

Told = tuple[str, bytes, str | None, list[str]]
"""What a bundle is, the file, and the keys of the log and of witnesses that a checker is given."""
ORDER = 2**252 + 27742317777372353535851937790883648493
"""How many points the signatures of Ed25519 use."""
NEUTRAL = (1).to_bytes(32, "little")


class MixedKey:
    """A key with a part of small order. Its signatures are good with the cofactor, and half of them also without."""

    def __init__(self, seed: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        number = int.from_bytes(self._private.public_key().public_bytes_raw(), "little")
        # The point of order two, (0, -1), turns (x, y) into (-x, -y).
        self.public = ((PRIME - number % 2**255) | ((number >> 255 ^ 1) << 255)).to_bytes(32, "little")
        scalar = int.from_bytes(sha512(seed).digest()[:32], "little")
        self._scalar = scalar & (2**254 - 8) | 2**254
        self._prefix = sha512(seed).digest()[32:]

    def sign(self, text: bytes) -> bytes:
        """A signature: RFC 8032, section 5.1.6, with this public key."""
        point = self._private.sign(text)[:32]
        nonce = int.from_bytes(sha512(self._prefix + text).digest(), "little")
        challenge = int.from_bytes(sha512(point + self.public + text).digest(), "little")
        return point + ((nonce + challenge * self._scalar) % ORDER).to_bytes(32, "little")


def signed_otherwise(about: str, sign: Callable[[int], Any], public: Callable[[int], bytes] | None) -> bytes:
    """A good game whose moves are signed in another way, up to the first one that is no signature."""
    play = copy(game(about))
    play.key = sign  # type: ignore[method-assign, assignment]
    entries = deepcopy(play.entries)
    for entry in entries:
        if public is not None and entry.public.get("signing_key"):
            entry.public["signing_key"] = text_of(public(entry.public["seat"]))
    return ended(play, entries)


class HighKey:
    """Adds the order to the second half of each signature, which then stands for the same number."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private

    def sign(self, text: bytes) -> bytes:
        """A signature that is not the only one of its text."""
        made = self._private.sign(text)
        return made[:32] + (int.from_bytes(made[32:], "little") + ORDER).to_bytes(32, "little")


class Anybody(Signer):
    """A key of small order, for which anybody can sign."""

    def __init__(self, name: str) -> None:
        super().__init__(name, bytes(32))
        self.public = b"\x01" + NEUTRAL
        self.id = sha256(name.encode() + b"\n" + self.public).digest()[:4]

    def line(self, text: str, time: int = 0) -> str:  # noqa: ARG002 - it is the same for all texts
        """A line that is good for any text."""
        return f"— {self.name} {text_of(self.id + NEUTRAL + bytes(32))}\n"


def noted(note: Callable[[str], str], key: str = SERVER.key) -> bytes:
    """A small good game under another note; `note` makes it from the text of the good one."""
    play = game("two who go out together")
    made = stored(play)
    version, leaf = made.leaves[-1]
    log = [b"another leaf\n", leaf]
    text = f"{ORIGIN}\n{len(log)}\n{text_of(root_of(log))}\n"
    inclusion = Inclusion(leaf=1, proof=proof_of(log, 1), checkpoint=note(text), key=key)
    return write_bundle(made.game_id, None, made.events[:version], inclusion)


def notes() -> Iterator[Told]:
    """Good and bad checkpoints and keys."""
    key, other = SERVER.key, Signer("dice.example/other", b"s" * 32)
    line, cosigned = SERVER.line, WITNESSING.line
    bad = f"— {ORIGIN} {text_of(SERVER.id + bytes(64))}\n"
    bad_witness = f"— {WITNESS} {text_of(WITNESSING.id + bytes(72))}\n"
    short = f"— {ORIGIN} {text_of(SERVER.id + bytes(10))}\n"
    same = Signer("second.example", b"w" * 32, kind=4)
    of_log = Signer(WITNESS, b"s" * 32, kind=4)
    anybody = Anybody(ORIGIN)
    wrong_id = f"{ORIGIN}+{'0' * 8}+{key.rpartition('+')[2]}"
    yield "a fourth line in the text of the note", noted(lambda text: _signed(text + "more\n")), key, []
    yield "an empty line in the text of the note", noted(lambda text: _signed(text + "\nmore\n")), key, []
    yield "a size with a leading zero", noted(lambda text: _signed(text.replace("\n2\n", "\n02\n"))), key, []
    yield "a good and a bad signature of the log", noted(lambda text: _signed(text) + bad), key, []
    yield "a signature of the log that is too short", noted(lambda text: _signed(text) + short), key, []
    yield (
        "a good and a bad cosignature",
        noted(lambda text: _signed(text) + cosigned(text) + bad_witness),
        key,
        [WITNESSING.key],
    )
    yield (
        "two witnesses with one key",
        noted(lambda text: _signed(text) + cosigned(text) + same.line(text)),
        key,
        [WITNESSING.key, same.key],
    )
    yield "a witness with the key of the log", noted(lambda text: _signed(text) + of_log.line(text)), key, [of_log.key]
    yield "a key of the log of small order", noted(lambda text: text + "\n" + anybody.line(text), anybody.key), None, []
    yield (
        "a key whose id is another one",
        noted(lambda text: f"{text}\n— {ORIGIN} {_with_id(line(text), bytes(4))}\n", wrong_id),
        None,
        [],
    )
    yield (
        "a key that has not the name of the log",
        noted(lambda text: text + "\n" + other.line(text), other.key),
        None,
        [],
    )
    yield "a given key that is none", noted(_signed), "no key", []
    yield "a key in the bundle that is none", noted(_signed, "no key"), None, []
    yield "a witness's key as that of the log", noted(_signed), WITNESSING.key, []
    yield (
        "a key with its id in capital letters",
        noted(_signed, key.replace(SERVER.id.hex(), SERVER.id.hex().upper())),
        None,
        [],
    )


def _signed(text: str) -> str:
    """A note that the log has signed."""
    return f"{text}\n{SERVER.line(text)}"


def _with_id(line: str, key_id: bytes) -> str:
    """The base64 of a line with another id of the key."""
    return text_of(key_id + b64decode(line.split(" ")[2])[4:])
