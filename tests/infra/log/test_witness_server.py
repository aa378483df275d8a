"""A witness answers over HTTP as C2SP's tlog-witness says, and keeps what it has cosigned."""

from contextlib import AbstractContextManager
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from socket import create_connection

import pytest

from infra.log import merkle
from infra.log.cosigning import Request, read_request
from infra.log.notes import Cosigner, Signer, check_signed, read_note
from infra.log.witness_server import _ADDRESS_CONNECTIONS_MAX
from tests.infra.log.served_witnesses import served_witness
from tests.infra.log.tiled_logs import hashed, signed, tree_hash

LOG, OTHER = Signer("example.com/dice", b"l" * 32), Signer("example.com/other", b"o" * 32)
COSIGNER = Cosigner("example.org/witness", b"w" * 32)
LEAVES = [hashed(b"%d" % number) for number in range(40)]
NODES = merkle.appended(0, LEAVES, {})


def served(state: Path) -> AbstractContextManager[str]:
    """The witness on a port, until the block ends."""
    return served_witness(state, COSIGNER, LOG.verifier, OTHER.verifier)


def checkpoint(size: int, signer: Signer = LOG) -> bytes:
    return signed(signer, size, tree_hash(LEAVES[:size]))


def request(old: int, size: int, signer: Signer = LOG) -> bytes:
    """A good request."""
    return Request(old, merkle.consistency_proof(old, size, NODES), checkpoint(size, signer)).content


def posted(address: str, body: bytes, path: str = "/add-checkpoint") -> tuple[int, str | None, bytes]:
    connection = HTTPConnection(address, timeout=10)
    connection.request("POST" if body else "GET", path, body or None)
    answer = connection.getresponse()
    found = answer.status, answer.headers["Content-Type"], answer.read()
    connection.close()
    return found


def test_a_log_that_grows_gets_cosignatures_and_the_size_if_it_has_forgotten_it(tmp_path: Path) -> None:
    state = tmp_path / "state"
    known = 0
    for size in (3, 3, 7, 8, 40):
        with served(state) as address:  # A witness that starts anew knows everything.
            status, _, lines = posted(address, request(known, size))
            assert status == 200
            note = read_note(checkpoint(size) + lines)
            assert check_signed(note, [COSIGNER.verifier]) == (COSIGNER.verifier,)
            known = size
            assert posted(address, request(0, 40)) == (409, "text/x.tlog.size", b"%d\n" % size)
            assert posted(address, request(1, 40)) == (409, "text/x.tlog.size", b"%d\n" % size)
            status, _, kept = posted(address, b"", f"/{sha256(b'example.com/dice').hexdigest()}/checkpoint")
            assert status == 200
            assert len(check_signed(read_note(kept), [COSIGNER.verifier, LOG.verifier])) == 2
            assert lines in kept


def test_each_log_is_followed_by_itself(tmp_path: Path) -> None:
    with served(tmp_path / "state") as address:
        assert posted(address, request(0, 9))[0] == 200
        assert posted(address, b"", f"/{sha256(b'example.com/other').hexdigest()}/checkpoint")[0] == 404
        assert posted(address, request(0, 4, OTHER))[0] == 200
        assert posted(address, request(9, 12))[0] == 200
        assert posted(address, request(0, 5, OTHER)) == (409, "text/x.tlog.size", b"4\n")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (Request(5, (), checkpoint(9)).content, 422),
        (Request(5, (bytes(32),) * 3, checkpoint(9)).content, 422),
        (Request(5, (), signed(LOG, 5, bytes(32))).content, 422),
        (Request(5, (bytes(32),), checkpoint(5)).content, 422),
        (Request(5, (), checkpoint(4)).content, 400),
        (Request(0, (bytes(32),), checkpoint(3, OTHER)).content, 422),
        (Request(0, (), signed(OTHER, 0, bytes(32))).content, 422),
        (request(0, 3, Signer("example.com/unknown", b"u" * 32)), 404),
        (request(5, 9, Signer(LOG.verifier.name, b"x" * 32)), 403),
        (request(5, 9).replace(b"\n9\n", b"\n8\n"), 403),
        (b"old x\n\n" + checkpoint(9), 400),
        (b"old 05\n\n" + checkpoint(9), 400),
        (b"old -1\n\n" + checkpoint(9), 400),
        (b"old 5\nAAAA\n\n" + checkpoint(9), 400),
        (Request(5, (bytes(32),) * 64, checkpoint(9)).content, 400),
        (b"old 5\n" + checkpoint(9), 400),
        (b"anything", 400),
        (b"\xff\n\n\xff", 400),
    ],
)
def test_what_does_not_continue_the_log_gets_the_status_of_the_standard_and_changes_nothing(
    tmp_path: Path, body: bytes, status: int
) -> None:
    with served(tmp_path / "state") as address:
        assert posted(address, request(0, 5))[0] == 200
        content = (tmp_path / "state").read_bytes()
        assert posted(address, body)[0] == status
        assert (tmp_path / "state").read_bytes() == content


def test_the_example_of_a_request_is_read() -> None:
    body = request(5, 9)

    assert read_request(body) == Request(5, merkle.consistency_proof(5, 9, NODES), checkpoint(9))
    assert body.startswith(b"old 5\n")


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"POST /add-checkpoint HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n", b"413"),
        (b"POST /add-checkpoint HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"POST /add-checkpoint HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", b"400"),
        (b"POST /add-checkpoint HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"411"),
        (b"POST /add-checkpoint HTTP/1.1\r\n\r\n", b"411"),
        (b"GET /add-checkpoint HTTP/1.1\r\n\r\n", b"405"),
        (b"GET / HTTP/1.1\r\n\r\n", b"404"),
        (b"DELETE / HTTP/1.1\r\n\r\n", b"404"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET /" + b"a" * 10_000 + b" HTTP/1.1\r\n\r\n", b""),
    ],
)
def test_strange_requests_are_refused_in_bounds(tmp_path: Path, raw: bytes, status: bytes) -> None:
    with served(tmp_path / "state") as address:
        host, port = address.split(":")
        with create_connection((host, int(port)), 10) as client:
            client.sendall(raw)
            assert client.recv(1_000)[9:12] == status
        assert posted(address, request(0, 5))[0] == 200


def test_an_address_with_many_open_connections_gets_no_more_and_they_pass(tmp_path: Path) -> None:
    with served(tmp_path / "state") as address:
        host, port = address.split(":")
        idle = [create_connection((host, int(port)), 10) for _ in range(_ADDRESS_CONNECTIONS_MAX)]
        for client in idle:
            client.sendall(b"P")
        more = create_connection((host, int(port)), 10)
        assert more.recv(1) == b""
        for client in (*idle, more):
            client.close()
        while posted_or_none(address) is None:
            pass


def posted_or_none(address: str) -> int | None:
    """The status of a good request; None if the connection was closed at once."""
    try:
        return posted(address, request(0, 5))[0]
    except OSError:
        return None
