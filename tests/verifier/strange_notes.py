"""Notes, keys and logs for the test vectors that are at the edge of what the format allows, or beyond it."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from tests.verifier.changes import cut, edited, text_of
from tests.verifier.games import leaf_of, stored
from tests.verifier.log import ORIGIN, SERVER, WITNESSING, Signer
from tests.verifier.scripted import scripted
from tests.verifier.strange_keys import Told

SMALL = "a game abandoned in the lobby"
WIDE = "\U0001f3b2"
"""A character that has two parts in UTF-16."""
U64_MAX = 2**64 - 1


def small_leaf() -> bytes:
    """The leaf of a small game."""
    play = scripted(SMALL)
    made = stored(play)
    return leaf_of(made.game_id, len(play.entries), play.entries[-1], made.events[-1].digest or b"")


def small(note: Callable[[str], str], *, log: tuple[int, int, list[bytes]] | None = None, **members: Any) -> bytes:
    """A small game under a note that is made from its text; the log has an index, a size and hashes for the proof."""
    play, leaf = scripted(SMALL), small_leaf()
    index, size, proof = log or (0, 1, [])
    root = root_by(sha256(b"\0" + leaf).digest(), index, size, proof)
    text = f"{ORIGIN}\n{size}\n{text_of(root)}\n"
    told = {"leaf": index, "proof": [text_of(one) for one in proof], "checkpoint": note(text), "key": SERVER.key}
    return edited(cut(play, play.entries, len(play.entries)), lambda one: one.update(told | members))


def root_by(node: bytes, index: int, size: int, proof: list[bytes]) -> bytes:
    """The root to which these hashes lead, from the sibling up."""
    last, rest = size - 1, iter(proof)
    while last:
        if index & 1 or index < last:
            sibling = next(rest)
            node = sha256(b"\1" + (sibling + node if index & 1 else node + sibling)).digest()
        index, last = index >> 1, last >> 1
    return node


def signed(text: str) -> str:
    """A note that the log has signed."""
    return f"{text}\n{SERVER.line(text)}"


def edge_logs() -> Iterator[Told]:
    """Logs of all sizes."""
    hashes = [sha256(b"%d" % number).digest() for number in range(64)]
    huge = 2**53 - 1
    for about, (index, size, count) in {
        "a log of one leaf": (0, 1, 0),
        "the last of seven leaves": (6, 7, 2),
        "leaf 2^31 of 2^31 + 1": (2**31, 2**31 + 1, 1),
        "leaf 5 of 2^32": (5, 2**32, 32),
        "the first of 2^53 - 1 leaves": (0, huge, 53),
        "the last of 2^53 - 1 leaves": (huge - 1, huge, 52),
    }.items():
        yield about, small(signed, log=(index, size, hashes[:count])), SERVER.key, []
    none = small(lambda text: signed(text.replace("\n1\n", "\n0\n")))
    yield "a log of no leaves", none, SERVER.key, []
    yield (
        "a log of 2^53 leaves",
        small(lambda text: signed(text.replace("\n1\n", f"\n{2**53}\n"))),
        SERVER.key,
        [],
    )
    many = [text_of(one) for one in (*hashes, hashes[0])]
    yield "a proof of 64 hashes for one leaf", small(signed, proof=many[:64]), SERVER.key, []
    yield "a proof of 65 hashes", small(signed, proof=many), SERVER.key, []
    yield "a proof with a hash that is another", _with_another_hash(hashes), SERVER.key, []
    yield "a proof that is wrong, and a key that is none", small(signed, proof=many[:1], key="no key"), None, []
    yield (
        "a bundle of a round, with a wrong proof and key",
        small(signed, proof=many[:1], key="no key", round=1),
        None,
        [],
    )


def _with_another_hash(hashes: list[bytes]) -> bytes:
    """The last of seven leaves, with its hashes in another order."""
    other = small(signed, log=(6, 7, hashes[:2]))
    return edited(other, lambda members: members["proof"].reverse())


def edge_notes() -> Iterator[Told]:
    """Notes of all shapes."""
    line = SERVER.line
    wide = f"— {WIDE * 255} {text_of(bytes(5))}\n"
    for about, note in {
        "a note without an empty line": lambda text: text + line(text),
        "a note of two lines": lambda text: signed(text.partition("\n")[2]),
        "a root that is not base64": lambda text: signed(text[:-3] + "!=\n"),
        "a root of 31 bytes": lambda text: signed(f"{text.partition('1')[0]}1\n{text_of(bytes(31))}\n"),
        "a size that is no number": lambda text: signed(text.replace("\n1\n", "\none\n")),
        "a note without a signature": lambda text: f"{text}\n",
        "a signature without a line feed": lambda text: signed(text)[:-1],
        "a hundred signatures": lambda text: signed(text) + _others(99),
        "a hundred and one signatures": lambda text: signed(text) + _others(100),
        "a line that is no signature": lambda text: signed(text) + "more\n",
        "a signature with a hyphen for its dash": lambda text: signed(text) + line(text).replace("—", "-"),
        "a signature with the id of its key alone": lambda text: signed(text) + f"— other {text_of(bytes(4))}\n",
        "a signature with one byte after the id": lambda text: signed(text) + f"— other {text_of(bytes(5))}\n",
        "a signature of a name with a plus": lambda text: signed(text) + f"— oth+er {text_of(bytes(5))}\n",
        "a signature with two spaces": lambda text: signed(text) + f"—  other {text_of(bytes(5))}\n",
        "a signature of no name": lambda text: signed(text) + f"—  {text_of(bytes(5))}\n",
        "a signature of a name of 255 characters above U+FFFF": lambda text: signed(text) + wide,
        "a signature of a name of 256 characters": lambda text: signed(text) + wide.replace("— ", f"— {WIDE}"),
        "a fourth line with a tab": lambda text: signed(f"{text}a\tb\n"),
        "a fourth line that looks like a signature": lambda text: signed(text + line(text)),
        "an origin of 256 characters": lambda text: signed(text.replace(ORIGIN, "o" * 256)),
        "an empty origin": lambda text: signed(text.replace(ORIGIN, "")),
        "an origin with a space": lambda text: signed(text.replace(ORIGIN, "dice example")),
    }.items():
        yield about, small(note), SERVER.key, []


def _others(count: int) -> str:
    """Signatures of keys that nobody knows."""
    return "".join(f"— other{number} {text_of(bytes(5))}\n" for number in range(count))


def edge_keys() -> Iterator[Told]:
    """Keys of the log and of witnesses, and their signatures."""
    line, key = WITNESSING.line, SERVER.key
    wrong = f"— {WITNESSING.name} {text_of(WITNESSING.id + bytes(71))}\n"
    witness = [WITNESSING.key]
    for about, note, witnesses in (
        ("a witness's key that is given twice", lambda text: signed(text) + line(text), witness * 2),
        ("a witness's key that is none", lambda text: signed(text) + line(text), ["no key"]),
        ("the key of the log as that of a witness", signed, [key]),
        ("a cosignature that is too short", lambda text: signed(text) + wrong, witness),
        ("a cosignature of the time 0", lambda text: signed(text) + line(text, 0), witness),
        ("a cosignature of the time 2^64 - 1", lambda text: signed(text) + line(text, U64_MAX), witness),
        ("two cosignatures of one witness", lambda text: signed(text) + line(text, 1) + line(text, 2), witness),
        ("a cosignature of a fourth line too", lambda text: signed(text + "more\n") + line(text + "more\n"), witness),
        ("a cosignature that leaves a fourth line out", lambda text: signed(text + "more\n") + line(text), witness),
    ):
        yield about, small(note), key, list(witnesses)
    for about, bad in {
        "an empty key": "",
        "a key with a character that nobody sees": key + "\u200b",
        "a key of 401 characters": "k" * 401,
        "a key of 400 characters": "k" * 400,
        "a key with a part too many": f"{key}+more",
        "a key of 33 bytes": Strange(bytes(33)).key,
    }.items():
        yield about, small(signed, key=bad), None, []
    yield "a given key that is empty", small(signed), "", []


class Strange(Signer):
    """The key of a log that has these bytes."""

    def __init__(self, public: bytes) -> None:
        super().__init__(ORIGIN, bytes(32))
        self.public = b"\x01" + public
        self.id = sha256(ORIGIN.encode() + b"\n" + self.public).digest()[:4]


def edge_texts() -> Iterator[Told]:
    """Names and reasons of characters that have two parts in UTF-16, and of as many as there may be."""
    for about, name, reason in (
        ("a name and a reason above U+FFFF", WIDE * 40, WIDE * 200),
        ("a name of 41 characters above U+FFFF", WIDE * 41, WIDE),
        ("a reason of 201 characters", "Somebody", "r" * 201),
        ("a name with a character that has no meaning yet", "a\u0378", "r"),
        ("an empty name", "", "r"),
    ):
        play = scripted(SMALL)
        entries = [type(one)(one.topic, dict(one.public)) for one in play.entries]
        entries[1].public["name"], entries[2].public["reason"] = name, reason
        yield about, cut(play, entries, 3), SERVER.key, []
