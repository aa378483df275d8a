"""What proves an event is stored with it, is found again, and covers every byte of it."""

from base64 import b64encode
from hashlib import sha256

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.events import BidPlaced, DiceDealt
from domain.refusals import Malformed, Refusal
from infra.events.evidence import (
    Evidence,
    Signed,
    committed,
    digest_of,
    first_digest,
    is_spelled_rightly,
    next_digest,
    split_evidence,
    with_evidence,
)
from infra.events.mapping import EventMapper, EventTranscoder, GameEvent
from infra.events.sealing import SealBroken
from infra.keys.key_ring import Key, KeyRing
from tests.golden.samples import EVENTS

KEYS = KeyRing([Key(bytes(32))])
MAPPER = EventMapper(EventTranscoder(KEYS, must_open=True))
PREVIOUS = first_digest("game")
DEAL = DiceDealt(at=7, server_link=bytes(range(32)), hands=((1, 2, 3), (), (6,)))
BID = BidPlaced(at=7, seat=0, quantity=3, face=6)
SIGNED = Signed(17, bytes(range(64)))

HASHES = st.binary(min_size=32, max_size=32)
EVIDENCE: st.SearchStrategy[Evidence] = st.builds(
    Evidence,
    commitment=st.none() | HASHES,
    sealed=st.none() | st.binary(min_size=1, max_size=80).map(b64encode),
    signed=st.none() | st.builds(Signed, st.integers(0, 2**53), st.binary(min_size=64, max_size=64)),
    digest=st.none() | HASHES,
)
PUBLIC = st.sampled_from(
    [b'{"at":0}', b'{"name":"\\",\\"digest\\":\\"","at":5}', b'{"at":5,"name":"x"}', b'{"at":5,"list":[1]}']
)


@for_all(PUBLIC, EVIDENCE)
def test_what_is_stored_with_an_event_is_found_again(public: bytes, evidence: Evidence) -> None:
    state = with_evidence(public, evidence)

    assert split_evidence(state) == (public, evidence)
    assert is_spelled_rightly(state)
    assert digest_of(state) == evidence.digest


def test_the_digest_is_the_one_of_the_document() -> None:
    """Put together here from the words of docs/reference/audit-format.md."""
    public, commitment = b'{"seat":0,"at":7}', bytes(32)
    first = sha256(b"liarsdice.game.v1\n" + b"\x00\x04" + b"game").digest()
    head = (
        b"liarsdice.event.v1\n" + first + bytes(7) + b"\x01" + b"\x00\x09" + b"rolled.v1" + bytes(3) + b"\x11" + public
    )
    plain = sha256(head + b"\x00" + b"\x00\x00").digest()
    whole = sha256(head + b"\x01" + commitment + b"\x00\x48" + bytes(7) + b"\x11" + SIGNED.signature).digest()

    assert first_digest("game") == first
    assert next_digest(first, 1, "rolled.v1", public, commitment=None, signed=None) == plain
    assert next_digest(first, 1, "rolled.v1", public, commitment=commitment, signed=SIGNED) == whole
    assert committed(b"s" * 32, b"{}") == sha256(b"liarsdice.secret.v1\n" + b"s" * 32 + b"{}").digest()


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: str(event.TOPIC))
def test_events_are_stored_with_their_digest_and_read_with_it(event: BidPlaced) -> None:
    stored = MAPPER.to_stored_event(GameEvent("game", 3, event, SIGNED, PREVIOUS))

    read = MAPPER.to_domain_event(stored)

    assert (read.event, read.signed) == (event, SIGNED)
    assert read.digest == MAPPER.digest(stored, PREVIOUS) == digest_of(stored.state)
    assert read.digest != MAPPER.digest(stored, bytes(32))


def test_equal_hands_have_different_commitments_and_nothing_public_tells_them() -> None:
    states = [MAPPER.to_stored_event(GameEvent("game", 3, DEAL, previous=PREVIOUS)).state for _ in range(50)]
    commitments = {split_evidence(state)[1].commitment for state in states}

    assert len(commitments) == 50
    for state in states:
        assert b64encode(DEAL.server_link or b"") not in state


def test_the_opening_is_what_the_commitment_was_made_of() -> None:
    stored = MAPPER.to_stored_event(GameEvent("game", 3, DEAL, previous=PREVIOUS))
    opening = MAPPER.opening(stored)
    assert opening is not None

    assert committed(opening[:32], opening[32:]) == split_evidence(stored.state)[1].commitment
    assert b'"hands":[[1,2,3],[],[6]]' in opening[32:]
    assert MAPPER.opening(MAPPER.to_stored_event(GameEvent("game", 3, BID, previous=PREVIOUS))) is None


@pytest.mark.parametrize("event", [BID, DEAL], ids=["public", "sealed"])
def test_every_changed_byte_of_a_stored_event_shows(event: BidPlaced | DiceDealt) -> None:
    """It can't be read, or is not spelled as we spell it, or has another digest than it says, or its seal is broken."""
    stored = MAPPER.to_stored_event(GameEvent("game", 3, event, SIGNED, PREVIOUS))
    for position in range(len(stored.state)):
        for bit in range(8):
            changed = bytearray(stored.state)
            changed[position] ^= 1 << bit
            tampered = type(stored)(stored.originator_id, stored.originator_version, stored.topic, bytes(changed))
            try:
                read = MAPPER.to_domain_event(tampered)
                holds = is_spelled_rightly(tampered.state) and read.digest == MAPPER.digest(tampered, PREVIOUS)
            except Refusal:
                continue
            assert not holds, (position, bit)


def test_a_commitment_to_something_else_breaks_the_seal() -> None:
    stored = MAPPER.to_stored_event(GameEvent("game", 3, DEAL, previous=PREVIOUS))
    public, evidence = split_evidence(stored.state)
    other = Evidence(commitment=bytes(32), sealed=evidence.sealed, digest=evidence.digest)

    with pytest.raises(SealBroken):
        MAPPER.to_domain_event(type(stored)("game", 3, stored.topic, with_evidence(public, other)))


@pytest.mark.parametrize(
    "state",
    [
        b"",
        b"x",
        b'{"at":1,"signed":{"after":x,"signature":"AA=="},"digest":"%b"}' % b64encode(bytes(32)),
        b'{"at":1,"signed":{"after":1,"signature":"AA=="},"digest":"%b"}' % b64encode(bytes(32)),
        b'{"at":1,"commitment":"AA==","digest":"%b"}' % b64encode(bytes(32)),
        b'{"at":1,"digest":"%b"}' % (b"!" * 44),
    ],
)
def test_what_is_no_evidence_is_malformed(state: bytes) -> None:
    with pytest.raises(Malformed):
        split_evidence(state)
