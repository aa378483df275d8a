"""The published vectors hold: whoever writes another verifier can run them against it."""

import json
from base64 import b64decode
from hashlib import sha256
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tests.verifier.vectors import FILE, bundles, failed_check

VECTORS: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
CHECKS = {"form", "digests", "signatures", "dice", "bids", "outcome", "checkpoint"}


@pytest.mark.parametrize("vector", VECTORS["bundles"], ids=lambda vector: vector["about"])
def test_a_published_bundle_has_the_published_verdict(vector: dict[str, Any]) -> None:
    found = failed_check(vector["bundle"].encode(), vector["public_key"], vector["witness_keys"])

    assert found == vector["failed"]


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
            lines = ("liarsdice.leaf.v1", digests["game_id"], event["version"], event["topic"], event["digest"])
            assert event["leaf"] == "".join(f"{line}\n" for line in lines)
            assert sha256(b"\0" + event["leaf"].encode()).digest() == b64decode(event["leaf_hash"])
    assert signed > 5
