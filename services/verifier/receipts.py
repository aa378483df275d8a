"""The check `receipts`: what the server signed when it accepted moves is what the bundle has (audit-format.md, "Receipts").

It is made only if receipts are given. A receipt for a version that has another digest in the bundle proves, together with
the bundle, that the server lied: one key has signed both.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from .bundle import Bundle
from .digests import Digests
from .failure import Failed
from .form import base64_text, decoded, with_length
from .keys import Key, is_signed_by
from .log_proof import GAME_ENDS

FORMAT = "liarsdice.receipts.v1"
FILE_BYTES_MAX = 32 * 1024 * 1024
HASH_BYTES = 32
PATH_MAX = 16
SIZE_MAX = 1 << 16
FIXED = (8, 32, 16, 4, 4, 4, 64)
"""How many bytes the version, the digest, the salt, the index, the size, the id of the key and the signature have."""
FIXED_BYTES = sum(FIXED)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the server signed about a command."""

    version: int
    digest: bytes
    salt: bytes
    index: int
    size: int
    key_id: bytes
    signature: bytes
    path: list[bytes]


def read_receipts(data: bytes, game_id: str) -> list[Receipt]:
    """The receipts of a file: the format, the game, and a receipt in base64 on each line."""
    _need_form(len(data) <= FILE_BYTES_MAX, f"has more than {FILE_BYTES_MAX} bytes")
    lines = data.decode("ascii", "replace").split("\n")
    _need_form(not lines.pop(), "does not end with the end of a line")
    _need_form(lines[:1] == [FORMAT], f"does not begin with {FORMAT}")
    _need_form(lines[1:2] == [game_id], f"is not about game {game_id}")
    return [_read_receipt(number, line) for number, line in enumerate(lines[2:], 3)]


def check_receipts(bundle: Bundle, digests: Digests, keys: Sequence[Key], receipts: Sequence[Receipt]) -> Counter[str]:
    """Every receipt that a known key has signed agrees with the bundle; returns how many agree, are later or are not checked."""
    found: Counter[str] = Counter()
    known = {key.key_id: key for key in keys}
    for receipt in receipts:
        key = known.get(receipt.key_id)
        if key is None:
            found["unchecked"] += 1
            continue
        _need(
            _is_signed(receipt, bundle.game_id, key),
            f"The receipt for event {receipt.version} is not signed by its key",
        )
        found[_compared(receipt, bundle, digests, key)] += 1
    return found


def _compared(receipt: Receipt, bundle: Bundle, digests: Digests, key: Key) -> str:
    """Whether a receipt is for an event of the bundle, and agrees with it, or for a later one."""
    last = bundle.events[-1]
    said = f"The key {key.text} has signed, in a receipt and in this bundle, two things of which one is a lie: event"
    if receipt.version > last.version:
        lie = f"{said} {receipt.version} of the game was accepted, and the game ended with event {last.version}"
        _need(bundle.round is not None or last.kind not in GAME_ENDS, lie)
        return "later"
    one, other = base64_text(receipt.digest), base64_text(digests[receipt.version])
    _need(one == other, f"{said} {receipt.version} has the digest {one}, and it has the digest {other}")
    return "agree"


def _is_signed(receipt: Receipt, game_id: str, key: Key) -> bool:
    """Whether a key has signed the tree of receipts that this one is a leaf of."""
    root = _root(receipt, game_id)
    statement = b"liarsdice.receipts.v1\n" + receipt.size.to_bytes(4, "big") + (root or b"")
    return root is not None and is_signed_by(key.public_key, receipt.signature, statement)


def _root(receipt: Receipt, game_id: str) -> bytes | None:
    """The root to which the path leads (RFC 9162, 2.1.3.2); None if the index, the size and the path do not fit."""
    game = with_length(game_id.encode(), 2)
    leaf = b"liarsdice.receipt.v1\n" + receipt.salt + game + receipt.version.to_bytes(8, "big") + receipt.digest
    levels = (receipt.index ^ (receipt.size - 1)).bit_length()
    if not receipt.index < receipt.size <= SIZE_MAX:
        return None
    if len(receipt.path) != levels + (receipt.index >> levels).bit_count():
        return None
    node = sha256(b"\0" + leaf).digest()
    for depth, sibling in enumerate(receipt.path):
        sibling_is_left = depth >= levels or receipt.index >> depth & 1
        node = sha256(b"\1" + (sibling + node if sibling_is_left else node + sibling)).digest()
    return node


def _read_receipt(number: int, line: str) -> Receipt:
    """The receipt in a line."""
    content = decoded(line) or b""
    rest = content[FIXED_BYTES:]
    fits = len(content) >= FIXED_BYTES and len(rest) % HASH_BYTES == 0 and len(rest) <= PATH_MAX * HASH_BYTES
    _need_form(fits, f"has no receipt in line {number}")
    parts, start = [], 0
    for length in FIXED:
        parts.append(content[start : start + length])
        start += length
    version, digest, salt, index, size, key_id, signature = parts
    path = [rest[start : start + HASH_BYTES] for start in range(0, len(rest), HASH_BYTES)]
    numbers = [int.from_bytes(part, "big") for part in (version, index, size)]
    _need_form(numbers[0] > 0, f"has a receipt for event 0 in line {number}")
    return Receipt(numbers[0], digest, salt, numbers[1], numbers[2], key_id, signature, path)


def _need_form(holds: object, problem: str) -> None:
    """Fail the check `form` unless something holds of the file."""
    if not holds:
        raise Failed("form", f"The file of receipts {problem}.")


def _need(holds: object, problem: str) -> None:
    """Fail the check unless something holds."""
    if not holds:
        raise Failed("receipts", f"{problem}.")
