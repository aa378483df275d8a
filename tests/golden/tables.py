"""The stored bytes of what happens around a game, frozen: with a key and a nonce that are the same every time.

`python -m tests.golden.tables` writes the files that are missing and never touches one that exists.
"""

from pathlib import Path
from typing import Any

from infra.events.mapping import EventTranscoder, GameEvent
from services.access.table_events import (
    TABLE_TOPICS,
    AnyTableEvent,
    ChainKept,
    RematchOpened,
    TableOpened,
    table_stream,
)
from tests.golden.samples import AT, LINK, SERVER_LINK
from tests.golden.sealed import GOLDEN_KEYS

FOLDER = Path(__file__).parent / "tables"
EVENTS: tuple[AnyTableEvent, ...] = (
    TableOpened(
        at=AT,
        owner_id="ann",
        private=True,
        spectator_delay_seconds=30,
        rematch_of="before",
        seed=LINK,
        invitation_code="abcdefghjk",
        forked_from="past",
        forked_version=17,
    ),
    ChainKept(at=AT, player_id="bot.cautious.abcdefgh", seed=SERVER_LINK),
    RematchOpened(at=AT, game_id="after"),
)


def in_the_golden_stream(event: Any) -> GameEvent:
    """An event at its position among the samples."""
    return GameEvent(table_stream("golden"), EVENTS.index(event) + 1, event)


def stored_with_a_fixed_nonce(event: AnyTableEvent) -> bytes:
    """The state of an event in the stream of the golden table."""
    transcoder = EventTranscoder(GOLDEN_KEYS, topics=TABLE_TOPICS, random=lambda length: bytes(range(length)))
    return transcoder.encode(in_the_golden_stream(event))


def golden_file(topic: str) -> Path:
    """Where the stored bytes of a kind of event are frozen."""
    return FOLDER / f"{topic}.json"


if __name__ == "__main__":
    for sample in EVENTS:
        if not golden_file(sample.TOPIC).exists():
            golden_file(sample.TOPIC).write_bytes(stored_with_a_fixed_nonce(sample))
