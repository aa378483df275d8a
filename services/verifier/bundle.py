"""Reads a bundle and its events: the check `form` (audit-format.md, "The bundle").

Whatever the bytes are, every value has its right kind from here on. So no later check meets a value that it does not
expect.
"""

from dataclasses import dataclass
from typing import Any

from .checkpoint import Checkpoint, read_checkpoint
from .event import Event, Evidence, Signed
from .failure import Failed
from .form import BUNDLE_BYTES_MAX, Json, known_bytes, parsed
from .keys import KEY_LENGTH_MAX
from .kinds import HASH, ID, WHOLE, Base64, Kind, ListOf, ObjectOf, OrNull, Text, Word, first_of
from .topics import TOPICS

EVENTS_MAX = 100_000
PROOF_LENGTH_MAX = 64
OPENED_BYTES_MAX = 65_536
SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class ReadLater:
    """A value of a type that is read by another function."""

    type: type
    is_called: str

    def problem(self, value: Any, name: str) -> str | None:
        """A value of another type."""
        return None if isinstance(value, self.type) else f"{name} is not {self.is_called}"


TEXT, OBJECT = ReadLater(str, "a text"), ReadLater(dict, "an object")
MEMBERS = ObjectOf(
    {
        "format": Word(("liarsdice.bundle.v1",)),
        "game_id": ID,
        "round": OrNull(WHOLE),
        "events": ListOf(OBJECT, EVENTS_MAX),
        "leaf": WHOLE,
        "proof": ListOf(HASH, PROOF_LENGTH_MAX),
        "checkpoint": TEXT,
        "key": Text(KEY_LENGTH_MAX),
    }
)
EVENT_MEMBERS: dict[str, Kind] = {
    "version": WHOLE,
    "topic": Word(tuple(TOPICS)),
    "public": TEXT,
    "commitment": HASH,
    "opened": Base64(SALT_BYTES, OPENED_BYTES_MAX),
    "signed": ObjectOf({"after": WHOLE, "signature": Base64(64)}),
    "digest": HASH,
}
ALWAYS = ("version", "topic", "public")
"""The members that no event is without."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle with the right form."""

    game_id: str
    round: int | None
    """The number of the round that the bundle is about; None for the whole game."""
    events: list[Event]
    leaf: int
    proof: list[bytes]
    checkpoint: Checkpoint
    key: str


def read_bundle(data: bytes) -> Bundle:
    """The bundle in these bytes."""
    members = parsed(_text(data), "The bundle")
    _need(MEMBERS.problem(members, "the bundle"), "The bundle")
    if not members["events"]:
        raise Failed("form", "The bundle has no events.")
    return Bundle(
        game_id=members["game_id"],
        round=members["round"],
        events=[_read_event(version, value) for version, value in enumerate(members["events"], 1)],
        leaf=members["leaf"],
        proof=[known_bytes(text) for text in members["proof"]],
        checkpoint=read_checkpoint(members["checkpoint"]),
        key=members["key"],
    )


def _text(data: bytes) -> str:
    """The JSON text of a bundle: UTF-8, not too much of it, and one line feed after it."""
    if len(data) > BUNDLE_BYTES_MAX:
        raise Failed("form", f"The bundle has more than {BUNDLE_BYTES_MAX} bytes.")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Failed("form", f"The bundle is not UTF-8 at byte {error.start}.") from None
    if not text.endswith("\n"):
        raise Failed("form", "The bundle does not end with a line feed.")
    return text[:-1]


def _read_event(version: int, value: Json) -> Event:
    """The event with this version: all its members are of the right kinds, and its fields are those of its topic."""
    where = f"Event {version}"
    _need(_problem_of_members(value), where)
    if value["version"] != version:
        raise Failed("form", f"{where}: its version is {value['version']}.")
    topic, public = value["topic"], value["public"]
    fields = parsed(public, f"The public part of event {version}, {topic},")
    _need(TOPICS[topic].problem(fields, "the public part"), f"{where}, {topic}")
    return Event(version, topic, public, fields, _read_evidence(value))


def _problem_of_members(value: Json) -> str | None:
    """What is wrong with the members of an event. Those that do not apply are left out, the others are in order."""
    names = [name for name in EVENT_MEMBERS if name in ALWAYS or name in value]
    if [*value] != names:
        return (
            f"it does not have the members {', '.join(ALWAYS)} and those of its evidence in their order and no others"
        )
    return first_of(EVENT_MEMBERS[name].problem(value[name], name) for name in names)


def _read_evidence(value: Json) -> Evidence:
    """The evidence of an event whose members are of the right kinds."""
    signed = value.get("signed")
    return Evidence(
        commitment=_bytes_of(value, "commitment"),
        opened=_bytes_of(value, "opened"),
        signed=None if signed is None else Signed(signed["after"], known_bytes(signed["signature"])),
        digest=_bytes_of(value, "digest"),
    )


def _bytes_of(value: Json, name: str) -> bytes | None:
    """The bytes of a member; None if it is left out."""
    return known_bytes(value[name]) if name in value else None


def _need(problem: str | None, where: str) -> None:
    """Fail the check `form` if there is a problem."""
    if problem is not None:
        raise Failed("form", f"{where}: {problem}.")
