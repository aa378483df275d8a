"""How the secret part of an event is stored: encrypted, as a text beside its public part (`infra.events.evidence`).

    {"at":1767225600000,"sealed":"<base64 of: key id, 8 bytes | nonce, 12 | ciphertext | tag, 16>"}

AES-256-GCM also protects what is around the secrets: the game, the position in it, the topic and every public byte are
its associated data. A sealed part opens only in the event that it was made for.
"""

from binascii import a2b_base64, b2a_base64
from collections.abc import Callable

from cryptography.exceptions import InvalidTag

from domain.refusals import Refusal
from domain.values import Value
from infra.keys.key_ring import KEY_ID_LENGTH, Key, KeyRing

NONCE_LENGTH = 12
_TAG_LENGTH = 16
_SEALED_LENGTH_MIN = KEY_ID_LENGTH + NONCE_LENGTH + _TAG_LENGTH


class SealBroken(Refusal):
    """The secrets of event {version} of game {game_id} can't be opened: they were changed, moved or sealed with another key."""


class KeyMissing(Refusal):
    """The secrets of event {version} of game {game_id} need the key {key_id}, which is not among the keys at hand."""


class NothingToSealWith(Refusal):
    """The secrets of event {version} of game {game_id} can't be stored without a key to seal them with."""


class Place(Value, frozen=True):
    """Where an event stands: its game, its position in that game, and its topic."""

    game_id: str
    version: int
    topic: str


def seal(secret: bytes, public: bytes, place: Place, key: Key, random: Callable[[int], bytes]) -> bytes:
    """The sealed text of a secret, which opens only at this place. `random` must never repeat its bytes for one key."""
    nonce = random(NONCE_LENGTH)
    ciphertext = key.cipher.encrypt(nonce, secret, _surroundings(public, place))
    return b2a_base64(key.id + nonce + ciphertext, newline=False)


def key_id_of(sealed: bytes, place: Place) -> bytes:
    """The id of the key that a sealed text says it needs."""
    return _unwrapped(sealed, place)[:KEY_ID_LENGTH]


def unseal(sealed: bytes, public: bytes, place: Place, keys: KeyRing) -> bytes | None:
    """The secret JSON object, or None without the key that it was sealed with."""
    raw = _unwrapped(sealed, place)
    key = keys.find(raw[:KEY_ID_LENGTH])
    if key is None:
        return None
    nonce, ciphertext = raw[KEY_ID_LENGTH : KEY_ID_LENGTH + NONCE_LENGTH], raw[KEY_ID_LENGTH + NONCE_LENGTH :]
    try:
        return key.cipher.decrypt(nonce, ciphertext, _surroundings(public, place))
    except InvalidTag:
        raise SealBroken(game_id=place.game_id, version=place.version) from None


def joined(public: bytes, secret: bytes) -> bytes:
    """One JSON object with the fields of both; where both have a field, the secret one counts."""
    return public[:-1] + b"," + secret[1:]


def _surroundings(public: bytes, place: Place) -> bytes:
    """The bytes around a secret that its seal protects. The length says where the game id ends, whatever is in it."""
    game_id = place.game_id.encode()
    return b"liarsdice-seal.v1\n%b\n%d\n%d\n%b\n%b" % (
        place.topic.encode(),
        place.version,
        len(game_id),
        game_id,
        public,
    )


def _unwrapped(sealed: bytes, place: Place) -> bytes:
    try:
        raw = a2b_base64(sealed, strict_mode=True)
    except ValueError:
        raw = b""
    # Base64 has several spellings for some bytes; we accept only the one that we write.
    if len(raw) < _SEALED_LENGTH_MIN or b2a_base64(raw, newline=False) != sealed:
        raise SealBroken(game_id=place.game_id, version=place.version)
    return raw
