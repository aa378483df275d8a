"""The published vectors hold: whoever writes another verifier can run them against it."""

import binascii
import json
import re
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tests.verifier.grammar import PAGE
from tests.verifier.vectors import FILE, all_receipts, bundles, consistency, failed_check, tlog_proofs

VECTORS: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
CHECKS = {
    *("form", "digests", "commitments", "signatures", "links", "dice", "bids", "outcome"),
    *("leaf", "inclusion", "checkpoint"),
}


@pytest.mark.parametrize("vector", VECTORS["bundles"], ids=lambda vector: vector["about"])
def test_a_published_bundle_has_the_published_verdict(vector: dict[str, Any]) -> None:
    found = failed_check(vector["bundle"].encode(), vector["public_key"], vector["witness_keys"])

    assert found == vector["failed"]


@pytest.mark.parametrize("vector", VECTORS["receipts"], ids=lambda vector: vector["about"])
def test_a_published_file_of_receipts_has_the_published_verdict(vector: dict[str, Any]) -> None:
    bundle, file = VECTORS["bundles"][vector["bundle_index"]], vector["file"]
    given = None if file is None else file.encode()
    found = failed_check(bundle["bundle"].encode(), bundle["public_key"], [], given, vector["receipt_keys"])

    assert found == vector["failed"]


def test_a_published_receipt_is_made_as_the_page_says() -> None:
    """Written from the page, with nothing of the verifier or the server."""
    digests = VECTORS["digests"]
    name, by_version = digests["game_id"].encode(), {event["version"]: event for event in digests["events"]}
    key = b64decode(VECTORS["bundles"][0]["public_key"].split("+", 2)[2])[1:]
    alone, five = (b64decode(VECTORS["receipts"][index]["file"].split("\n")[2]) for index in (0, 1))
    assert len(alone) == 132
    assert len(five) == 132 + 3 * 32
    for receipt in (alone, five):
        version, digest, salt = receipt[:8], receipt[8:40], receipt[40:56]
        assert digest == b64decode(by_version[int.from_bytes(version, "big")]["digest"])
        content = b"liarsdice.receipt.v1\n" + salt + len(name).to_bytes(2, "big") + name + version + digest
        node = sha256(b"\0" + content).digest()
        for start in range(132, len(receipt), 32):  # The first leaf: every sibling is on the right.
            node = sha256(b"\1" + node + receipt[start : start + 32]).digest()
        statement = b"liarsdice.receipts.v1\n" + receipt[60:64] + node
        Ed25519PublicKey.from_public_bytes(key).verify(receipt[68:132], statement)


def test_the_published_receipts_are_good_and_bad_and_all_that_are_told_of() -> None:
    assert {vector["failed"] for vector in VECTORS["receipts"]} == {None, "form", "receipts"}
    assert [vector["about"] for vector in VECTORS["receipts"]] == [about for about, *_ in all_receipts()]


def test_the_published_bundles_are_good_and_bad_and_all_that_are_told_of() -> None:
    failed = {vector["failed"] for vector in VECTORS["bundles"]}

    assert failed == {None, *CHECKS}
    assert [vector["about"] for vector in VECTORS["bundles"]] == [about for about, *_ in bundles()]


def test_published_digests_commitments_signatures_and_leaves_are_made_as_the_page_says() -> None:
    """Written from the page, with nothing of the verifier or the server."""
    digests = VECTORS["digests"]
    name = digests["game_id"].encode()
    before = sha256(b"liarsdice.game.v1\n" + len(name).to_bytes(2, "big") + name).digest()
    assert before == b64decode(digests["digest_0"])
    signed = 0
    for event in digests["events"]:
        topic, public = event["topic"].encode(), event["public"].encode()
        content = before + event["version"].to_bytes(8, "big")
        content += len(topic).to_bytes(2, "big") + topic + len(public).to_bytes(4, "big") + public
        committed, signing = b"\0", b""
        if "opened" in event:
            commitment = sha256(b"liarsdice.secret.v1\n" + b64decode(event["opened"])).digest()
            assert commitment == b64decode(event["commitment"])
            committed = b"\1" + commitment
        if "signature" in event:
            signed += 1
            signature, text = b64decode(event["signature"]), event["signed_text"]
            Ed25519PublicKey.from_public_bytes(b64decode(event["signing_key"])).verify(signature, text.encode())
            signing = int(text.split("\n")[2]).to_bytes(8, "big") + signature
        content += committed + len(signing).to_bytes(2, "big") + signing
        before = sha256(b"liarsdice.event.v1\n" + content).digest()
        assert before == b64decode(event["digest"])
        if "leaf" in event:
            fields, ends_round = json.loads(event["public"]), event["topic"].startswith("round-ended.")
            version_place = ("liarsdice.version-place.v1", digests["game_id"], event["version"])
            ended = f"round {fields['number']}" if ends_round else "game"
            places = [hashed(version_place), hashed(("liarsdice.end-place.v1", digests["game_id"], ended))]
            assert event["leaf"] == lines_of("liarsdice.leaf.v2", *places, event["digest"])
            assert sha256(b"\0" + event["leaf"].encode()).digest() == b64decode(event["leaf_hash"])
    assert signed > 5


def lines_of(*lines: object) -> str:
    """A text of lines, each of which ends with a line feed."""
    return "".join(f"{line}\n" for line in lines)


def hashed(lines: tuple[object, ...]) -> str:
    """The hash of a text, in base64."""
    return b64encode(sha256(lines_of(*lines).encode()).digest()).decode()


def test_a_published_proof_for_other_programs_has_the_entry_and_the_proof_of_its_bundle() -> None:
    """Written from the page, with nothing of the verifier or the server."""
    for vector in VECTORS["tlog_proofs"][:3]:
        bundle = VECTORS["bundles"][vector["bundle_index"]]
        members = json.loads(bundle["bundle"])
        hashes = "".join(f"{one}\n" for one in members["proof"])
        version, digest = members["events"][-1]["version"], members["events"][-1]["digest"]

        assert vector["about"] == bundle["about"]
        assert vector["proof"] == f"c2sp.org/tlog-proof@v1\nindex {members['leaf']}\n{hashes}\n{members['checkpoint']}"
        assert vector["entry"].endswith(f"\n{digest}\n")
        assert "leaf.v1" not in vector["entry"] or f"\n{version}\n" in vector["entry"]


def test_the_published_proofs_for_other_programs_hold_as_they_say() -> None:
    """Written from the page, with nothing of the verifier or the server."""
    told = VECTORS["tlog_proofs"]
    keys = [VECTORS["bundles"][vector["bundle_index"]]["public_key"] for vector in told]

    assert told == [*tlog_proofs()]
    found = [proves(one["entry"].encode(), one["proof"], key) for one, key in zip(told, keys, strict=True)]
    assert found == [one["holds"] for one in told]
    assert 3 < found.count(True) < len(found) / 2


PROOF = re.compile(
    r"c2sp\.org/tlog-proof@v1\n(?:extra (?P<extra>\S+)\n)?index (?P<index>0|[1-9]\d*)\n(?P<hashes>(?:.{44}\n)*)\n"
    r"(?P<text>(?P<origin>.+)\n(?P<size>\d+)\n(?P<root>.{44})\n)\n(?P<signatures>(?:— .+\n)+)"
)


def proves(entry: bytes, file: str, key: str) -> bool:
    """Whether a log with this key has the entry, by the proof in a file."""
    proof = PROOF.fullmatch(file)
    try:
        b64decode((proof and proof["extra"]) or "", validate=True)
    except binascii.Error:
        return False
    return proof is not None and is_signed(proof, key) and leads_to_the_root(proof, entry)


def is_signed(proof: re.Match[str], key: str) -> bool:
    """Whether the key has signed the checkpoint."""
    name, key_id, public = key.split("+", 2)
    lines = [line.split(" ") for line in proof["signatures"].splitlines()]
    mine = [content for _, signer, text in lines if (content := b64decode(text))[:4].hex() == key_id and signer == name]
    for content in mine:
        Ed25519PublicKey.from_public_bytes(b64decode(public)[1:]).verify(content[4:], proof["text"].encode())
    return bool(mine)


def leads_to_the_root(proof: re.Match[str], entry: bytes) -> bool:
    """Whether the hash of the entry leads to the root, by RFC 6962, section 2.1.1, from the last hash down."""
    left = [b64decode(line) for line in proof["hashes"].splitlines()]

    def path(index: int, count: int) -> bytes:
        if count == 1:
            return sha256(b"\0" + entry).digest()
        half, sibling = half_of(count), left.pop()
        if index < half:
            return sha256(b"\1" + path(index, half) + sibling).digest()
        return sha256(b"\1" + sibling + path(index - half, count - half)).digest()

    index, size = int(proof["index"]), int(proof["size"])
    try:
        return index < size and path(index, size) == b64decode(proof["root"]) and not left
    except IndexError:  # There are fewer hashes than this leaf needs.
        return False


def half_of(count: int) -> int:
    """The largest power of two below a number of leaves."""
    return 1 << ((count - 1).bit_length() - 1)


def test_the_page_shows_the_first_published_proof() -> None:
    shown = PAGE.read_text(encoding="utf-8").partition("### Proofs for other programs")[2].partition("\n## ")[0]
    lines = VECTORS["tlog_proofs"][0]["proof"].splitlines()

    assert "\n".join(f"    {line}" if line else "" for line in lines) in shown


def test_the_published_proofs_between_two_sizes_hold_as_they_say() -> None:
    told = VECTORS["consistency"]

    assert told == [*consistency()]
    assert [one["holds"] for one in told] == [is_consistent(one) for one in told]
    assert 7 < [one["holds"] for one in told].count(True) < len(told) / 2


def is_consistent(vector: dict[str, Any]) -> bool:
    """Written from the page and RFC 6962, section 2.1.2, for a log of which all leaves are known."""
    hashes = [sha256(b"\0leaf %d\n" % number).digest() for number in range(8)]
    old, new = vector["old_size"], vector["new_size"]
    roots = [b64encode(root(hashes[:size])).decode() for size in (old, new)]
    if old > new or roots != [vector["old_root"], vector["new_root"]]:
        return False
    expected = [] if old == 0 else subproof(old, hashes[:new], is_whole=True)
    proof: list[str] = vector["proof"]
    return proof == [b64encode(one).decode() for one in expected]


def root(hashes: list[bytes]) -> bytes:
    """The root above these hashes of leaves."""
    if len(hashes) < 2:
        return hashes[0] if hashes else sha256(b"").digest()
    half = half_of(len(hashes))
    return sha256(b"\1" + root(hashes[:half]) + root(hashes[half:])).digest()


def subproof(old: int, hashes: list[bytes], *, is_whole: bool) -> list[bytes]:
    """SUBPROOF of RFC 6962, section 2.1.2."""
    if old == len(hashes):
        return [] if is_whole else [root(hashes)]
    half = half_of(len(hashes))
    if old <= half:
        return [*subproof(old, hashes[:half], is_whole=is_whole), root(hashes[half:])]
    return [*subproof(old - half, hashes[half:], is_whole=False), root(hashes[:half])]
