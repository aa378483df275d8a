"""The stored bytes of what happens in a club, frozen: with a key and a nonce that are the same every time.

`python -m tests.golden.clubs` writes the files that are missing and never touches one that exists.
"""

from pathlib import Path
from typing import Any

from infra.events.mapping import EventTranscoder, GameEvent
from services.clubs.club_events import (
    CLUB_TOPICS,
    AnyClubEvent,
    ClubFounded,
    CodeChanged,
    MemberJoined,
    MemberLeft,
    MemberRemoved,
    OrganiserChanged,
    SeasonEnded,
    SeasonStarted,
    club_stream,
)
from tests.golden.samples import AT
from tests.golden.sealed import GOLDEN_KEYS

FOLDER = Path(__file__).parent / "clubs"
EVENTS: tuple[AnyClubEvent, ...] = (
    ClubFounded(
        at=AT, name="Evening", organiser_id="ann", time_zone="Europe/Berlin", counts_bots=True, code="abcdefghjk"
    ),
    MemberJoined(at=AT, player_id="ann", name="Ann"),
    SeasonStarted(at=AT, number=1, name="Season 1"),
    OrganiserChanged(at=AT, player_id="bob"),
    CodeChanged(at=AT, code="kmnpqrstuv"),
    MemberLeft(at=AT, player_id="ann"),
    MemberRemoved(at=AT, player_id="eve"),
    SeasonEnded(at=AT, number=1),
)


def in_the_golden_stream(event: Any) -> GameEvent:
    """An event at its position among the samples."""
    return GameEvent(club_stream("golden"), EVENTS.index(event) + 1, event)


def stored_with_a_fixed_nonce(event: AnyClubEvent) -> bytes:
    """The state of an event in the stream of the golden club."""
    transcoder = EventTranscoder(GOLDEN_KEYS, topics=CLUB_TOPICS, random=lambda length: bytes(range(length)))
    return transcoder.encode(in_the_golden_stream(event))


def golden_file(topic: str) -> Path:
    """Where the stored bytes of a kind of event are frozen."""
    return FOLDER / f"{topic}.json"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for sample in EVENTS:
        if not golden_file(sample.TOPIC).exists():
            golden_file(sample.TOPIC).write_bytes(stored_with_a_fixed_nonce(sample))
