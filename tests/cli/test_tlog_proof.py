"""The proof files for other programs: they hold by the text of C2SP's tlog-proof alone."""

from base64 import b64decode, b64encode
from hashlib import sha256

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from domain.options import Options
from infra.log.proof_file import write_proof_file
from services.cli.tlog_proof import tlog_proof
from services.simulation.simulation import Setup
from tests.verifier.games import Stored, bundle, played, rounds_of, stored
from tests.verifier.log import SERVER, WITNESSING

GAME = stored(played(Setup("bidding-track", Options(dice_each=2), 3), "proven"), form=2)
OLD = stored(played(Setup("bidding-track", Options(dice_each=2), 3), "proven"), form=1)


def holds(entry: bytes, file: bytes) -> bool:
    """Written from the page of the format, with nothing of this program: is the entry in the log that the file names?"""
    head, _, checkpoint = file.decode().partition("\n\n")
    first, index, *hashes = head.split("\n")
    assert first == "c2sp.org/tlog-proof@v1"
    assert index.startswith("index ")
    text, _, signatures = checkpoint.rpartition("\n\n")
    name, size, root = text.split("\n")
    mine = [line.split(" ")[2] for line in signatures.splitlines() if line.startswith(f"— {name} ")]
    Ed25519PublicKey.from_public_bytes(SERVER.public[1:]).verify(b64decode(mine[0])[4:], f"{text}\n".encode())
    # RFC 9162, section 2.1.3.2.
    at, last, value = int(index.removeprefix("index ")), int(size) - 1, sha256(b"\0" + entry).digest()
    for sibling in map(b64decode, hashes):
        if at & 1 or at == last:
            value = sha256(b"\1" + sibling + value).digest()
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            value = sha256(b"\1" + value + sibling).digest()
        at, last = at >> 1, last >> 1
    return last == 0 and value == b64decode(root)


@pytest.mark.parametrize("game", [GAME, OLD], ids=["today's entries", "entries of the first form"])
def test_the_proof_of_each_round_holds_and_of_nothing_else(game: Stored) -> None:
    for number in (*rounds_of(game), None):
        entry, file = tlog_proof(bundle(game, number, (SERVER, WITNESSING)))

        assert holds(entry, file)
        assert not holds(entry.replace(b"v", b"w"), file)
        assert file.count("— ".encode()) == 2


def test_a_file_is_spelled_as_the_page_of_the_format_says() -> None:
    """A vector that was computed by hand: the second of the leaves `a` and `b`."""
    root = sha256(b"\1" + sha256(b"\0a").digest() + sha256(b"\0b").digest()).digest()
    note = f"dice.example/log\n2\n{b64encode(root).decode()}\n"
    checkpoint = f"{note}\n{SERVER.line(note)}".encode()
    sibling = "Aippeebat6pa5MPl5F9+l3ESp+Y1k4INvsHsc4ok+Tw="

    file = write_proof_file(1, [b64decode(sibling)], checkpoint)
    assert b64decode(sibling) == sha256(b"\0a").digest()
    assert file == b"c2sp.org/tlog-proof@v1\nindex 1\n" + sibling.encode() + b"\n\n" + checkpoint
    assert holds(b"b", file)
    assert (
        write_proof_file(0, [], checkpoint, b"more")
        == b"c2sp.org/tlog-proof@v1\nextra bW9yZQ==\nindex 0\n\n" + checkpoint
    )
