"""One whole game per rulebook, frozen: the commands, the events they caused, the record and the notation.

`python -m tests.golden.games` writes the files that are missing and never touches one that exists: what was once
written must stay readable, so a golden file changes only together with a new version of what it freezes.
"""

from pathlib import Path
from typing import Any

import msgspec

from domain.commands import AnyCommand
from domain.events import AnyEvent
from domain.history.record import GameRecord, decode_record, encode_record
from domain.history.recording import record_of
from domain.notation import write_game
from domain.options import Options
from infra.events.codec import decode_event, encode_event
from services.simulation.simulation import Setup, play_game
from tests.golden.samples import EVENTS

FOLDER = Path(__file__).parent
TIMES = {"created_at", "started_at", "ended_at", "at", "version"}
GAMES = {
    "bidding-track": (Setup("bidding-track", Options(chips=True), 3), 0),
    "single-hand": (Setup("single-hand", Options(wild_aces=True, raise_rule="beat_the_higher_number"), 3), 0),
    "pirates": (Setup("pirates", Options(), 3), 0),
    "prediction-track": (Setup("prediction-track", Options(turn_seconds=30, on_timeout="challenge"), 3), 0),
    "palafico": (Setup("palafico", Options(), 4), 0),
}


def event_line(event: AnyEvent) -> bytes:
    """An event as a line: its topic, a space and its bytes."""
    topic, state = encode_event(event)
    return topic.encode() + b" " + state


def read_event_line(line: bytes) -> AnyEvent:
    """An event from its line."""
    topic, _, state = line.partition(b" ")
    return decode_event(topic.decode(), state)


def read_commands(rulebook: str) -> list[AnyCommand]:
    """The frozen commands of a book's game."""
    lines = (FOLDER / rulebook / "commands").read_bytes().splitlines()
    decoder: msgspec.json.Decoder[AnyCommand] = msgspec.json.Decoder(AnyCommand)
    return [decoder.decode(line) for line in lines]


def read_events(rulebook: str) -> list[AnyEvent]:
    """The frozen events of a book's game."""
    return [read_event_line(line) for line in (FOLDER / rulebook / "events").read_bytes().splitlines()]


def without_times(record: GameRecord) -> GameRecord:
    """A record as it was before records had times."""
    return decode_record(msgspec.json.encode(_without_times(msgspec.json.decode(encode_record(record)))))


def _without_times(value: Any) -> Any:
    match value:
        case dict():
            return {name: _without_times(one) for name, one in value.items() if name not in TIMES}
        case list():
            return [_without_times(one) for one in value]
        case _:
            return value


def _files() -> dict[str, bytes]:
    files = {f"events/{event.TOPIC}.json": encode_event(event)[1] for event in EVENTS}
    for rulebook, (setup, index) in GAMES.items():
        table = play_game(setup, 2026, index)
        events = FOLDER / rulebook / "events"
        record = record_of(read_events(rulebook) if events.exists() else table.events)
        files[f"{rulebook}/commands"] = b"\n".join(map(msgspec.json.encode, table.commands)) + b"\n"
        files[f"{rulebook}/events"] = b"\n".join(map(event_line, table.events)) + b"\n"
        files[f"{rulebook}/record-with-times"] = encode_record(record) + b"\n"
        files[f"{rulebook}/notation-with-times"] = write_game(record).encode()
    return files


if __name__ == "__main__":
    for name, content in _files().items():
        if not (FOLDER / name).exists():
            (FOLDER / name).parent.mkdir(exist_ok=True)
            (FOLDER / name).write_bytes(content)
