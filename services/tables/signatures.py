"""Checks the signatures of moves."""

from base64 import b64encode

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from domain.commands import AnyCommand
from domain.signing import SignedMove, text_to_sign
from domain.state import Table
from infra.events.evidence import SIGNATURE_LENGTH, Signed
from services.tables.application import Head
from services.tables.refusals import SignatureMissing, SignatureStale, SignatureUnexpected, SignatureWrong, VersionAhead


def check_signature(table: Table, head: Head, command: AnyCommand, signed: Signed | None) -> None:
    """Refuse a move without the signature that its seat must give, or with one for an older state of the game."""
    if not isinstance(command, SignedMove):
        return
    key = table.players[command.seat].signing_key
    if key is None:
        if signed is not None:
            raise SignatureUnexpected(seat=command.seat)
        return
    if signed is None:
        raise SignatureMissing(seat=command.seat)
    if signed.after > head.version:
        raise VersionAhead(version=head.version, after_version=signed.after, field="signature.after_version")
    digest = head.digest_after(signed.after)
    if digest is None:
        raise SignatureStale(version=head.version, after_version=signed.after)
    # The text says nothing new to the player: the move is the player's own, and every seat sees the digest.
    text = text_to_sign(table.game_id, signed.after, digest, command)
    if not _is_good(key, signed, text):
        raise SignatureWrong(
            seat=command.seat,
            after_version=signed.after,
            signing_key=b64encode(key).decode(),
            text=text.decode(),
        )


def _is_good(key: bytes, signed: Signed, text: bytes) -> bool:
    if len(signed.signature) != SIGNATURE_LENGTH:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signed.signature, text)
    except (InvalidSignature, ValueError):
        return False
    return True
