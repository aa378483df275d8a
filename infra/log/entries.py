"""The entries of the log: the texts whose hashes are the leaves of its tree. Anybody may read them.

An entry of today says where it belongs by two hashes, its places, and holds the digest of the events up to there. The
places follow from the game's id and the version, or from the game's id and what has ended there. So a reader who does not
know the id learns nothing about the game, and two entries for one version, or for the end of one round, have a place in
common, which everybody sees.

The first form of entries had the id itself. Logs keep such entries for ever, because their hashes are in the tree.
"""

from base64 import b64encode
from hashlib import sha256

from domain.refusals import Malformed
from domain.values import Value
from infra.log.merkle import HASH_LENGTH
from infra.log.notes import decoded_base64

FIRST_FORM, FORM = 1, 2
"""The forms of entries: the first one, and the one that is written today."""
_HEADS = {f"liarsdice.leaf.v{form}": form for form in (FIRST_FORM, FORM)}
_LINES = {FIRST_FORM: 5, FORM: 4}
_DIGITS_MAX = 16
_ROUND_ENDED = "round-ended"


class Entry(Value, frozen=True):
    """An entry as everybody reads it."""

    form: int
    places: tuple[bytes, ...]
    """Two entries of an honest log have none in common."""
    digest: bytes


def entry_text(  # noqa: PLR0917 - all that an entry says
    form: int, game_id: str, version: int, topic: str, round_number: int | None, digest: bytes
) -> bytes:
    """The text of the entry for the end of a round; for the end of a game without `round_number`."""
    if form == FIRST_FORM:
        lines: tuple[str, ...] = (game_id, str(version), topic, _base64(digest))
    else:
        assert form == FORM
        places = (version_place(game_id, version), end_place(game_id, round_number))
        lines = tuple(_base64(value) for value in (*places, digest))
    return "".join(f"{line}\n" for line in (f"liarsdice.leaf.v{form}", *lines)).encode()


def version_place(game_id: str, version: int) -> bytes:
    """The place of a version of a game."""
    return sha256(f"liarsdice.version-place.v1\n{game_id}\n{version}\n".encode()).digest()


def end_place(game_id: str, round_number: int | None) -> bytes:
    """The place of the end of a round; without a number, of the end of the game."""
    ended = "game" if round_number is None else f"round {round_number}"
    return sha256(f"liarsdice.end-place.v1\n{game_id}\n{ended}\n".encode()).digest()


def read_entry(content: bytes) -> Entry:
    """The entry from its text."""
    *lines, rest = content.decode("utf-8", "replace").split("\n")
    form = _HEADS.get(lines[0]) if lines else None
    if form is None or len(lines) != _LINES[form] or rest:
        raise _not_an_entry("it has neither the lines of the first form nor those of today's")
    hashes = [decoded_base64(line) for line in (lines[1:] if form == FORM else lines[-1:])]
    known = [value for value in hashes if value is not None and len(value) == HASH_LENGTH]
    if len(known) < len(hashes):
        raise _not_an_entry(f"a line is not the base64 of {HASH_LENGTH} bytes")
    *places, digest = known
    return Entry(form, tuple(places) if form == FORM else _places_of_first_form(*lines[1:4]), digest)


def _places_of_first_form(game_id: str, version: str, topic: str) -> tuple[bytes, ...]:
    """The places of an entry with the id itself. It does not say which round ended."""
    if not (version.isascii() and version.isdigit()) or len(version) > _DIGITS_MAX:
        raise _not_an_entry("its version is not a number")
    ends_round = topic.partition(".")[0] == _ROUND_ENDED
    return (version_place(game_id, int(version)), *(() if ends_round else (end_place(game_id, None),)))


def _base64(value: bytes) -> str:
    return b64encode(value).decode()


def _not_an_entry(problem: str) -> Malformed:
    return Malformed(what="entry of the log", problem=problem)
