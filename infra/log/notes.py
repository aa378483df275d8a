"""Signed notes as C2SP defines them: texts with the signatures of one or more keys below them.

    If you think cryptography is the answer to your problem,
    then you don't know what your problem is.

    — PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=

This module knows two kinds of signatures: Ed25519 over the text (`signed-note`), and the cosignature of a witness, which
also contains its time (`tlog-cosignature`). It keeps all others as they are and does not check them. Each note and each
key has exactly one spelling: what is read is written again as the same bytes. `docs/reference/audit-format.md` has the formats.
"""

from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Iterable
from enum import IntEnum
from hashlib import sha256
from typing import NoReturn

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from domain.curve import problem_of_key
from domain.refusals import Malformed, Refusal
from domain.shown_text import is_shown
from domain.values import Value

NOTE_LENGTH_MAX = 1 << 18
NAME_LENGTH_MAX = 255
"""Of a key or of a log, in characters."""
SIGNATURES_MAX = 100
TIME_MAX = (1 << 63) - 1
SEED_LENGTH = 32
KEY_ID_LENGTH = 4
PUBLIC_KEY_LENGTH = 32

_DASH = "\u2014 "
_TIME_LENGTH = 8
_ED25519_LENGTH = 64


class NoteUnsigned(Refusal):
    """No trusted key has signed the note; the trusted keys are: {names}."""


class NoteSignatureWrong(Refusal):
    """The note has a signature in the name of {name} that this key did not make."""


class Algorithm(IntEnum):
    """What a key signs; the number is the byte that stands for it in the key's id."""

    ED25519 = 0x01
    COSIGNATURE = 0x04


class Signature(Value, frozen=True):
    """One line below a note: the name of the signer, the id of the key, and the signature."""

    name: str
    key_id: bytes
    signature: bytes

    @property
    def line(self) -> str:
        """The line as it stands below the text."""
        return f"{_DASH}{self.name} {_base64(self.key_id + self.signature)}\n"


class Note(Value, frozen=True):
    """A text, which ends with a new line, and its signatures in their order."""

    text: str
    signatures: tuple[Signature, ...]

    def __bytes__(self) -> bytes:
        return f"{self.text}\n{''.join(signature.line for signature in self.signatures)}".encode()


class Verifier(Value, frozen=True):
    """The public key of somebody who signs notes."""

    name: str
    algorithm: Algorithm
    public_key: bytes

    @property
    def key_id(self) -> bytes:
        """The id that distinguishes keys with the same name. It is short, so it proves nothing."""
        return sha256(b"%s\n%c%s" % (self.name.encode(), self.algorithm, self.public_key)).digest()[:KEY_ID_LENGTH]

    @property
    def vkey(self) -> str:
        """The key as a text, for everybody who wants to check signatures."""
        return f"{self.name}+{self.key_id.hex()}+{_base64(bytes([self.algorithm]) + self.public_key)}"

    def made(self, signature: Signature) -> bool:
        """Whether the signature claims that this key made it."""
        return (signature.name, signature.key_id) == (self.name, self.key_id)

    def verifies(self, text: str, signature: Signature) -> bool:
        """Whether this key made the signature for this text."""
        if not self.made(signature):
            return False
        value, message = signature.signature, text.encode()
        if self.algorithm is Algorithm.COSIGNATURE:
            time = cosigned_at(signature)
            if time is None:
                return False
            value, message = value[_TIME_LENGTH:], _cosigned(text, time)
        try:
            Ed25519PublicKey.from_public_bytes(self.public_key).verify(value, message)
        except InvalidSignature:
            return False
        return True


class _SecretKey:
    """A private key; there is no way to print or pickle it."""

    __slots__ = ("_private", "verifier")

    def __init__(self, name: str, algorithm: Algorithm, seed: bytes) -> None:
        assert len(seed) == SEED_LENGTH
        check_name(name)
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.verifier = Verifier(name, algorithm, self._private.public_key().public_bytes_raw())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.verifier.vkey})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A key can't be pickled or copied.")

    def _line(self, signature: bytes) -> Signature:
        return Signature(self.verifier.name, self.verifier.key_id, signature)


class Signer(_SecretKey):
    """A key that signs notes; `verifier` is its public part."""

    __slots__ = ()

    def __init__(self, name: str, seed: bytes) -> None:
        super().__init__(name, Algorithm.ED25519, seed)

    def sign(self, text: str) -> Signature:
        """The signature for a text."""
        return self._line(self._private.sign(text.encode()))

    def sign_statement(self, statement: bytes) -> bytes:
        """The bare signature for bytes that no note can have, because they contain a zero."""
        assert b"\0" in statement
        return self._private.sign(statement)


class Cosigner(_SecretKey):
    """The key of a witness; `verifier` is its public part."""

    __slots__ = ()

    def __init__(self, name: str, seed: bytes) -> None:
        super().__init__(name, Algorithm.COSIGNATURE, seed)

    def cosign(self, text: str, time: int) -> Signature:
        """The cosignature for the text of a checkpoint, made at a time in seconds since 1970."""
        assert 0 <= time <= TIME_MAX
        return self._line(time.to_bytes(_TIME_LENGTH, "big") + self._private.sign(_cosigned(text, time)))


def cosigned_at(cosignature: Signature) -> int | None:
    """The time that a cosignature names, in seconds since 1970; None if this is no cosignature."""
    if len(cosignature.signature) != _TIME_LENGTH + _ED25519_LENGTH:
        return None
    time = int.from_bytes(cosignature.signature[:_TIME_LENGTH], "big")
    return time if time <= TIME_MAX else None


def read_note(content: bytes) -> Note:
    """The note from its bytes. Trust nothing in it before `check_signed`."""
    if len(content) > NOTE_LENGTH_MAX:
        raise _not_a_note(f"it has more than {NOTE_LENGTH_MAX} bytes")
    whole = _text(content)
    text, empty_line, lines = whole.rpartition("\n\n")
    if not empty_line or not lines.endswith("\n"):
        raise _not_a_note("an empty line and signatures, each of which ends its line, have to follow the text")
    signatures = lines[:-1].split("\n")
    if len(signatures) > SIGNATURES_MAX:
        raise _not_a_note(f"it has more than {SIGNATURES_MAX} signatures")
    return Note(f"{text}\n", tuple(_signature(line, number) for number, line in enumerate(signatures, 1)))


def check_signed(note: Note, verifiers: Iterable[Verifier]) -> tuple[Verifier, ...]:
    """The keys that signed the note; refuses a note that none of them signed, or with a wrong signature of one of them."""
    known = tuple(dict.fromkeys(verifiers))
    signed = []
    for verifier in known:
        theirs = [signature for signature in note.signatures if verifier.made(signature)]
        if not all(verifier.verifies(note.text, signature) for signature in theirs):
            raise NoteSignatureWrong(name=verifier.name)
        signed += [verifier] if theirs else []
    if not signed:
        raise NoteUnsigned(names=tuple(dict.fromkeys(verifier.name for verifier in known)))
    return tuple(signed)


def read_vkey(text: str) -> Verifier:
    """The key from its text, such as `PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW`."""
    name, *rest = text.split("+", 2)
    what = "key that verifies"
    check_name(name, what)
    content = decoded_base64(rest[-1]) if rest else None
    if content is None or len(content) != 1 + PUBLIC_KEY_LENGTH or content[0] not in set(Algorithm):
        raise Malformed(what=what, problem="it ends with no public key of a known kind, in base64")
    problem_of_point = problem_of_key(content[1:])
    if problem_of_point is not None:
        raise Malformed(what=what, problem=f"its public key {problem_of_point}")
    verifier = Verifier(name, Algorithm(content[0]), content[1:])
    if verifier.vkey != text:
        raise Malformed(what=what, problem=f"its id is not {verifier.key_id.hex()}")
    return verifier


def check_name(name: str, what: str = "name of a key") -> None:
    """Refuse a text that can't be the name of a key."""
    if not 0 < len(name) <= NAME_LENGTH_MAX or "+" in name or " " in name or not is_shown(name):
        problem = f"the name of a key has 1 to {NAME_LENGTH_MAX} characters that are shown, no spaces and no plus"
        raise Malformed(what=what, problem=problem)


def decoded_base64(text: str) -> bytes | None:
    """The bytes of a text in base64; None if it is not spelled exactly as we would write it."""
    try:
        content = a2b_base64(text, strict_mode=True)
    except ValueError:
        return None
    # Even strict mode ignores the last bits of a text, which belong to no byte.
    return content if _base64(content) == text else None


def _base64(content: bytes) -> str:
    return b64encode(content).decode()


def _text(content: bytes) -> str:
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise _not_a_note(f"byte {error.start} is not UTF-8") from None
    if any(character < " " and character != "\n" for character in text):
        raise _not_a_note("it has control characters")
    return text


def _signature(line: str, number: int) -> Signature:
    if not line.startswith(_DASH):
        raise _not_a_note(f"signature {number} does not begin with a dash and a space")
    name, _, text = line.removeprefix(_DASH).partition(" ")
    check_name(name, "signed note")
    content = decoded_base64(text)
    if content is None or len(content) <= KEY_ID_LENGTH:
        raise _not_a_note(f"signature {number} is no base64 of a key id and what the key made")
    return Signature(name, content[:KEY_ID_LENGTH], content[KEY_ID_LENGTH:])


def _cosigned(text: str, time: int) -> bytes:
    return f"cosignature/v1\ntime {time}\n{text}".encode()


def _not_a_note(problem: str) -> Malformed:
    return Malformed(what="signed note", problem=problem)
