"""Fair dice: chains of links that were fixed before the game, and the dice that follow from the links.

This is "The derivation, version 1" of fair-dice.md, section by section: chains, transcript, key and numbers.
"""

import hmac
from dataclasses import dataclass
from hashlib import sha256

from .form import with_length
from .report import Tally

SERVER = "the server"
TIED_OPENING_ROLLS = 64
FACE_COUNT = 6
BYTE_VALUES = 256

Links = list[tuple[int, bytes]]
"""The links of the seats that take part in a deal, in the order of the seats."""


def seat_name(seat: int) -> str:
    """The name of a seat as a party that has a chain."""
    return f"seat {seat}"


def chain_length(dice: int, *, with_rerolls: bool) -> int:
    """The length of the chains of a game, for so many dice of all seats together."""
    rounds_and_rerolls = dice * (dice - 1) // 2 if with_rerolls else dice - 1
    return TIED_OPENING_ROLLS + rounds_and_rerolls


@dataclass(frozen=True, slots=True)
class Link:
    """A link and its number; number 0 is the anchor."""

    content: bytes
    number: int


class Chains:
    """The last link that each party has revealed, and the number of the next call."""

    def __init__(self, game_id: str, length: int, anchors: dict[str, bytes], tally: Tally) -> None:
        self.next_call = 1
        self._prefix = b"liarsdice.chain.v1" + with_length(game_id.encode(), 1)
        self._length = length
        self._last = {party: Link(anchor, 0) for party, anchor in anchors.items()}
        self._tally = tally

    def reveals(self, party: str, content: bytes, number: int) -> bool:
        """Whether these bytes are the link with this number: hashing them must lead to the last link of the party."""
        last = self._last[party]
        if number > self._length or self._hashed(content, number - last.number) != last.content:
            return False
        self._last[party] = Link(content, number)
        self._tally.links += 1
        return True

    def _hashed(self, content: bytes, steps: int) -> bytes:
        """The link that is so many steps nearer to the anchor."""
        prefix = self._prefix
        for _ in range(steps):
            content = sha256(prefix + content).digest()
        return content


class FairDice:
    """The transcript of a game: a hash of everything that was fixed before the next deal."""

    def __init__(self, game_id: str, anchors: list[bytes], tally: Tally) -> None:
        """Begin with the anchors, the server's first and then those of the seats in their order."""
        first = b"liarsdice.transcript.v1" + with_length(game_id.encode(), 2) + b"".join(anchors)
        self._transcript = sha256(first).digest()
        self._tally = tally

    def deal(self, number: int, server_link: bytes, links: Links) -> bytes:
        """The key of the next deal, made from the links with this number. The deal also enters the transcript."""
        at = number.to_bytes(4, "big")
        secret = hmac.digest(self._transcript, server_link + b"".join(link for _, link in links), "sha256")
        taken_in = b"".join(bytes([seat]) + link for seat, link in links)
        self._transcript = sha256(self._transcript + at + taken_in).digest()
        return hmac.digest(secret, b"liarsdice.deal.v1" + at + b"\1", "sha256")

    def hand(self, key: bytes, seat: int, count: int) -> list[int]:
        """The dice that a deal gives to a seat."""
        self._tally.dice += count
        return [1 + number_below(key, b"die" + bytes([seat, die]), FACE_COUNT) for die in range(count)]


def drawn_position(key: bytes, count: int) -> int:
    """The position of the opener when a deal draws one of so many seats."""
    return number_below(key, b"opener", count)


def number_below(key: bytes, label: bytes, bound: int) -> int:
    """A number below a bound. Bytes that would make some numbers likelier than others are skipped."""
    limit = BYTE_VALUES - BYTE_VALUES % bound
    block = 0
    while True:
        for byte in hmac.digest(key, label + block.to_bytes(4, "big"), "sha256"):
            if byte < limit:
                return byte % bound
        block += 1
