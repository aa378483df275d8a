"""What the server makes of a request: the id of the game that it asks for, and the fingerprint that is stored with it.

Both are always the same for the same request, in every process. Nobody without the keys can compute them. So the id of
the next table doesn't follow from a request id that can be guessed, and nobody who reads the database can try out
invitation codes on a fingerprint.
"""

from hashlib import blake2b

from domain.ids import new_game_id
from infra.keys.key_ring import KeyRing

_FINGERPRINT_LENGTH = 16


class RequestMarks:
    """Makes ids and fingerprints."""

    __slots__ = ("_of_fingerprints", "_of_ids")

    def __init__(self, keys: KeyRing) -> None:
        self._of_ids = keys.secret_for("game ids")
        self._of_fingerprints = keys.secret_for("fingerprints of requests")

    def game_id(self, *parts: str) -> str:
        """The id of the game that a request with these parts asks for."""
        return new_game_id(self._of_ids, *parts)

    def fingerprint(self, kind: str, content: bytes) -> bytes:
        """The fingerprint of a request, so that another request with the same id is noticed.

        It includes the kind of request, because requests of two kinds may have the same bytes.
        """
        hashed = blake2b(f"{kind}\n".encode(), digest_size=_FINGERPRINT_LENGTH, key=self._of_fingerprints)
        hashed.update(content)
        return hashed.digest()
