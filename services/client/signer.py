"""The signer of a seat's moves."""

from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from liarsdice.v1 import game_service_pb2 as wire

from domain.commands import Challenge, Forfeit, PlaceBid, Reroll, Roll, ShowAndReroll
from domain.signing import SignedMove, text_to_sign
from domain.values import Value

_UNKNOWN = b""
"""The server's link, which no seat signs."""


class Seen(Value, frozen=True):
    """The latest version that the client has seen, and the digest of its last event."""

    version: int
    digest: bytes


class Signer:
    """Signs the moves of one seat; without a key, none."""

    def __init__(self, key: bytes | None) -> None:
        self._key = None if key is None else Ed25519PrivateKey.from_private_bytes(key)

    @property
    def signs(self) -> bool:
        """Whether there is a key."""
        return self._key is not None

    @property
    def public(self) -> bytes | None:
        """The public key."""
        return None if self._key is None else self._key.public_key().public_bytes_raw()

    def sign(self, request: Any, game_id: str, seat: int, seen: Seen) -> None:
        """Put a signature under a request, for the game as the client has seen it."""
        assert self._key is not None
        text = text_to_sign(game_id, seen.version, seen.digest, move_of(request, seat))
        request.signature.CopyFrom(wire.MoveSignature(after_version=seen.version, signature=self._key.sign(text)))


def new_signing_key() -> bytes:
    """A fresh private key."""
    return Ed25519PrivateKey.generate().private_bytes_raw()


def move_of(request: Any, seat: int) -> SignedMove:
    """The move that a request asks for."""
    match request:
        case wire.RollRequest():
            return Roll(seat=seat, link=request.link, server_link=_UNKNOWN)
        case wire.PlaceBidRequest():
            reroll = _reroll(request.reroll) if request.HasField("reroll") else None
            return PlaceBid(seat=seat, quantity=request.quantity, face=request.face, reroll=reroll)
        case wire.ShowAndRerollRequest():
            return ShowAndReroll(seat=seat, reroll=_reroll(request.reroll))
        case wire.ChallengeRequest():
            return Challenge(seat=seat)
        case _:
            assert isinstance(request, wire.ForfeitRequest), "only moves are signed"
            return Forfeit(seat=seat)


def _reroll(message: wire.Reroll) -> Reroll:
    return Reroll(shown=tuple(message.shown), link=message.link, server_link=_UNKNOWN)
