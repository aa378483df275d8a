"""Faults of the form for the test vectors, in the first two events of a game."""

from base64 import b64decode
from collections.abc import Callable, Iterator
from typing import Any

from tests.verifier.changes import cut, edited, text_of
from tests.verifier.decided import game

Edit = Callable[[dict[str, Any]], object]


def misspelled() -> Iterator[tuple[str, bytes]]:
    """Bundles with bytes that no bundle has."""
    play = game("two who go out together")
    tiny = cut(play, play.entries, 2)
    yield "a byte order mark", b"\xef\xbb\xbf" + tiny
    yield "a number with an exponent", _with(tiny, b'"leaf":1,', b'"leaf":1e0,')
    yield "a negative zero", _with(tiny, b'"leaf":1,', b'"leaf":-0,')
    yield "a fraction of zero", _with(tiny, b'"leaf":1,', b'"leaf":1.0,')
    yield "a member twice", _with(tiny, b'"leaf":1,', b'"leaf":1,"leaf":1,')
    yield "two members in another order", _with(tiny, b'"round":null,', b"").replace(b"}\n", b',"round":null}\n')
    yield "a topic that does not exist", _with(tiny, b"player-joined.v2", b"player-joined.v3")
    yield "a field too many", _with(tiny, b'\\"at\\":0}', b'\\"at\\":0,\\"x\\":0}')
    yield "a number as a text", _with(tiny, b'\\"at\\":0}', b'\\"at\\":\\"0\\"}')
    yield "a name of 41 characters", _with(tiny, b"Somebody", b"S" * 41)
    yield "bits that base64 does not need", edited(tiny, _another_spelling)
    yield "no events", edited(tiny, lambda members: members.update(events=[]))
    for about, old, new in REPLACED:
        yield about, _with(tiny, old, new)
    for about, edit in EDITED.items():
        yield about, edited(tiny, edit)
    yield "two line feeds at the end", tiny + b"\n"
    yield "no bytes", b""
    yield "a list that is no bundle", b"[]\n"


REPLACED = (
    ("another format", b"liarsdice.bundle.v1", b"liarsdice.bundle.v2"),
    ("a number with a leading zero", b'"leaf":1,', b'"leaf":01,'),
    ("a number below zero", b'"leaf":1,', b'"leaf":-1,'),
    ("a number of forty digits", b'"leaf":1,', b'"leaf":' + b"1" * 40 + b","),
    ("a slash with an escape", b"Somebody", b"Some\\\\/body"),
    ("a letter with an escape in the outer text", b"liarsdice.bundle", b"\\u006ciarsdice.bundle"),
    ("a tab with an escape", b"Somebody", b"Some\\\\tbody"),
    ("a line separator in a name", b"Somebody", "Some\u2028body".encode()),
    ("a private character in a name", b"Somebody", "Some\U000f0000body".encode()),
    ("half a character in a name", b"Somebody", b"Some\\\\ud83cbody"),
    ("true for a number", b'\\"at\\":0}', b'\\"at\\":true}'),
    ("null for a number", b'\\"at\\":0}', b'\\"at\\":null}'),
    ("a fraction in an event", b'\\"at\\":0}', b'\\"at\\":0.5}'),
    ("a space in an event", b'\\"at\\":0}', b'\\"at\\": 0}'),
    ("a field that is missing", b',\\"at\\":0}', b"}"),
    ("a field twice", b'\\"at\\":0}', b'\\"at\\":0,\\"at\\":0}'),
    (
        "two fields in another order",
        b'\\"seat\\":0,\\"player_id\\":\\"player-0\\"',
        b'\\"player_id\\":\\"player-0\\",\\"seat\\":0',
    ),
    ("an id with a space", b"player-0", b"player 0"),
    ("an id with a letter that is not ASCII", b"player-0", "pläyer-0".encode()),
    ("an empty id", b"player-0", b""),
    ("an id of 65 characters", b"player-0", b"p" * 65),
    ("a kind of player that there is not", b"human", b"robot"),
    ("a rulebook of 41 characters", b"bidding-track", b"b" * 41),
    ("an option that is no word of it", b"quantity_or_face", b"quantity_and_face"),
    ("a text for true or false", b'\\"chips\\":false', b'\\"chips\\":\\"false\\"'),
)
"""What is wrong, the bytes that are there, and those that are there instead."""


def _in_event(number: int, **members: Any) -> Edit:
    """Other members of an event."""
    return lambda bundle: bundle["events"][number].update(members)


def _digest_first(members: dict[str, Any]) -> None:
    """The digest of an event before its version."""
    event = members["events"][0]
    members["events"][0] = {"digest": event.pop("digest"), **event}


EDITED: dict[str, Edit] = {
    "a version 0": _in_event(0, version=0),
    "a digest of 31 bytes": _in_event(0, digest=text_of(bytes(31))),
    "a digest that is null": _in_event(0, digest=None),
    "base64 without its padding": _in_event(0, digest=text_of(bytes(32)).rstrip("=")),
    "base64 of the alphabet for addresses": _in_event(0, digest=text_of(b"\xff" * 32).replace("/", "_")),
    "an opening of 31 bytes": lambda members: _opened(members, 31),
    "a signature of 63 bytes": lambda members: _signed(members, 63, after=0),
    "a signature after a number below zero": lambda members: _signed(members, 64, after=-1),
    "members of an event in another order": _digest_first,
    "a member of an event too many": _in_event(0, more=1),
    "a member too many": lambda members: members.update(more=1),
    "a member that is missing": lambda members: members.pop("key"),
    "a round below zero": lambda members: members.update(round=-1),
    "a round of 2^53": lambda members: members.update(round=2**53),
    "a hash of 31 bytes in the proof": lambda members: members.update(proof=[text_of(bytes(31))]),
    "an event that is no object": lambda members: members["events"].append("event"),
    "public fields that are no text": _in_event(0, public={}),
    "an id of the game that is empty": lambda members: members.update(game_id=""),
    "a checkpoint that is null": lambda members: members.update(checkpoint=None),
}
"""What is wrong, and how it is made."""


def _opened(members: dict[str, Any], length: int) -> None:
    event = members["events"][0]
    digest = event.pop("digest")
    members["events"][0] |= {"opened": text_of(bytes(length)), "digest": digest}


def _signed(members: dict[str, Any], length: int, after: int) -> None:
    event = members["events"][0]
    digest = event.pop("digest")
    event |= {"signed": {"after": after, "signature": text_of(bytes(length))}, "digest": digest}


def _with(data: bytes, old: bytes, new: bytes) -> bytes:
    """A bundle with other bytes in one place."""
    assert old in data, old
    return data.replace(old, new, 1)


def _another_spelling(members: dict[str, Any]) -> None:
    """The last character before the padding also has bits that stand for nothing."""
    digest = members["events"][0]["digest"]
    assert len(b64decode(digest)) == 32
    members["events"][0]["digest"] = f"{digest[:-2]}{chr(ord(digest[-2]) + 1)}="
