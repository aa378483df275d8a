"""Reads a bundle, its members and its events, with the checks `form` and `digests` (audit-format.md, "The bundle")."""

import re
from dataclasses import dataclass
from typing import Any

from .checkpoint import Checkpoint, read_checkpoint
from .digests import check_digest, first_digest, next_digest
from .event import Event, Evidence, Signed, failed_at
from .failure import Failed, Place
from .form import BUNDLE_BYTES_MAX, Json, decoded, decoded_exactly, parsed_bundle, parsed_event

FORMAT = "liarsdice.bundle.v1"
MEMBERS = ("format", "game_id", "round", "events", "leaf", "proof", "checkpoint", "key")
EVENT_MEMBERS = ("version", "topic", "public", "commitment", "opened", "signed", "digest")
GAME_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
SIGNATURE_BYTES = 64


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle with the right form and with events that their digests chain to one another."""

    game_id: str
    round: Any
    """The number of the round that the bundle is about; None for the whole game."""
    events: list[Event]
    leaf: Any
    proof: Any
    checkpoint: Checkpoint
    key: str

    def digest(self, version: int) -> bytes:
        """The digest after a version; version 0 is the game before its first event."""
        return self.events[version - 1].digest if version else first_digest(self.game_id)


def read_bundle(data: bytes, place: Place) -> Bundle:
    """The bundle in these bytes; raises one of `UNFIT_VALUES`, such as ValueError, if they are not a bundle."""
    if len(data) > BUNDLE_BYTES_MAX:
        raise Failed("form", f"The bundle has more than {BUNDLE_BYTES_MAX} bytes.")
    text = data.decode()
    members = parsed_bundle(text[:-1])
    game_id, checkpoint = members["game_id"], read_checkpoint(members["checkpoint"])
    if not GAME_ID.fullmatch(game_id) or not _has_form(text, members):
        raise ValueError("this is no bundle")
    return Bundle(
        game_id=game_id,
        round=members["round"],
        events=_read_events(game_id, members["events"], place),
        leaf=members["leaf"],
        proof=members["proof"],
        checkpoint=checkpoint,
        key=members["key"],
    )


def _has_form(text: str, members: Json) -> bool:
    """Whether the members are those of a bundle, in their order, and the text ends with a line feed."""
    return tuple(members) == MEMBERS and members["format"] == FORMAT and text[-1] == "\n"


def _read_events(game_id: str, values: list[Json], place: Place) -> list[Event]:
    """All events in order. Each is checked before the next one is read."""
    events: list[Event] = []
    before, digest = None, first_digest(game_id)
    for version, value in enumerate(values, 1):
        place.name = f"Event {version}"
        before = _read_event(version, value, before, digest)
        digest = before.digest
        events.append(before)
    if not events:
        raise ValueError("a bundle has events")
    return events


def _read_event(version: int, value: Json, before: Event | None, digest_before: bytes) -> Event:
    """One event. Its form must be right, and its digest must follow from the one before."""
    topic = value["topic"]
    kind = topic.partition(".")[0]
    _check_members(version, topic, kind, value)
    evidence, public = _read_evidence(value), value["public"]
    digest = next_digest(digest_before, version, topic, public, evidence)
    check_digest(version, topic, evidence, digest, before)
    return Event(version, topic, kind, public, parsed_event(kind, public), evidence, digest)


def _check_members(version: int, topic: str, kind: str, value: Json) -> None:
    """The event is the next one, its topic has a known version, and its members are in order and not empty."""
    if value["version"] != version:
        raise failed_at(version, topic, "form", "it is not the next event")
    if topic not in (f"{kind}.v1", "player-joined.v2"):
        raise failed_at(version, topic, "form", "its topic has an unknown version")
    if [*value] != [name for name in EVENT_MEMBERS if value.get(name)]:
        raise failed_at(version, topic, "form", "it has other members than it may")


def _read_evidence(value: Json) -> Evidence:
    """The evidence of an event. `opened` is decoded later, when it is compared with the commitment."""
    signed = value.get("signed")
    return Evidence(
        commitment=decoded(value.get("commitment", "")),
        opened=value.get("opened", ""),
        signed=None if signed is None else _read_signed(signed),
        digest=decoded(value.get("digest", "")),
    )


def _read_signed(value: Json) -> Signed:
    """The signature of a move. The version `after` must fit into eight bytes, because it is hashed in this form."""
    after: int = value["after"]
    after.to_bytes(8, "big")
    return Signed(after, decoded_exactly(value["signature"], SIGNATURE_BYTES), tuple(value))
