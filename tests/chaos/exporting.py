"""Exports many games over HTTP from a real server process, and watches the memory of that process.

The games are copies of a few, put straight into the read model that exports are made from.
"""

import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
from msgspec.structs import replace

from domain.history.record import GameRecord, encode_record
from domain.history.recording import record_of
from domain.notation import write_unchecked
from domain.options import Options
from domain.values import Value
from infra.postgres.migrating import Connection
from services.export.comma_separated import lines_of
from services.simulation.simulation import Setup, play_game
from tests.infra.postgres.databases import folder_for_a_server, new_database, on_connection
from tests.servers import ServerProcess

FORMS = ("ndjson", "csv", "notation")
KIB_MORE_MAX = 8 * 1_024
"""What buffers and the allocator may take more than what an export of some megabytes has taken already."""
WARM_BYTES = 4 * 1_024 * 1_024
_TEMPLATES = 20
_ADD = "INSERT INTO history_v2_g1.records VALUES ($1, $2, $2, 'single-hand', 'ended', NULL, false, false, $2, $3, 0, $2::bigint + 1, $4, $5, $6)"
_FILLED_AT_ONCE = 2_000


class ExportReport(Value, frozen=True):
    """What was exported, and by how much the server's memory grew at most."""

    games: int
    sizes: dict[str, int]
    lines: int
    """Of the export with a line for each game."""
    grown_kib: int
    seconds: float


def export(games: int, *, warm_bytes: int = WARM_BYTES, tell: Callable[[str], None] = lambda _: None) -> ExportReport:
    """Export games in all formats from a server of their own."""
    began, url = time.monotonic(), new_database()
    on_connection(url, lambda connection: fill(connection, games))
    tell(f"{games:,} games are stored")
    with folder_for_a_server() as folder:
        server = ServerProcess(url, folder, 0.0, "--read-rate", "0")
        try:
            with httpx.Client(base_url=f"http://{server.http}", timeout=600) as client:
                for form in FORMS:
                    read(client, form, warm_bytes)
                before = resident_kib_max(server.process.pid)
                found = {form: read(client, form) for form in FORMS}
                grown = resident_kib_max(server.process.pid) - before
        finally:
            server.end()
    sizes = {form: size for form, (size, _) in found.items()}
    return ExportReport(games, sizes, found["ndjson"][1], grown, time.monotonic() - began)


async def fill(connection: Connection, games: int) -> None:
    """Put so many short games into the read model."""
    made = templates()
    for start in range(0, games, _FILLED_AT_ONCE):
        numbers = range(start, min(start + _FILLED_AT_ONCE, games))
        await connection.executemany(_ADD, [_copy(made[number % _TEMPLATES], number) for number in numbers])


def templates() -> Sequence[GameRecord]:
    """A few short games."""
    setup = Setup("single-hand", Options(dice_each=1), 2)
    return [record_of(play_game(setup, 1, index).events) for index in range(_TEMPLATES)]


def _copy(template: GameRecord, number: int) -> tuple[Any, ...]:
    """The columns of a game under another name."""
    record = replace(template, game_id=f"copy-{number}")
    texts = (lines_of(record), write_unchecked(record).encode())
    return record.game_id, number, ["ann", "bob"], encode_record(record), *(zlib.compress(text, 1) for text in texts)


def read(client: httpx.Client, form: str, bytes_max: int | None = None) -> tuple[int, int]:
    """The number of bytes and lines of an export, which is read and not kept; the reader may give up early."""
    size = crc = lines = 0
    with client.stream("GET", "/api/v1/export", params={"format": form}) as answer:
        for piece in answer.iter_bytes():
            size, crc, lines = size + len(piece), zlib.crc32(piece, crc), lines + piece.count(b"\n")
            if bytes_max is not None and size >= bytes_max:
                break
    assert crc
    return size, lines


def resident_kib_max(process_id: int) -> int:
    """The most memory that a process and its workers have had so far."""
    lines = Path(f"/proc/{process_id}/status").read_text().splitlines()
    own = int(next(line for line in lines if line.startswith("VmHWM")).split()[1])
    children = Path(f"/proc/{process_id}/task/{process_id}/children").read_text().split()
    return own + sum(resident_kib_max(int(child)) for child in children)
