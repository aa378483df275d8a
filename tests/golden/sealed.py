"""The stored bytes of events with secrets, frozen: with a key and a nonce that are the same every time.

`python -m tests.golden.sealed` writes the files that are missing and never touches one that exists.
"""

from pathlib import Path

from domain.events import AnyEvent
from infra.events.mapping import EventTranscoder, GameEvent
from infra.keys.key_ring import Key, KeyRing
from tests.golden.samples import EVENTS

FOLDER = Path(__file__).parent / "sealed"
GOLDEN_KEYS = KeyRing([Key(bytes(range(64, 96)))])
SEALED = tuple(event for event in EVENTS if event.SECRETS)


def stored_with_a_fixed_nonce(event: AnyEvent) -> bytes:
    """The state of an event in the game `golden`, at its position among the samples."""
    transcoder = EventTranscoder(GOLDEN_KEYS, random=lambda length: bytes(range(length)))
    return transcoder.encode(in_the_golden_game(event))


def in_the_golden_game(event: AnyEvent) -> GameEvent:
    """An event at its position among the samples."""
    return GameEvent("golden", EVENTS.index(event) + 1, event)


def golden_file(event: AnyEvent) -> Path:
    """Where the stored bytes of a kind of event are frozen."""
    return FOLDER / f"{event.TOPIC}.json"


if __name__ == "__main__":
    for sealed in SEALED:
        if not golden_file(sealed).exists():
            golden_file(sealed).write_bytes(stored_with_a_fixed_nonce(sealed))
