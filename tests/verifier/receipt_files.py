"""Files of receipts for the test vectors."""

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import NamedTuple

from infra.log.notes import Signer as Signing
from infra.log.receipts import Accepted, sign_receipts
from tests.verifier.games import Stored
from tests.verifier.log import OLD_SERVER, ORIGIN, SERVER, WITNESSING, Signer

HEAD = b"liarsdice.receipts.v1\n"
RECEIPTS, OLD_RECEIPTS = Signing(ORIGIN, b"s" * 32), Signing(ORIGIN, b"o" * 32)
RENAMED = Signer("renamed.example/log", b"r" * 32)
WHOLE, ROUND = 0, 1
"""The index of the bundle of the whole game, and that of its first round."""


class Receipts(NamedTuple):
    """A file of receipts, and what else a checker is given."""

    about: str
    file: bytes | None
    keys: list[str]
    """The further keys."""
    bundle: int = WHOLE


def receipts(game: Stored, round_end: int) -> Iterator[Receipts]:
    """Files of receipts for a game whose first round ends with this version."""
    digests = {event.version: event.digest or b"" for event in game.events}
    for about, file, keys in _signed_by_the_server(game.game_id, digests):
        yield Receipts(about, file, keys)
    yield from _made_by_hand(game.game_id, digests, round_end)


def _signed_by_the_server(game_id: str, digests: dict[int, bytes]) -> Iterator[tuple[str, bytes, list[str]]]:
    """Receipts as the server makes them, some of them changed."""
    last = max(digests)
    salts = iter(range(1, 200))

    def file(*accepted: Accepted, signer: Signing = RECEIPTS, name: str = game_id) -> bytes:
        signed = sign_receipts(accepted, signer, lambda length: bytes([next(salts)]) * length)
        return file_of(name, *signed)

    def of(version: int) -> Accepted:
        return Accepted(game_id, version, digests[version])

    alone, five = file(of(2)), file(*(of(version) for version in (1, 2, 5, 6, last)))
    yield "one that was signed alone", alone, []
    yield "five under one signature", five, []
    none = alone[: alone.rindex(b"\n", 0, -1) + 1]
    yield "none", none, []
    yield "another digest", file(of(1), Accepted(game_id, 2, bytes(32))), []
    yield "an event after the end", file(Accepted(game_id, last + 1, bytes(32))), []
    yield "an older key that was given", file(of(2), signer=OLD_RECEIPTS), [OLD_SERVER.key]
    yield (
        "another digest by a key that was not given",
        file(Accepted(game_id, 2, bytes(32)), signer=OLD_RECEIPTS),
        [],
    )
    yield "a receipt for another game", file(Accepted("another", 2, digests[2])), []
    yield "a file for another game", file(of(2), name="another"), []
    yield "no last line feed", alone[:-1], []
    yield "an empty line", alone + b"\n", []
    yield "one that is there twice", alone + alone.splitlines(keepends=True)[-1], []
    yield "a hash too many", rewritten(alone, lambda raw: raw + bytes(32)), []
    yield "half a hash too many", rewritten(alone, lambda raw: raw + bytes(16)), []
    yield (
        "an index that its tree does not have",
        rewritten(alone, lambda raw: raw[:56] + bytes([0, 0, 0, 1]) + raw[60:]),
        [],
    )
    yield "a tree without leaves", rewritten(alone, lambda raw: raw[:60] + bytes(4) + raw[64:]), []
    yield "another salt", rewritten(alone, lambda raw: raw[:40] + bytes(16) + raw[56:]), []
    yield "the version 0", rewritten(alone, lambda raw: bytes(8) + raw[8:]), []
    yield "a further key that is none", alone, ["no key"]
    yield "a further key of a witness", alone, [WITNESSING.key]
    yield "no receipts and a further key that is none", none, ["no key"]


def _made_by_hand(game_id: str, digests: dict[int, bytes], round_end: int) -> Iterator[Receipts]:
    """Receipts put together from the words of the page, at the edge of what there may be."""
    last, many = max(digests), [sha256(b"%d" % number).digest() for number in range(17)]

    def of(version: int, path: tuple[bytes, ...] = (), size: int = 1, signer: Signer = SERVER) -> bytes:
        return receipt(Accepted(game_id, version, digests.get(version, bytes(32))), signer, path=path, size=size)

    good = file_of(game_id, of(2))
    for about, file in {
        "a tree of 65,536 leaves": file_of(game_id, of(2, tuple(many[:16]), 1 << 16)),
        "a tree of 65,537 leaves": file_of(game_id, of(2, tuple(many[:1]), (1 << 16) + 1)),
        "seventeen hashes": file_of(game_id, of(2, tuple(many), 1 << 16)),
        "a tree of two leaves without a hash": file_of(game_id, of(2, (), 2)),
        "a version of 2^63": file_of(game_id, of(1 << 63)),
        "a bad signature": rewritten(good, lambda raw: raw[:131] + bytes([raw[131] ^ 1])),
        "half a receipt": rewritten(good, lambda raw: raw[:131]),
        "lines that end as on Windows": good.replace(b"\n", b"\r\n"),
        "a letter that is not ASCII": good[:-1] + "ä\n".encode(),
        "another first line": good.replace(b".v1", b".v2", 1),
        "no bytes": b"",
        "the first line alone": HEAD,
        "base64 with a line feed in it": good[:-5] + b"\n" + good[-5:],
    }.items():
        yield Receipts(about, file, [])
    renamed = file_of(game_id, of(2, signer=RENAMED))
    yield Receipts("a key of another name that was given", renamed, [RENAMED.key])
    lie = file_of(game_id, receipt(Accepted(game_id, 2, bytes(32)), RENAMED))
    yield Receipts("another digest by a key of another name", lie, [RENAMED.key])
    yield Receipts("a further key that is that of the bundle", good, [SERVER.key])
    yield Receipts("no file, and a further key", None, [OLD_SERVER.key])
    yield Receipts("no file, and a further key that is none", None, ["no key"])
    yield Receipts("a later event than the round", file_of(game_id, of(round_end + 1)), [], ROUND)
    unknown = receipt(Accepted(game_id, last + 1, bytes(32)))
    yield Receipts("an event after all that is known of the round", file_of(game_id, unknown), [], ROUND)
    bad = rewritten(file_of(game_id, of(round_end + 1)), lambda raw: raw[:131] + bytes([raw[131] ^ 1]))
    yield Receipts("a later event than the round, with a bad signature", bad, [], ROUND)


def file_of(game_id: str, *receipts: bytes) -> bytes:
    """A file with these receipts."""
    return b"".join([HEAD, game_id.encode(), b"\n", *(b64encode(one) + b"\n" for one in receipts)])


def receipt(accepted: Accepted, signer: Signer = SERVER, *, path: tuple[bytes, ...] = (), size: int = 1) -> bytes:
    """A receipt for the first leaf of a full tree, or for the one after it, written from the page alone."""
    salt, name = bytes(16), accepted.game_id.encode()
    version, digest = accepted.version.to_bytes(8, "big"), accepted.digest
    content = b"liarsdice.receipt.v1\n" + salt + len(name).to_bytes(2, "big") + name + version + digest
    node, index = sha256(b"\0" + content).digest(), size - 1 if size % 2 else 0
    for sibling in path:
        node = sha256(b"\1" + (sibling + node if index else node + sibling)).digest()
    signature = signer.private.sign(b"liarsdice.receipts.v1\n" + size.to_bytes(4, "big") + node)
    place = index.to_bytes(4, "big") + size.to_bytes(4, "big")
    return version + digest + salt + place + signer.id + signature + b"".join(path)


def rewritten(file: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """A file with one receipt whose bytes are changed."""
    head, raw = file[: file.rindex(b"\n", 0, -1) + 1], b64decode(file.splitlines()[-1])
    return head + b64encode(change(raw)) + b"\n"
