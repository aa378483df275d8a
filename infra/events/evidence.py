"""What proves an event: the digest that chains it to the one before, the commitment to its secrets, and a signature.

All of it stands at the end of the event's JSON: `docs/reference/audit-format.md` has the formats.

    {"at":1767225600000,"commitment":"...","sealed":"...","signed":{"after":17,"signature":"..."},"digest":"..."}
"""

from base64 import b64encode
from binascii import a2b_base64
from hashlib import sha256

from domain.refusals import Malformed
from domain.values import Value

DIGEST_LENGTH = 32
SALT_LENGTH = 32
SIGNATURE_LENGTH = 64

# JSON writes a quote inside a text with a backslash, so no public text can contain these bytes.
_COMMITMENT, _SEALED, _SIGNED, _SIGNATURE, _DIGEST = (
    b',"commitment":"',
    b',"sealed":"',
    b',"signed":{"after":',
    b',"signature":"',
    b',"digest":"',
)
_DIGEST_PLACE = len(_DIGEST) + len(b64encode(bytes(DIGEST_LENGTH))) + len(b'"}')
_DIGEST_TEXT = len(_DIGEST) - _DIGEST_PLACE
_VERSION_DIGITS_MAX = 18


class Signed(Value, frozen=True):
    """A player's signature under a move, and the version of the game after which the player made the move."""

    after: int
    signature: bytes

    @property
    def part(self) -> bytes:
        """The bytes that become part of the event's digest."""
        return self.after.to_bytes(8, "big") + self.signature


class Evidence(Value, frozen=True, kw_only=True):
    """What proves an event, as it is stored with it."""

    commitment: bytes | None = None
    sealed: bytes | None = None
    """The sealed secrets, in base64."""
    signed: Signed | None = None
    digest: bytes | None = None


def first_digest(game_id: str) -> bytes:
    """The digest that the first event of a game is chained to."""
    name = game_id.encode()
    return sha256(b"liarsdice.game.v1\n" + len(name).to_bytes(2, "big") + name).digest()


def next_digest(
    previous: bytes, version: int, topic: str, public: bytes, *, commitment: bytes | None, signed: Signed | None
) -> bytes:
    """The digest of an event."""
    name = topic.encode()
    signing = b"" if signed is None else signed.part
    return sha256(
        b"".join(
            (
                b"liarsdice.event.v1\n",
                previous,
                version.to_bytes(8, "big"),
                len(name).to_bytes(2, "big"),
                name,
                len(public).to_bytes(4, "big"),
                public,
                b"\x00" if commitment is None else b"\x01" + commitment,
                len(signing).to_bytes(2, "big"),
                signing,
            )
        )
    ).digest()


def committed(salt: bytes, secret: bytes) -> bytes:
    """The commitment to a secret."""
    return sha256(b"liarsdice.secret.v1\n" + salt + secret).digest()


def with_evidence(public: bytes, evidence: Evidence) -> bytes:
    """The state of an event: its public JSON object with what proves it."""
    parts = [public[:-1]]
    if evidence.commitment is not None:
        parts += (_COMMITMENT, b64encode(evidence.commitment), b'"')
    if evidence.sealed is not None:
        parts += (_SEALED, evidence.sealed, b'"')
    if evidence.signed is not None:
        parts += (_SIGNED, b"%d" % evidence.signed.after, _SIGNATURE, b64encode(evidence.signed.signature), b'"}')
    if evidence.digest is not None:
        parts += (_DIGEST, b64encode(evidence.digest), b'"')
    parts.append(b"}")
    return b"".join(parts)


def split_evidence(state: bytes) -> tuple[bytes, Evidence]:
    """The public JSON object of a stored state, and what proves it."""
    if state[-1:] != b"}":
        raise Malformed(what="stored state", problem="it is no JSON object")
    digest = digest_of(state)
    rest = state[:-1] if digest is None else state[:-_DIGEST_PLACE]
    if rest[-1:] not in b'"}':  # Most events end in a number and have no other evidence than the digest.
        return rest + b"}", Evidence(digest=digest)
    rest, signed = _signed_part(rest)
    rest, sealed = _text_part(rest, _SEALED)
    rest, commitment = _text_part(rest, _COMMITMENT)
    committed_to = None if commitment is None else _decoded(commitment, DIGEST_LENGTH)
    return rest + b"}", Evidence(commitment=committed_to, sealed=sealed, signed=signed, digest=digest)


def split_digest(state: bytes) -> tuple[bytes, bytes] | None:
    """The public JSON object and the digest of a state that ends in a number, as most do; None for all others."""
    if state[-_DIGEST_PLACE - 1 : -_DIGEST_PLACE].isdigit() and state[-_DIGEST_PLACE:_DIGEST_TEXT] == _DIGEST:
        return state[:-_DIGEST_PLACE] + b"}", _decoded(state[_DIGEST_TEXT:-2], DIGEST_LENGTH)
    return None


def is_spelled_rightly(state: bytes) -> bool:
    """Whether a stored state has exactly the bytes that we would write, so that its digest covers all of them."""
    return with_evidence(*split_evidence(state)) == state


def digest_of(state: bytes) -> bytes | None:
    """The digest that is stored with an event; None if it has none."""
    if state[-_DIGEST_PLACE:_DIGEST_TEXT] != _DIGEST:
        return None
    return _decoded(state[_DIGEST_TEXT:-2], DIGEST_LENGTH)


def _signed_part(rest: bytes) -> tuple[bytes, Signed | None]:
    start = rest.rfind(_SIGNED)
    if not rest.endswith(b'"}') or start < 0:
        return rest, None
    after, _, signature = rest[start + len(_SIGNED) : -2].partition(_SIGNATURE)
    if not after.isdigit() or len(after) > _VERSION_DIGITS_MAX:
        raise Malformed(what="stored state", problem="its signature can't be read")
    return rest[:start], Signed(int(after), _decoded(signature, SIGNATURE_LENGTH))


def _text_part(rest: bytes, mark: bytes) -> tuple[bytes, bytes | None]:
    """What stands before the last member of a JSON object, and its text, if that member has this mark."""
    start = rest.rfind(mark)
    if start < 0 or rest.find(b'"', start + len(mark)) != len(rest) - 1:
        return rest, None
    return rest[:start], rest[start + len(mark) : -1]


def _decoded(text: bytes, length: int) -> bytes:
    try:
        raw = a2b_base64(text, strict_mode=True)
    except ValueError:
        raw = b""
    if len(raw) != length:
        raise Malformed(what="stored state", problem=f"a part of its evidence is not {length} bytes in base64")
    return raw
