"""From revealed links to dice, version 1. `docs/reference/fair-dice.md` has the same in words, with test vectors."""

import hmac
from hashlib import sha256

VERSION = 1

SeatLink = tuple[int, bytes]
"""A seat and the link it revealed."""


def first_transcript(game_id: str, server_anchor: bytes, anchors: tuple[bytes, ...]) -> bytes:
    """The hash of what was fixed before the first roll: the game and everybody's commitment, in seat order."""
    name = game_id.encode()
    return sha256(
        b"liarsdice.transcript.v1" + len(name).to_bytes(2, "big") + name + server_anchor + b"".join(anchors)
    ).digest()


def next_transcript(transcript: bytes, call: int, links: tuple[SeatLink, ...]) -> bytes:
    """The transcript after a deal, with the number of its links and the players' links in seat order."""
    return sha256(transcript + _number(call) + b"".join(bytes((seat,)) + link for seat, link in links)).digest()


def deal_key(transcript: bytes, call: int, server_link: bytes, links: tuple[SeatLink, ...]) -> bytes:
    """The key of a deal: HKDF-SHA256 (RFC 5869) of the server's link and the links of all who roll, in seat order."""
    material = server_link + b"".join(link for _, link in links)
    extracted = hmac.digest(transcript, material, "sha256")
    return hmac.digest(extracted, b"liarsdice.deal.v1" + _number(call) + b"\x01", "sha256")


def hand(key: bytes, seat: int, count: int) -> tuple[int, ...]:
    """The dice of a seat in a deal: each from its own stream of bytes, so none depends on how many there are."""
    keyed = hmac.new(key, digestmod="sha256")
    return tuple([1 + _below(6, keyed, b"die" + bytes((seat, die))) for die in range(count)])


def drawn(key: bytes, seats: tuple[int, ...]) -> int:
    """One of the seats, each equally likely."""
    return seats[_below(len(seats), hmac.new(key, digestmod="sha256"), b"opener")]


def _below(bound: int, keyed: hmac.HMAC, label: bytes) -> int:
    """A number from 0 up to, not including, `bound`, from the bytes of HMAC-SHA256(key, label, block).

    Bytes that would favour the low numbers are skipped; if a whole block is, the next one follows.
    """
    limit = 256 - 256 % bound
    block = 0
    while True:
        source = keyed.copy()
        source.update(label + _number(block))
        for byte in source.digest():
            if byte < limit:
                return byte % bound
        block += 1


def _number(number: int) -> bytes:
    return number.to_bytes(4, "big")
